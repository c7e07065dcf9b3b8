"""The record: what can be read off a list of events, and which lists no run can have written."""

from typing import Any

import pytest

from state.failures import FailureKind
from state.models import Ended, Envelope, Failure, Key, Resumed, Seat, TurnEnded, TurnStarted
from state.record import Record
from tests.orchestrator.playing import CLAUDE, GEMINI, NOW, failing, opened, play, resumed

OTHER = Seat(role="challenger", tool="codex")
FIRST = ("round-1", "proposer")


def begun(step: str, seat: str, attempt: int = 0) -> TurnStarted:
    key = Key(step=step, seat=seat, attempt=attempt)
    return TurnStarted(at=NOW, key=key, seat=opened().seat(seat), prompt_sha256="0" * 64, prompt_bytes=1)


def over(step: str, seat: str, attempt: int = 0, response: str | None = "words") -> TurnEnded:
    """The end of a call: an answer, or with None a failure."""
    failure = None if response else Failure(kind=FailureKind.CRASHED, message="x")
    envelope = Envelope(tool="claude", response=response, failure=failure)
    return TurnEnded(at=NOW, key=Key(step=step, seat=seat, attempt=attempt), envelope=envelope)


def test_a_record_is_a_value_that_grows_by_making_a_new_one() -> None:
    record = opened()
    longer = record.after(begun(*FIRST))
    assert (len(record.events), len(longer.events)) == (1, 2)
    with pytest.raises(ValueError, match="frozen"):
        record.events = ()  # pyright: ignore[reportAttributeAccessIssue]  that is the point


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ((), "do not begin with the opening"),
        ((begun(*FIRST),), "do not begin with the opening"),
        ((opened().events[0], opened().events[0]), "more than one opening"),
        ((opened().events[0].model_copy(update={"seats": ()}),), "no seats"),
        ((opened().events[0], over(*FIRST)), r"end a call that none begins \(round-1, proposer\)"),
        ((opened().events[0], begun(*FIRST), over(*FIRST, attempt=1)), "end a call that none begins"),
    ],
)
def test_events_in_an_order_that_no_run_writes_are_refused(events: tuple[Any, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Record(events=events).check()


@pytest.mark.parametrize("script", [None, failing("round-1"), failing("round-2"), failing("judging")])
def test_whatever_a_run_writes_is_in_order_at_every_moment(script: Any) -> None:
    record = play(resumed(play(opened(), script) if script else play(opened())))
    for length in range(1, len(record.events) + 1):
        Record(events=record.events[:length]).check()


def test_an_answer_counts_for_ever_and_a_failure_until_the_next_resume() -> None:
    record = opened().after(begun(*FIRST), over(*FIRST, response=None))
    failed = record.turn(*FIRST)
    assert failed is not None
    assert failed.envelope.failure is not None
    assert record.next_key(*FIRST).attempt == 1
    again = resumed(record)
    assert again.turn(*FIRST) is None
    answered = again.after(begun(*FIRST, attempt=1), over(*FIRST, attempt=1))
    later = resumed(resumed(answered)).turn(*FIRST)
    assert later is not None
    assert later.envelope.response == "words"


def test_a_call_that_was_begun_and_never_ended_is_asked_again_under_its_key() -> None:
    record = resumed(opened().after(begun(*FIRST)))
    assert record.turn(*FIRST) is None
    assert record.next_key(*FIRST) == Key(step="round-1", seat="proposer", attempt=0)


def test_a_resume_changes_only_what_it_names_and_the_latest_one_holds() -> None:
    record = resumed(opened(), seats=(CLAUDE, OTHER))
    record = resumed(record, panels=())
    record = resumed(record, settings=record.settings.model_copy(update={"judge": "none"}))
    assert (record.seats, record.panels, record.settings.judge) == ((CLAUDE, OTHER), (), "none")
    assert resumed(record, seats=(CLAUDE, GEMINI)).seat("challenger") == GEMINI
    assert (opened().seat("challenger"), record.settings.rounds) == (GEMINI, 2)


def test_who_was_asked_stays_the_one_that_was_asked_though_the_seat_was_replaced() -> None:
    record = opened().after(begun("round-1", "challenger"), over("round-1", "challenger"))
    record = resumed(record, seats=(CLAUDE, OTHER))
    assert record.asked(Key(step="round-1", seat="challenger")) == GEMINI
    assert record.asked(Key(step="round-2", seat="challenger")) == OTHER


def test_a_run_is_over_only_while_its_end_is_the_last_event() -> None:
    record = play(opened())
    assert (record.status, record.verdict is not None, opened().status) == ("completed", True, "running")
    again = resumed(record)
    assert (again.ended, again.status, again.verdict) == (None, "running", None)
    assert [type(event) for event in again.after(Ended(at=NOW, status="open")).this_run] == [Resumed, Ended]
