"""What a view leaves out, counted while it is made and then said in words."""

from collections import Counter
from dataclasses import dataclass, field

from orchestrator.view.cleaning import Match, Reason
from orchestrator.view.plain_reader import Unread
from state.clean import one_line

BEYOND = "beyond the limits"
_NAMES_SHOWN = 8
_NAME_CELLS = 60
_WORDS: dict[str, tuple[str, str]] = {
    Reason.CREDENTIAL: ("1 credential file", "{n} credential files"),
    Unread.LINK: ("1 link", "{n} links"),
    Unread.TOO_LARGE: ("1 file over {file}", "{n} files over {file}"),
    Unread.SPECIAL: ("1 device, socket or pipe", "{n} devices, sockets or pipes"),
    Unread.FOLDER: ("1 submodule or repository within", "{n} submodules or repositories within"),
    Unread.UNREADABLE: ("1 unreadable file", "{n} unreadable files"),
    BEYOND: (
        "1 file beyond {files} files or {total} (narrow it with --view PATH)",
        "{n} files beyond {files} files or {total} (narrow it with --view PATH)",
    ),
}


@dataclass(frozen=True)
class Limits:
    """The most that is copied: the number of files, bytes in all, bytes a file."""

    files: int = 20_000
    total: int = 200_000_000
    file: int = 2_000_000


@dataclass
class LeftOut:
    """The count of each kind of thing that was left out, and the names of the instruction files."""

    instructions: dict[str, None] = field(default_factory=dict[str, None])
    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, why: str, number: int = 1) -> None:
        self.counts[why] += number

    def match(self, match: Match) -> None:
        """Count a file that was cleaned away; a repository's own folder is nobody's loss."""
        if match.reason is Reason.INSTRUCTION:
            self.instructions[match.path] = None
        elif match.reason is Reason.CREDENTIAL:
            self.add(match.reason)

    def in_words(self, limits: Limits) -> tuple[str, ...]:
        """One phrase for each kind, the most telling first: "2 credential files"."""
        sizes = {"files": limits.files, "file": _megabytes(limits.file), "total": _megabytes(limits.total)}
        counted = ((words, self.counts[kind]) for kind, words in _WORDS.items())
        return (*self._instructions(), *(words[n > 1].format(n=n, **sizes) for words, n in counted if n))

    def _instructions(self) -> tuple[str, ...]:
        names = [one_line(name, _NAME_CELLS) for name in sorted(self.instructions)]
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        return (f"instruction files: {', '.join(names[:_NAMES_SHOWN])}{more}",) if names else ()


def _megabytes(number: int) -> str:
    return f"{number / 1_000_000:g} MB"
