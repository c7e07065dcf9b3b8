"""What the tests of the process room share: a vendor that knows two words, commands of small programs, who is alive."""

import os
import sys
from dataclasses import replace
from pathlib import Path

from adapters.spec import Adapter, Command, Progress, Stream
from state.failures import FailureKind
from state.models import Failure

FAKES = Path(__file__).parent.parent / "fakes"
GIVEN_UP = Failure(kind=FailureKind.QUOTA, message="it will never come")


def _watch(progress: Progress, line: bytes, _stream: Stream) -> Progress:
    if line.startswith(b"ANSWER"):
        return replace(progress, complete=True)
    if line.startswith(b"HOPELESS"):
        return replace(progress, hopeless=GIVEN_UP)
    return replace(progress, activity=line[:40].decode("utf-8", "replace"))


def vendor(**changes: object) -> Adapter:
    """A vendor for whom ANSWER is a complete answer and HOPELESS the end of hope."""
    plain = Adapter(
        "fake", "fake", "", "", build=None, read=None, watch=_watch, keep=lambda _line: True, signals=(2, 15)
    )  # pyright: ignore[reportArgumentType]
    return replace(plain, **changes)


def python(code: str, *, stdin: bytes = b"", cwd: Path = Path("/"), **env: str) -> Command:
    """A command that runs a few lines of Python."""
    return Command((sys.executable, "-c", code), stdin, {"PATH": os.environ["PATH"], **env}, cwd)


def fake(name: str, *arguments: object) -> Command:
    """A command that runs a program of tests/fakes."""
    argv = (sys.executable, "-I", "-S", str(FAKES / f"{name}.py"), *map(str, arguments))
    return Command(argv, b"", {"PATH": os.environ["PATH"]}, Path("/"))


def alive(pids: Path) -> list[str]:
    """What /proc shows of the processes noted in this file, zombies too."""
    noted = pids.read_text().split() if pids.exists() else []
    return [f"{pid} {_status(pid)}" for pid in noted if Path("/proc", pid).exists()]


def _status(pid: str) -> str:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def zombies() -> list[int]:
    """Our own dead children that nobody has waited for."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state == "Z" and int(parent) == os.getpid():
            found.append(int(stat.parent.name))
    return found
