"""The citation of a line: `path:line "quote"`, written and read."""

import re
from typing import NamedTuple

_CITED = re.compile(r"(?:\[E\d+\] ([^\"\n:]{1,300}?)|([^\s\"'()\[\]，。：]+)):(\d{1,7})(?:-\d+)? \"([^\"\n]+)\"")
_YIELDS = re.compile(r"^\W*(?:\d+\.\s*)?(?:I concede|我承认)")


class Citation(NamedTuple):
    """A line that a speech cites."""

    path: str
    line: int
    quote: str

    @property
    def where(self) -> str:
        """The place alone, as the other side names it."""
        return f"{self.path}:{self.line}"

    def __str__(self) -> str:
        return f'{self.where} "{self.quote}"'


def citations(text: str) -> list[Citation]:
    """What a speech cites for itself, each once: what it repeats of the other side in order to concede it is not its own."""
    own = "\n".join(line for line in text.splitlines() if not _YIELDS.match(line))
    return list(dict.fromkeys(Citation(a or b, int(line), quote) for a, b, line, quote in _CITED.findall(own)))


def mentions(text: str, where: str) -> list[str]:
    """The lines of a speech that name this place without citing it."""
    named = re.compile(rf"(?<![\w./-]){re.escape(where)}(?!\d)(?! \")")
    return [line for line in text.splitlines() if named.search(line)]


def yields(line: str) -> bool:
    """Whether a line of a speech concedes something."""
    return _YIELDS.match(line) is not None
