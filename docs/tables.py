"""Writes the tables of the documentation from the program's own data: `python docs/tables.py` (`--check` only compares).

A table stands between `<!-- table: NAME -->` and `<!-- end -->` in README.md or docs/*.md.
"""

import html
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import click

from adapters import ADAPTERS, efforts, transports
from orchestrator.doors.cli.start import HOW, START, WHERE, WHO
from orchestrator.outcome import MEANINGS
from state.failures import FAILURES, FailureMeaning

PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def flags() -> str:
    """Every flag of `debate TOPIC`."""
    context = click.Context(START)
    options = [param for param in START.params if isinstance(param, click.Option)]
    assert len(options) == len(WHO) + len(HOW) + len(WHERE)
    records = [record for option in options if (record := option.get_help_record(context))]
    return table(("flag", "what it does"), ((f"`{flag}`", text) for flag, text in records))


def exit_codes() -> str:
    """What the command's exit code means."""
    return table(("exit code", "what happened"), ((str(code), meaning) for code, (_, meaning) in MEANINGS.items()))


def failures() -> str:
    """Every kind of failure, for a person who met one."""
    rows = ((f"`{kind.value}`", meaning.meaning, _remedy(meaning)) for kind, meaning in FAILURES.items())
    return table(("kind", "what happened", "what to do"), rows)


def failures_in_full() -> str:
    """Every kind of failure, and what the program makes of it."""
    rows = (
        (f"`{kind.value}`", meaning.meaning, "yes" if meaning.retried else "no", STOPS[meaning.halts], _remedy(meaning))
        for kind, meaning in FAILURES.items()
    )
    return table(("kind", "what happened", "tried again by itself", "from round 2 on", "what to do"), rows)


STOPS = {
    True: "the debate stops unjudged (exit code 1), as you can soon go on with it",
    False: "the rounds end, and what there is is judged (exit code 3)",
}


def _remedy(meaning: FailureMeaning) -> str:
    command = "its command (see the table of vendors)"
    return meaning.remedy.format(tool="TOOL", install=command, login=command)


def messages() -> str:
    """Every message that recordings and cases cause, by kind."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for tool, line in _golden():
        if told := KIND.search(line):
            found.setdefault((told["kind"], told["message"].strip()), {})[tool] = None
    rows = ((f"`{kind}`", ", ".join(tools), _plain(message)) for (kind, message), tools in sorted(found.items()))
    return table(("kind", "told of", "message"), rows)


KIND = re.compile(
    rf"(?<![\w:])(?P<kind>{'|'.join(kind.value for kind in FAILURES)}): (?P<message>.*?)(?: -> .*| \[given up.*)?$"
)


def _golden() -> Iterator[tuple[str, str]]:
    """The tool and the line of each recorded outcome."""
    tests = ROOT / "tests"
    for path in sorted((tests / "adapters/golden").glob("*.txt")):
        yield from ((path.stem, line) for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    for line in (tests / "adapters/acp/recordings.txt").read_text("utf-8").splitlines():
        yield f"{line.partition('-')[0]} (ACP)", line
    for line in (tests / "cases/messages.txt").read_text("utf-8").splitlines():
        yield line.split()[1].rstrip(":"), line


def _plain(message: str) -> str:
    """Words of other programs as text: no markup of theirs is ours."""
    return html.escape(message, quote=False).replace("`", "&#96;").replace("*", "&#42;").replace("_", "&#95;")


def vendors() -> str:
    """Each vendor: how to install and log in, and what an effort means to it."""
    rows = (
        (
            f"`{name}`",
            f"`{adapter.install}`",
            adapter.login,
            ", ".join(transport.upper() for transport in transports(adapter)),
            "yes" if adapter.continuable else "no",
            adapter.usage,
            adapter.read_only,
            ", ".join(f"{effort}: {_effort(name, effort)}" for effort in ("low", "medium", "high", "max")),
        )
        for name, adapter in ADAPTERS.items()
    )
    return table(
        ("tool", "install", "log in", "reached by", "keeps sessions", "tells", "kept to reading by", "effort means"),
        rows,
    )


def _effort(tool: str, effort: str) -> str:
    level = getattr(efforts.table()[tool], effort)
    return " ".join(filter(None, (level.model, level.word))) or "the tool's own default"


TABLES: dict[str, Callable[[], str]] = {
    "flags": flags, "exit-codes": exit_codes, "failures": failures, "failures-in-full": failures_in_full,
    "messages": messages, "vendors": vendors,
}  # fmt: skip


def written(text: str) -> str:
    """The text with all of its tables as they should be."""
    return PLACE.sub(lambda place: place[1] + TABLES[place[2]]() + place[3], text)


def main() -> None:
    """Write the tables, or say with `--check` which files are behind."""
    behind = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if _is_behind(path)]
    if "--check" in sys.argv:
        sys.exit("\n".join(f"{path.name} is behind: run python docs/tables.py" for path in behind) or None)
    for path in behind:
        path.write_text(written(path.read_text("utf-8")), "utf-8")


def _is_behind(path: Path) -> bool:
    text = path.read_text("utf-8")
    return written(text) != text


if __name__ == "__main__":
    main()
