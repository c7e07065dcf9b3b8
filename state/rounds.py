"""Reading rounds off a record, in the order of the rounds, whatever order the turns arrived in."""

from dataclasses import dataclass

from state.clean import one_line
from state.models import Envelope, Key, Seat, TurnEnded
from state.record import Record

ROUND = "round-"
_DIGITS = 10


@dataclass(frozen=True)
class Turn:
    """What the seat that was asked said in one round, or how it failed."""

    round: int
    seat: Seat
    key: Key
    envelope: Envelope

    @property
    def failed(self) -> bool:
        return self.envelope.failure is not None


def step_of(number: int) -> str:
    """The name of the step that a round is in the record."""
    return f"{ROUND}{number}"


def round_of(key: Key) -> int | None:
    """The number of the round that a call belongs to, or None for judging."""
    number = key.step.removeprefix(ROUND)
    return int(number) if key.step.startswith(ROUND) and number.isdecimal() and len(number) < _DIGITS else None


def turns(record: Record) -> list[Turn]:
    """Every turn that counts: speeches of any run, failures of the latest one."""
    numbers = {round_of(event.key) for event in record.events if isinstance(event, TurnEnded)}
    found: list[Turn] = []
    for number in sorted(number for number in numbers if number):
        for seat in record.seats:
            ended = record.turn(step_of(number), seat.role)
            if ended:
                found.append(Turn(number, record.asked(ended.key), ended.key, ended.envelope))
    return found


def speeches(record: Record) -> list[Turn]:
    """The turns that succeeded."""
    return [turn for turn in turns(record) if not turn.failed]


def rounds_completed(record: Record) -> int:
    """How many rounds have a speech of every seat."""
    spoken = {(t.round, t.seat.role) for t in speeches(record)}
    number = 0
    while all((number + 1, seat.role) in spoken for seat in record.seats):
        number += 1
    return number


def headline(record: Record) -> str:
    """The state of the run in one line: complete, or what is missing and why."""
    failed = [turn for turn in turns(record) if turn.failed]
    if failed:
        return f"incomplete: {'; '.join(_how_failed(turn) for turn in failed)}"
    reason = record.ended.reason if record.ended else None
    return f"{record.status}: {one_line(reason, 300)}" if reason else record.status


def _how_failed(turn: Turn) -> str:
    kind = turn.envelope.failure.kind.replace("_", " ") if turn.envelope.failure else ""
    how = "timed out" if kind == "timed out" else "failed"
    return f"{turn.seat.tool} {how} in round {turn.round}" + ("" if how == kind else f" ({kind})")
