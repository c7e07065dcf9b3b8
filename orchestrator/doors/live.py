"""The live view on a terminal: finished speeches above; below them who speaks, for how long, doing what, at what cost so far."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from orchestrator import lines
from orchestrator.doors.region import Region
from orchestrator.doors.speech import readable
from orchestrator.events import Activity, Happening, Retrying, Warned
from orchestrator.totals import spent
from state.models import Ended, Key, Opened, Resumed, Seat, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import round_of, speeches

NARROW = 70
LATE = 0.8
"""Of its limit: a call that takes longer is shown in another colour."""
_STYLES = {"proposer": "cyan", "challenger": "magenta"}


@dataclass
class _Running:
    """A call in progress."""

    place: str
    seat: Seat
    began: float
    doing: str = "starting"


class Live:
    """Draws a run. `console` is the terminal; `clock` gives seconds."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._clock = clock
        self._began = clock()
        self._running: dict[tuple[str, str], _Running] = {}
        self._record: Record | None = None
        self._region = Region(self._console, self.below)

    def tell(self, record: Record, happening: Happening) -> None:
        """Show what this happening changes. A view that fails gives the terminal back."""
        self._record = record
        try:
            self._show(record, happening)
        except Exception:
            self._region.stop()
            raise

    def _show(self, record: Record, happening: Happening) -> None:
        match happening:
            case Opened() | Resumed():
                self._say([lines.plan(record)], "dim")
                self._region.start()
            case TurnStarted(key=key, seat=seat):
                self._running[_slot(key)] = _Running(lines.place(record, key), seat, self._clock())
            case Activity(key=key, progress=progress):
                self._does(key, lines.doing(progress))
            case Retrying(key=key, failure=failure):
                self._say([lines.trying_again(record, happening)], "yellow")
                self._does(key, f"waits after: {failure.kind.replace('_', ' ')}")
            case TurnEnded(key=key):
                self._running.pop(_slot(key), None)
                self._turn(record, happening)
            case Warned(text=text, grave=grave):
                self._say([lines.error(text) if grave else lines.warned(text)], "red" if grave else "yellow")
            case Ended():
                self._region.stop()
                self._say(lines.ended(record, happening), "yellow")

    def _say(self, said: Iterable[str], style: str) -> None:
        self._region.above(*(Text(line, style=style) for line in said))

    def _does(self, key: Key, what: str) -> None:
        if running := self._running.get(_slot(key)):
            running.doing = what

    def _turn(self, record: Record, turn: TurnEnded) -> None:
        if turn.envelope.failure:
            self._say(lines.failed(record, turn), "red")
            return
        if round_of(turn.key):
            style = _STYLES.get(record.asked(turn.key).role, "none")
            title = Rule(Text(lines.place(record, turn.key), style=f"bold {style}"), align="left", style=style)
            self._region.above(title, *readable(turn.envelope.response or "", self._console.width), Text())
        self._say(map(lines.warned, turn.envelope.notes), "yellow")

    def below(self) -> RenderableType:
        """The lines that change: a row or two for each call, and what was spent."""
        rows = [self._row(running) for running in list(self._running.values())]
        return Group(*rows, Text(self._totals(), style="dim")) if rows else Text("")

    def _row(self, running: _Running) -> RenderableType:
        spent_s, limit = self._clock() - running.began, running.seat.timeout_s
        who = Text(running.place, style=f"bold {_STYLES.get(running.seat.role, 'none')}")
        elapsed = Text(
            f"{lines.clock(spent_s)} of {lines.clock(limit)}", style="yellow" if spent_s > LATE * limit else ""
        )
        doing = Text(running.doing, style="dim")
        if self._console.width < NARROW:
            below = Text("  ", no_wrap=True, overflow="ellipsis").append_text(elapsed).append("  ").append_text(doing)
            return Group(Text.assemble(who, no_wrap=True, overflow="ellipsis"), below)
        row = Table.grid(padding=(0, 2))
        for _ in range(2):
            row.add_column(no_wrap=True)
        row.add_column(no_wrap=True, overflow="ellipsis")
        row.add_row(who, elapsed, doing)
        return row

    def _totals(self) -> str:
        if self._record is None:
            return ""
        planned = self._record.settings.rounds * len(self._record.seats)
        said = f"{len(speeches(self._record))} of {planned} speeches, {lines.clock(self._clock() - self._began)} so far"
        cost = "rehearsal: no model is asked" if self._record.opened.rehearsal else spent(self._record)
        return "; ".join(filter(None, (said, cost)))


def _slot(key: Key) -> tuple[str, str]:
    return key.step, key.seat
