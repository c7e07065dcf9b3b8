"""The debate: proposer and challenger in turn, round by round, then a jury that names a winner."""

from dataclasses import dataclass

from orchestrator.formats.spec import End, Format, Speech, Step
from orchestrator.material.context import briefing, news
from orchestrator.material.sessions import is_lost, session_of
from orchestrator.material.speeches import ROLES, run_began, said
from orchestrator.verdict.jury import NoVerdict, judge
from state.failures import FAILURES, FailureKind
from state.models import Failure, TurnEnded
from state.record import Record
from state.rounds import step_of


@dataclass(frozen=True)
class Stop:
    """The speech with which the rounds ended too early, and its failure."""

    round: int
    role: str
    tool: str
    failure: Failure

    @property
    def reason(self) -> str:
        """What is missing, for a person."""
        if self.failure.kind is FailureKind.TIMED_OUT:
            return f"incomplete: {self.tool} timed out in round {self.round}"
        return f"incomplete: {self.tool} failed in round {self.round}: {self.failure.kind}: {self.failure.message}"


def next_step(record: Record) -> Step | End:
    """What comes next in a debate, from its record alone."""
    if _cancelled(record):
        return End("interrupted", "The debate was stopped by you.")
    state = _floor(record)
    if isinstance(state, Speech):
        return Step((state,))
    if state and state.round == 1 and state.role == ROLES[0]:
        return End("aborted", _aborted(record, state))
    if record.settings.judge == "none" or (state and _unjudged(record, state)):
        return End("partial" if state else "completed", state.reason if state else None)
    return _judged(record, state)


def _cancelled(record: Record) -> bool:
    failures = (e.envelope.failure for e in record.events[run_began(record) :] if isinstance(e, TurnEnded))
    return any(failure is not None and failure.kind is FailureKind.CANCELLED for failure in failures)


def _floor(record: Record) -> Speech | Stop | None:
    """The speech that is due, the failure that stopped the rounds, or None when all have been spoken."""
    for number in range(1, record.settings.rounds + 1):
        for role in ROLES:
            turn = record.turn(step_of(number), role)
            if turn is None or is_lost(record, turn):
                return _speech(record, number, role)
            if turn.envelope.failure:
                return Stop(number, role, turn.envelope.tool, turn.envelope.failure)
    return None


def _speech(record: Record, number: int, role: str) -> Speech:
    key = record.next_key(step_of(number), role)
    first, later = {"proposer": ("opening", "defence"), "challenger": ("response", "followup")}[role]
    session = session_of(record, role)
    values = news(record, key, number) if session else briefing(record, key, number)
    return Speech(key, record.seat(role), f"debate/{first if number == 1 else later}", values, session)


def _aborted(record: Record, stop: Stop) -> str:
    if stop.failure.kind is FailureKind.TIMED_OUT:
        return f"Debate aborted: proposer ({stop.tool}) {said(stop.failure, record.seat(stop.role))}"
    return (
        f"Debate aborted: proposer ({stop.tool}) failed on opening round. {stop.failure.kind}: {stop.failure.message}"
    )


def _unjudged(record: Record, stop: Stop) -> bool:
    """Nobody judges one side alone, nor a debate that the user can soon go on with; unless asked to."""
    return not record.settings.judge_anyway and (stop.round == 1 or FAILURES[stop.failure.kind].halts)


def _judged(record: Record, stop: Stop | None) -> Step | End:
    outcome = judge(record)
    if isinstance(outcome, Step):
        return outcome
    missing = stop.reason if stop else None
    if isinstance(outcome, NoVerdict):
        none = f"The verdict is none: judge failed ({outcome.reason})"
        return End("failed", f"{missing}. {none}" if missing else none)
    return End("partial" if stop else "completed", missing, outcome)


DEBATE = Format(name="debate", roles=ROLES, next_step=next_step)
