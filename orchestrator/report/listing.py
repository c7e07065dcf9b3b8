"""The debates on a shelf as lines: columns where they fit, else a few short lines for each debate."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len

from state.clean import clean
from state.record import Record
from state.shelf import Entry
from state.width import cut, width

GAP = 2
TOPIC_CELLS = 24
"""A topic that would get less room than this stands on a line of its own."""


class Line(NamedTuple):
    """What is shown of a debate."""

    id: str
    began: str
    status: str
    sides: str
    topic: str


def line(entry: Entry, *, playing: bool) -> Line:
    """What to show of this debate; of a file that cannot be read, why."""
    if entry.record is None:
        return Line(entry.id, "", "unreadable", "", entry.problem.reason if entry.problem else "")
    record = entry.record
    sides = " vs ".join(seat.tool for seat in record.seats)
    topic = " ".join(clean(record.opened.topic).split())
    return Line(entry.id, local_time(record.opened.at), status(record, playing=playing), sides, topic)


def status(record: Record, *, playing: bool) -> str:
    """The status in words; a run that nobody plays any more was cut off."""
    if record.status == "running" and not playing:
        return "cut off"
    return record.status.replace("_", " ")


def local_time(stamp: str) -> str:
    """A time of the record for a person: local, with its zone."""
    try:
        return f"{datetime.fromisoformat(stamp).astimezone():%Y-%m-%d %H:%M %Z}"
    except ValueError:
        return stamp


def listing(debates: Sequence[Line], columns: int | None) -> str:
    """The list, for a terminal of so many columns; None: as wide as it gets."""
    sizes = [max(map(width, column)) for column in list(zip(*debates, strict=True))[:-1]] if debates else []
    room = None if columns is None else columns - sum(sizes) - GAP * len(sizes)
    if room is None or room >= TOPIC_CELLS:
        rows: Iterable[str] = (_row(debate, sizes, room) for debate in debates)
    else:
        rows = (text for debate in debates for text in _block(debate, columns or 0))
    return "".join(f"{row}\n" for row in rows)


def _row(debate: Line, sizes: Sequence[int], room: int | None) -> str:
    padded = (text + " " * (size - width(text) + GAP) for text, size in zip(debate[:-1], sizes, strict=True))
    return "".join(padded) + (debate.topic if room is None else fitted(debate.topic, room))


def _block(debate: Line, columns: int) -> Iterator[str]:
    """A debate on a few lines, as much on each as fits."""
    held = debate.id
    for text in filter(None, (debate.status, debate.began, debate.sides)):
        if width(joined := f"{held}  {text}") <= columns:
            held = joined
        else:
            yield fitted(held, columns)
            held = f"  {text}"
    yield fitted(held, columns)
    yield fitted(f"  {debate.topic}", columns)


def fitted(text: str, cells: int) -> str:
    """The text cut to so many cells, also on a terminal that draws the parts of a joined emoji side by side."""
    limit = cells
    while sum(map(cell_len, shown := cut(text, limit))) > cells:
        limit -= 1
    return shown
