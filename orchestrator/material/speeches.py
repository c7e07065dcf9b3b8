"""The speeches of a debate, read off its record."""

from dataclasses import dataclass

from orchestrator.material.fence import harmless
from state.failures import FailureKind
from state.models import Failure, Resumed, Seat
from state.record import Record
from state.rounds import speeches

ROLES = ("proposer", "challenger")


@dataclass(frozen=True)
class Spoken:
    """A speech that was made. `text` is cleaned: as prompts show it and as quotations are checked against."""

    round: int
    role: str
    text: str


def spoken(record: Record) -> tuple[Spoken, ...]:
    """Every speech so far, in the order of speaking."""
    return tuple(Spoken(t.round, t.seat.role, harmless(t.envelope.response or "")) for t in speeches(record))


def run_began(record: Record) -> int:
    """The index of the event with which the latest run began: failures before it are forgiven."""
    resumes = (index for index, event in enumerate(record.events) if isinstance(event, Resumed))
    return max(resumes, default=0)


def said(failure: Failure, seat: Seat) -> str:
    """How a call failed, as the rest of a sentence that begins with who failed."""
    if failure.kind is FailureKind.TIMED_OUT:
        return f"timed out after {seat.timeout_s:g}s"
    return f"failed: {failure.kind}: {failure.message}"
