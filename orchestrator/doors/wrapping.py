"""Breaking lines where a reader would: at blanks, between ideographs, and inside a word only where it is longer than a line."""

import re
from collections.abc import Iterator

from state.width import graphemes, width

WIDEST = 100
"""Cells: longer lines are hard to read."""
_HANGING = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+|(?:>\s?)+)?")
_CLOSING = frozenset("，。、：；！？）】」』》〉”’…％")
_OPENING = frozenset("（【「『《〈“‘")


def hanging(line: str, limit: int) -> Iterator[str]:
    """The line wrapped; what follows a bullet, a quotation mark or an indent stays below where it began."""
    found = _HANGING.match(line)
    head = found[0] if found and found.end() <= limit // 2 else ""
    under = head if ">" in head else " " * len(head)
    for number, piece in enumerate(wrapped(line[len(head) :], limit - len(head))):
        yield (under if number else head) + piece


def wrapped(line: str, limit: int) -> Iterator[str]:
    """The line in pieces of at most `limit` cells, blanks at the breaks left out. Nothing else is lost."""
    limit = max(limit, 2)
    if width(line) <= limit:
        yield line
        return
    piece, cells = "", 0
    safe, safe_cells = 0, 0  # as much of the piece as may stand alone
    before = ""
    for grapheme in graphemes(line):
        wide = width(grapheme)
        if piece and _may_part(before, grapheme):
            safe, safe_cells = len(piece), cells
        while piece and cells + wide > limit and not grapheme.isspace():
            safe, safe_cells = (safe, safe_cells) if safe else (len(piece), cells)
            yield piece[:safe].rstrip()
            piece, cells, safe, safe_cells = piece[safe:], cells - safe_cells, 0, 0
        piece, cells, before = piece + grapheme, cells + wide, grapheme
    yield piece.rstrip()


def _may_part(before: str, after: str) -> bool:
    if after in _CLOSING or before in _OPENING or after.isspace():
        return False
    return before.isspace() or width(before) == width(after) == 2 or before in _CLOSING
