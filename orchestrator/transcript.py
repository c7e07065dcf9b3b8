"""Reading a debate's turns off its record, in the order of the rounds, whatever order they arrived in."""

from dataclasses import dataclass

from state.models import Envelope, Key, Seat
from state.record import Record

ROUND = "round-"


@dataclass(frozen=True)
class Turn:
    """What one seat said in one round, or how it failed."""

    round: int
    seat: Seat
    envelope: Envelope

    @property
    def failed(self) -> bool:
        return self.envelope.failure is not None


def round_of(key: Key) -> int | None:
    """The number of the round that a call belongs to, or None for judging."""
    return int(key.step.removeprefix(ROUND)) if key.step.startswith(ROUND) else None


def turns(record: Record) -> list[Turn]:
    """Every turn that counts: speeches of any run, failures of the latest one."""
    found: list[Turn] = []
    for number in range(1, record.settings.rounds + 1):
        for seat in record.seats:
            ended = record.turn(f"{ROUND}{number}", seat.role)
            if ended:
                found.append(Turn(number, seat, ended.envelope))
    return found


def rounds_completed(record: Record) -> int:
    """How many rounds have a speech of every seat."""
    spoken = {(t.round, t.seat.role) for t in turns(record) if not t.failed}
    number = 0
    while all((number + 1, seat.role) in spoken for seat in record.seats):
        number += 1
    return number
