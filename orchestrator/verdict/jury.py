"""The jury: which judges are asked in which panel, and what their ballots come to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.formats.spec import Speech, Step
from orchestrator.material.fence import harmless
from orchestrator.material.speeches import run_began, said, spoken
from orchestrator.verdict.ballot import Ballot, read_ballot
from orchestrator.verdict.hearing import Hearing, ballot_code, hearing, judging
from orchestrator.verdict.tally import Heard, tally
from state.models import Seat, TurnEnded, Verdict
from state.record import Record


@dataclass(frozen=True)
class NoVerdict:
    """Nobody who might judge gave a valid ballot; `reason` says why, judge by judge."""

    reason: str


@dataclass(frozen=True)
class Chair:
    """A juror's place. Its names are made of what is judged and by whom, so that a ballot counts for nothing else."""

    seat: Seat
    name: str
    ask: str
    repair: str
    hearing: Hearing


@dataclass(frozen=True)
class _Flawed:
    """An answer that is no ballot and may be mended once."""

    answer: str
    problem: str


@dataclass(frozen=True)
class _Lost:
    """A juror who cannot be had in this run. `mending`: lost while it mended its answer, as others did at the same time."""

    reason: str
    mending: bool = False


def judge(record: Record) -> Step | Verdict | NoVerdict:
    """What the verdict needs next, the verdict, or why there is none. Panels are tried in their order."""
    lost: list[str] = []
    for panel in record.panels:
        outcome = _sit(record, chairs(record, panel))
        if isinstance(outcome, Step):
            return outcome
        if isinstance(outcome, tuple):
            return tally(record, outcome, tuple(lost))
        lost.append(outcome.reason)
    return NoVerdict("; ".join(lost) or "there is nobody to judge")


def chairs(record: Record, panel: Sequence[Seat]) -> tuple[Chair, ...]:
    """The chairs of a panel for the speeches made so far."""
    case = f"{len(spoken(record))}-{'+'.join(_slug(seat) for seat in panel)}"
    return tuple(
        Chair(seat, f"judge-{number + 1}", f"judging-{case}", f"repair-{case}", hearing(record, case, number))
        for number, seat in enumerate(panel)
    )


def _slug(seat: Seat) -> str:
    words = f"{seat.tool} {seat.model or ''}".lower()
    return "-".join("".join(c if c.isascii() and (c.isalnum() or c in "._") else " " for c in words).split())


def _sit(record: Record, panel: Sequence[Chair]) -> Step | tuple[Heard, ...] | _Lost:
    """A panel asks all its judges at once, then those whose answer was flawed once more; one lost judge loses it."""
    found = [(chair, _standing(record, chair)) for chair in panel]
    if asked := tuple(_ask(record, chair) for chair, state in found if state is None):
        return Step(asked)
    lost = [state for _, state in found if isinstance(state, _Lost)]
    mended = tuple(_mend(record, chair, state) for chair, state in found if isinstance(state, _Flawed))
    if mended and all(state.mending for state in lost):
        return Step(mended)
    if lost:
        return _Lost("; ".join(state.reason for state in lost))
    return tuple(state for _, state in found if isinstance(state, Heard))


def _standing(record: Record, chair: Chair) -> Heard | _Flawed | _Lost | None:
    """How this juror stands. A valid ballot counts from any run; a failure only in the run that it happened in."""
    state: Heard | _Flawed | _Lost | None = None
    for turn, earlier in _turns(record, chair):
        result = _outcome(record, chair, turn)
        if isinstance(result, Heard):
            return result
        if isinstance(result, _Flawed) and turn.key.step == chair.repair:
            reason = f"{chair.seat.tool} gave no verdict: {result.problem}"
            state = None if earlier else _Lost(reason, mending=True)
        elif isinstance(result, _Flawed) or not earlier:
            state = result
    return state


def _turns(record: Record, chair: Chair) -> Iterator[tuple[TurnEnded, bool]]:
    begun = run_began(record)
    for index, event in enumerate(record.events):
        if (
            isinstance(event, TurnEnded)
            and event.key.seat == chair.name
            and event.key.step in (chair.ask, chair.repair)
        ):
            yield event, index < begun


def _outcome(record: Record, chair: Chair, turn: TurnEnded) -> Heard | _Flawed | _Lost:
    failure, answer = turn.envelope.failure, turn.envelope.response or ""
    if failure:
        return _Lost(f"{chair.seat.tool} {said(failure, chair.seat)}", mending=turn.key.step == chair.repair)
    heard = chair.hearing
    ballot = read_ballot(answer, heard.labels, ballot_code(record, turn.key, heard), heard.speeches)
    return Heard(ballot, chair.seat, turn.envelope, heard) if isinstance(ballot, Ballot) else _Flawed(answer, ballot)


def _ask(record: Record, chair: Chair) -> Speech:
    key = record.next_key(chair.ask, chair.name)
    return Speech(key, chair.seat, "debate/judging", judging(record, key, chair.hearing))


def _mend(record: Record, chair: Chair, flawed: _Flawed) -> Speech:
    key = record.next_key(chair.repair, chair.name)
    former = {"former": harmless(flawed.answer), "problem": harmless(flawed.problem)}
    return Speech(key, chair.seat, "debate/repair", {**judging(record, key, chair.hearing), **former})
