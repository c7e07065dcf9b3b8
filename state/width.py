"""How wide text is on a terminal, and cutting it without splitting what a reader sees as one character."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_PICTOGRAMS = range(0x1F300, 0x1FB00)
_UNIT = re.compile(
    "[\U0001f1e6-\U0001f1ff]{2}|[\u1100-\u115f]+[\u1160-\u11ff]*|.", re.DOTALL
)  # flag, Hangul in parts, any other
_JOINER = "\u200d"


def _continues(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf") or "\U0001f3fb" <= character <= "\U0001f3ff"


def graphemes(text: str) -> Iterator[str]:
    """What a reader sees as single characters: marks stay with their letter, joined emoji stay together."""
    held = ""
    for unit in _UNIT.findall(text):
        if held and (held[-1] == _JOINER or _continues(unit[0])):
            held += unit
            continue
        if held:
            yield held
        held = unit
    if held:
        yield held


@lru_cache(maxsize=4096)
def _cells(grapheme: str) -> int:
    if "\ufe0f" in grapheme or ord(grapheme[0]) in _PICTOGRAMS or "\U0001f1e6" <= grapheme[0] <= "\U0001f1ff":
        return 2
    if unicodedata.category(grapheme[0]) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(grapheme[0]) in "WF" else 1


def width(text: str) -> int:
    """The number of terminal cells that one line of clean text takes."""
    return len(text) if text.isascii() else sum(map(_cells, graphemes(text)))


def cut(text: str, limit: int) -> str:
    """At most `limit` cells of one line of text; an ellipsis takes the place of what is left out."""
    if width(text) <= limit:
        return text
    kept, used = "", 1
    for grapheme in graphemes(text):
        used += _cells(grapheme)
        if used > limit:
            break
        kept += grapheme
    return kept.rstrip() + "…" if limit > 0 else ""
