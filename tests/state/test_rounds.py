"""Rounds as they are read off a record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.failures import FailureKind
from state.models import Ended, Key
from state.record import Record
from state.rounds import headline, round_of, rounds_completed, speeches, step_of, turns
from tests.orchestrator.playing import NOW, failing, opened, play, resumed
from tests.state.test_record import OTHER, begun, over

SEATS = ("proposer", "challenger")


@given(st.integers(1, 10**8))
def test_the_number_of_a_round_is_read_from_the_name_of_its_step(number: int) -> None:
    assert round_of(Key(step=step_of(number), seat="proposer")) == number


@pytest.mark.parametrize(
    "step", ["judging", "round-", "round-x", "round--1", "round-1.5", "round-²", "round-" + "9" * 99]
)
def test_other_steps_are_of_no_round(step: str) -> None:
    assert round_of(Key(step=step, seat="proposer")) is None


@given(st.permutations([(number, seat) for number in (1, 2, 3) for seat in SEATS]), st.integers(0, 6))
def test_turns_are_told_in_the_order_of_the_rounds_whatever_order_they_arrived_in(
    arrived: list[tuple[int, str]], how_many: int
) -> None:
    record = opened(3)
    for number, seat in arrived[:how_many]:
        record = record.after(begun(step_of(number), seat), over(step_of(number), seat))
    there = arrived[:how_many]
    assert [(t.round, t.key.seat) for t in turns(record)] == sorted(there, key=lambda t: (t[0], SEATS.index(t[1])))
    complete = [number for number in (1, 2, 3) if all((number, seat) in there for seat in SEATS)]
    in_a_row = next((done for done in range(4) if done + 1 not in complete), 3)
    assert rounds_completed(record) == in_a_row


def test_a_failure_is_a_turn_of_its_run_and_never_a_speech() -> None:
    record = play(opened(), failing("round-2", "challenger"))
    assert [turn.failed for turn in turns(record)] == [False, False, False, True]
    assert (len(speeches(record)), rounds_completed(record)) == (3, 1)
    assert [turn.failed for turn in turns(resumed(record))] == [False] * 3


def test_a_speech_stays_with_the_tool_that_gave_it() -> None:
    record = resumed(play(opened(1)), seats=(opened().seats[0], OTHER))
    assert [turn.seat.tool for turn in speeches(record)] == ["claude", "gemini"]


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (opened(), "running"),
        (play(opened()), "completed"),
        (play(opened(), failing("round-2", "challenger")), "incomplete: gemini failed in round 2 (crashed)"),
        (
            play(opened(), failing("round-1", "proposer", FailureKind.TIMED_OUT)),
            "incomplete: claude timed out in round 1",
        ),
        (opened().after(Ended(at=NOW, status="interrupted", reason="Stopped\nhere.")), "interrupted: Stopped here."),
        (play(resumed(play(opened(), failing("round-2")))), "completed"),
    ],
)
def test_the_headline_says_in_one_line_how_it_stands(record: Record, line: str) -> None:
    assert headline(record) == line
