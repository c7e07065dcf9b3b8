"""Progress as plain lines on stderr: without a terminal, in CI, or when asked for."""

import time
from collections.abc import Callable

from orchestrator import lines
from orchestrator.events import Activity, Happening, Retrying, Warned
from state.clean import clean, for_ci
from state.models import Ended, Opened, Resumed, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import round_of

SIGN_OF_LIFE_S = 15.0


class Plain:
    """Writes each happening as the contract's lines. `write` writes one text and its newline.

    `quiet`: warnings and errors only. `verbose`: all activity. `ci`: lines that a CI log would execute are made harmless.
    """

    def __init__(self, write: Callable[[str], None], *, quiet: bool, verbose: bool, ci: bool) -> None:
        self._write = write
        self._quiet = quiet
        self._verbose = verbose
        self._ci = ci
        self._last = time.monotonic()

    def tell(self, record: Record, happening: Happening) -> None:
        """Say what this happening means to a person, if anything."""
        for line in self._lines(record, happening):
            if self._quiet and line.startswith("[INFO]"):
                continue
            self._write(for_ci(line) if self._ci else line)
            self._last = time.monotonic()

    def _lines(self, record: Record, happening: Happening) -> list[str]:
        match happening:
            case Opened() | Resumed():
                return [lines.plan(record)]
            case TurnStarted(key=key):
                return [lines.running(record, key)]
            case Activity():
                return self._sign_of_life(record, happening)
            case Retrying():
                return [lines.trying_again(record, happening)]
            case TurnEnded():
                return self._turn(record, happening)
            case Warned(text=text, grave=grave):
                return [lines.error(text) if grave else lines.warned(text)]
            case Ended():
                return lines.ended(record, happening)

    def _sign_of_life(self, record: Record, activity: Activity) -> list[str]:
        if not self._verbose and time.monotonic() - self._last < SIGN_OF_LIFE_S:
            return []
        return [lines.at_work(record, activity)]

    def _turn(self, record: Record, turn: TurnEnded) -> list[str]:
        if turn.envelope.failure:
            return lines.failed(record, turn)
        notes = [lines.warned(note) for note in turn.envelope.notes]
        if self._quiet or round_of(turn.key) is None:
            return notes
        return [lines.header(record, turn.key), clean(turn.envelope.response or ""), *notes]
