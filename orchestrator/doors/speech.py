"""A speech on a terminal: what the model wrote, word for word, wrapped; headings, code and stress stand out.

It is not rendered as Markdown: a renderer drops what it takes for HTML, follows character references to characters that
cannot be seen, and can be brought down by a stray tag. What a model wrote is only ever text here.
"""

import re
from collections.abc import Iterator

from rich.text import Text

from orchestrator.doors.wrapping import WIDEST, hanging, wrapped
from state.clean import clean

_STRESS = re.compile(r"\*\*(?=\S)([^*]{1,300})(?<=\S)\*\*|`[^`]{1,300}`")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def readable(speech: str, columns: int) -> Iterator[Text]:
    """The lines of a speech, each at most `columns` wide."""
    code = False
    for line in clean(speech).expandtabs(4).splitlines():
        fence = bool(_FENCE.match(line))
        for piece in (wrapped if code else hanging)(line, min(columns, WIDEST)):
            yield Text(piece, style="cyan") if code or fence else _styled(piece, heading=line.startswith("#"))
        code = code != fence


def _styled(piece: str, *, heading: bool) -> Text:
    text = Text(style="bold" if heading else "")
    end = 0
    for found in _STRESS.finditer(piece):
        text.append(piece[end : found.start()])
        text.append(found[1] or found[0], style="bold" if found[1] else "cyan")
        end = found.end()
    return text.append(piece[end:])
