"""The live view on a terminal: finished speeches above; below them who speaks, for how long, doing what, at what cost so far."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live as Screen
from rich.markdown import Markdown
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from orchestrator import lines
from orchestrator.events import Activity, Happening, Retrying, Warned
from orchestrator.totals import spent
from state.clean import clean
from state.models import Ended, Key, Opened, Resumed, Seat, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import round_of

REFRESH_PER_SECOND = 4
NARROW = 60
_STYLES = {"proposer": "cyan", "challenger": "magenta"}


@dataclass
class _Running:
    """A call in progress."""

    seat: Seat
    key: Key
    began: float
    doing: str = "starting"


class Live:
    """Draws a run. `console` is the terminal; `clock` gives seconds."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._clock = clock
        self._running: dict[tuple[str, str], _Running] = {}
        self._record: Record | None = None
        self._screen = Screen(
            console=self._console,
            get_renderable=self.below,
            refresh_per_second=REFRESH_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def tell(self, record: Record, happening: Happening) -> None:
        """Show what this happening changes."""
        self._record = record
        match happening:
            case Opened() | Resumed():
                self._say(lines.plan(record), "dim")
                self._screen.start()
            case TurnStarted(key=key, seat=seat):
                self._screen.start()
                self._running[key.step, key.seat] = _Running(seat, key, self._clock())
            case Activity(key=key, progress=progress):
                if running := self._running.get((key.step, key.seat)):
                    running.doing = lines.doing(progress)
            case Retrying():
                self._say(lines.trying_again(record, happening), "yellow")
            case TurnEnded(key=key):
                self._running.pop((key.step, key.seat), None)
                self._turn(record, happening)
            case Warned(text=text):
                self._say(lines.warned(text), "yellow")
            case Ended():
                self._screen.stop()
                for line in lines.ended(record, happening):
                    self._say(line, "yellow")

    def _say(self, line: str, style: str) -> None:
        self._console.print(Text(line, style=style))

    def _turn(self, record: Record, turn: TurnEnded) -> None:
        if turn.envelope.failure:
            for line in lines.failed(record, turn):
                self._say(line, "red")
            return
        number = round_of(turn.key)
        if number:
            seat = record.asked(turn.key)
            style = _STYLES.get(seat.role, "none")
            title = Text(f"Round {number}: {seat.tool} ({seat.role.capitalize()})", style=f"bold {style}")
            self._console.print(Rule(title, align="left", style=style))
            self._console.print(Markdown(clean(turn.envelope.response or ""), hyperlinks=False, code_theme="ansi_dark"))
            self._console.print()
        for note in turn.envelope.notes:
            self._say(lines.warned(note), "yellow")

    def below(self) -> RenderableType:
        rows = [self._row(running) for running in self._running.values()]
        return Group(*rows, self._totals()) if rows else Text("")

    def _row(self, running: _Running) -> RenderableType:
        elapsed = f"{lines.clock(self._clock() - running.began)} of {lines.clock(running.seat.timeout_s)}"
        number = round_of(running.key)
        part = f"round {number} {running.seat.role}" if number else "judging"
        if self._console.width < NARROW:
            return Text(f"{running.seat.tool} {elapsed}\n  {running.doing}", overflow="ellipsis", no_wrap=True)
        row = Table.grid(padding=(0, 2), expand=True)
        row.add_column(no_wrap=True)
        row.add_column(no_wrap=True)
        row.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        style = _STYLES.get(running.seat.role, "none")
        row.add_row(
            Text(f"{running.seat.tool} ({part})", style=f"bold {style}"),
            Text(elapsed),
            Text(running.doing, style="dim"),
        )
        return row

    def _totals(self) -> RenderableType:
        rehearsal = self._record and self._record.opened.rehearsal
        told = "rehearsal: no model is asked" if rehearsal else spent(self._record) if self._record else ""
        return Text(told, style="dim", overflow="ellipsis", no_wrap=True)
