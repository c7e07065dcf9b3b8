"""The speeches of a debate, read off its record."""

from dataclasses import dataclass

from orchestrator.fence import harmless
from state.failures import FailureKind
from state.models import Failure, Seat
from state.record import Record

ROLES = ("proposer", "challenger")


@dataclass(frozen=True)
class Spoken:
    """A speech that was made. `text` is cleaned: as prompts show it and as quotations are checked against."""

    round: int
    role: str
    text: str


def step_of(round_number: int) -> str:
    """The name of the step that a round is in the record."""
    return f"round-{round_number}"


def spoken(record: Record) -> tuple[Spoken, ...]:
    """Every speech so far, in the order of speaking."""
    rounds = range(1, record.settings.rounds + 1)
    turns = ((number, role, record.turn(step_of(number), role)) for number in rounds for role in ROLES)
    return tuple(
        Spoken(number, role, harmless(turn.envelope.response or ""))
        for number, role, turn in turns
        if turn and turn.envelope.failure is None
    )


def rounds_completed(record: Record) -> int:
    """How many rounds both sides have spoken in."""
    made = {(speech.round, speech.role) for speech in spoken(record)}
    return sum(all((number, role) in made for role in ROLES) for number in {n for n, _ in made})


def said(failure: Failure, seat: Seat) -> str:
    """How a call failed, as the rest of a sentence that begins with who failed."""
    if failure.kind is FailureKind.TIMED_OUT:
        return f"timed out after {seat.timeout_s:g}s"
    return f"failed: {failure.kind}: {failure.message}"
