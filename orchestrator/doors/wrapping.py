"""Breaking lines where a reader would: at blanks, between ideographs, and inside a word only where it is longer than a line."""

from collections.abc import Iterator

from state.width import graphemes, width

_CLOSING = frozenset("，。、：；！？）】」』》〉”’…％")
_OPENING = frozenset("（【「『《〈“‘")


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
