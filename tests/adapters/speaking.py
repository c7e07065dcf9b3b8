"""Building what an adapter's functions take: places, questions, ended processes."""

from pathlib import Path
from typing import Any

from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress
from state.models import Effort, Envelope, Failure, Seat

PATH = "/usr/bin:/bin"


def place(folder: Path, **environ: str) -> Place:
    """A private folder under this one, as a caller makes it."""
    private = folder / "call-1a2b"
    for name in ("cwd", "tmp"):
        (private / name).mkdir(parents=True, exist_ok=True)
    return Place(folder / "bin" / "cli", private, {"PATH": PATH, "HOME": str(folder / "home"), **environ})


def ask(tool: str, prompt: str = "Debate.", *, effort: Effort = "high", model: str | None = None, **more: Any) -> Ask:
    """A question to this tool."""
    return Ask(Seat(role="proposer", tool=tool, effort=effort, model=model), prompt, **more)


def command(built: Command | Failure) -> Command:
    """The command, where there must be one."""
    assert isinstance(built, Command), built
    return built


def written(built: Command, where: Place) -> None:
    """Writes a command's files as the caller does."""
    for name, content in built.files.items():
        file = where.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def ended(exit_code: int | None, stdout: str | bytes = b"", stderr: str | bytes = b"", **more: Any) -> Finished:
    """A process that ended so, after five seconds."""
    out, err = (text.encode() if isinstance(text, str) else text for text in (stdout, stderr))
    return Finished(exit_code, out, err, 5.0, **more)


def judged(adapter: Adapter, finished: Finished, prompt: str = "Debate.") -> Envelope:
    """What the adapter reads from it."""
    return adapter.read(ask(adapter.name, prompt), finished)


def verdict(adapter: Adapter, finished: Finished) -> tuple[str, str]:
    """("answer", text), or the kind of failure and its message."""
    envelope = judged(adapter, finished)
    assert (envelope.response is None) != (envelope.failure is None)
    return (
        (envelope.failure.kind, envelope.failure.message) if envelope.failure else ("answer", envelope.response or "")
    )


def watched(adapter: Adapter, stdout: str = "", stderr: str = "") -> list[Progress]:
    """The progress after each line, those of stdout first."""
    progress, all_of_it = Progress(), []
    for stream, text in (("stdout", stdout), ("stderr", stderr)):
        for line in text.encode().splitlines(keepends=True):
            progress = adapter.watch(progress, line, stream)
            all_of_it.append(progress)
    return all_of_it
