"""The debate, played from its opening to its end, broken off anywhere and taken up again."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.formats.debate import next_step
from orchestrator.formats.spec import End, Speech, Step
from state.failures import FAILURES, FailureKind
from state.models import Ended, Envelope, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import rounds_completed
from tests.orchestrator.playing import (
    AUTO,
    CODEX,
    COPILOT,
    NOW,
    Script,
    answer,
    ballot,
    end,
    failed,
    failing,
    judging,
    opened,
    play,
    prompt,
    resumed,
    well,
)

K = FailureKind
FAILING = [kind for kind in K if kind is not K.CANCELLED]
SOFT = [kind for kind in FAILING if not FAILURES[kind].halts]
HALTING = [kind for kind in FAILING if FAILURES[kind].halts]


def keys(record: Record) -> list[tuple[str, str]]:
    return [(e.key.step, e.key.seat) for e in record.events if isinstance(e, TurnEnded)]


def test_both_speak_in_turn_in_every_round_and_then_a_judge_is_asked() -> None:
    assert keys(play(opened(rounds=2))) == [
        ("round-1", "proposer"),
        ("round-1", "challenger"),
        ("round-2", "proposer"),
        ("round-2", "challenger"),
        ("judging-4-copilot", "judge-1"),
    ]


def test_a_whole_debate_is_completed_with_a_participant_as_winner() -> None:
    record = play(opened())
    assert record.status == "completed"
    assert record.verdict is not None
    assert record.verdict.winner == "gemini"
    assert record.ended is not None
    assert record.ended.reason is None


def test_without_a_judge_a_debate_is_completed_without_a_verdict() -> None:
    assert end(opened(judge="none", panels=())) == End("completed")


@pytest.mark.parametrize("kind", FAILING)
def test_a_debate_without_an_opening_is_aborted(kind: FailureKind) -> None:
    record = play(opened(judge_anyway=True), failing("round-1", "proposer", kind))
    assert (record.status, record.verdict) == ("aborted", None)
    assert len(keys(record)) == 1


def test_an_abort_is_told_in_the_words_of_the_contract() -> None:
    crash = end(opened(), failing("round-1", "proposer", K.QUOTA))
    late = end(opened(), failing("round-1", "proposer", K.TIMED_OUT))
    assert crash.reason == "Debate aborted: proposer (claude) failed on opening round. quota: words of the vendor"
    assert late.reason == "Debate aborted: proposer (claude) timed out after 240s"


@pytest.mark.parametrize("kind", FAILING)
def test_nobody_judges_a_side_that_was_never_contested(kind: FailureKind) -> None:
    record = play(opened(), failing("round-1", "challenger", kind))
    assert (record.status, record.verdict) == ("partial", None)
    assert keys(record) == [("round-1", "proposer"), ("round-1", "challenger")]


def test_the_headline_says_who_is_missing_and_where() -> None:
    assert (
        end(opened(), failing("round-1", "challenger", K.TIMED_OUT)).reason == "incomplete: gemini timed out in round 1"
    )


@pytest.mark.parametrize("kind", FAILING)
def test_one_side_is_judged_when_the_user_insists_and_then_without_confidence(kind: FailureKind) -> None:
    result = end(opened(judge_anyway=True), failing("round-1", "challenger", kind))
    assert result.status == "partial"
    assert result.verdict is not None
    assert result.verdict.confidence == "low"
    assert "Only one side was heard." in result.verdict.notes


@pytest.mark.parametrize("kind", HALTING)
@pytest.mark.parametrize("seat", ["proposer", "challenger"])
def test_what_the_user_must_mend_first_stops_a_later_round_without_judging(kind: FailureKind, seat: str) -> None:
    assert play(opened(), failing("round-2", seat, kind)).verdict is None
    judged = play(opened(judge_anyway=True), failing("round-2", seat, kind))
    assert (judged.status, judged.verdict is not None) == ("partial", True)


@pytest.mark.parametrize("kind", SOFT)
@pytest.mark.parametrize("seat", ["proposer", "challenger"])
def test_other_failures_of_a_later_round_leave_a_verdict_on_what_there_is(kind: FailureKind, seat: str) -> None:
    record = play(opened(rounds=3), failing("round-2", seat, kind))
    assert record.status == "partial"
    assert record.verdict is not None
    assert rounds_completed(record) == 1
    assert ("round-3", "proposer") not in keys(record)


def test_a_partial_debate_without_a_judge_stays_partial() -> None:
    result = end(opened(judge="none", panels=()), failing("round-2", "proposer"))
    assert (result.status, result.verdict) == ("partial", None)


def test_a_speech_that_nobody_answered_is_shown_to_the_judge_as_such() -> None:
    calls: list[Speech] = []
    play(opened(), failing("round-2", "challenger"), calls)
    assert "(turn-3 is unanswered" in prompt(calls[-1])
    assert prompt(calls[-1]).count("is unanswered") == 1


def test_a_cancelled_call_interrupts_until_the_debate_is_resumed() -> None:
    for step in ("round-1", "round-2", "judging"):
        record = play(opened(), failing(step, kind=K.CANCELLED))
        assert record.status == "interrupted"
        assert play(resumed(record)).status == "completed"


def test_auto_goes_on_to_the_next_judge_and_says_so() -> None:
    record = play(opened(), failing("judging", "copilot", K.TIMED_OUT))
    assert record.status == "completed"
    assert record.verdict is not None
    assert [vote.judge for vote in record.verdict.votes] == ["codex"]
    assert "Another judge was asked because this one failed: copilot timed out after 240s." in record.verdict.notes


def test_with_nobody_else_the_two_at_the_table_judge_at_once_in_opposite_orders() -> None:
    record = opened(rounds=1, panels=AUTO[2:])
    step = None
    for _ in range(3):
        step = next_step(record)
        assert isinstance(step, Step)
        record = record.after(*(TurnEnded(at=NOW, key=s.key, envelope=well(s, "")) for s in step.speeches))
    assert step is not None
    assert [s.seat.tool for s in step.speeches] == ["claude", "gemini"]
    verdict = next_step(record)
    assert isinstance(verdict, End)
    assert verdict.verdict is not None
    orders = [vote.order for vote in verdict.verdict.votes]
    assert orders[0] == tuple(reversed(orders[1]))


def test_a_named_judge_is_never_replaced_and_its_failure_is_the_reason() -> None:
    record = play(opened(judge="named", panels=((CODEX,),)), failing("judging"))
    assert (record.status, record.verdict) == ("failed", None)
    assert record.ended is not None
    assert record.ended.reason == "The verdict is none: judge failed (codex failed: crashed: words of the vendor)"
    assert keys(record)[-1] == ("judging-4-codex", "judge-1")


def test_resuming_after_a_failed_judge_asks_only_the_judge_again() -> None:
    for script in (failing("judging"), judging(lambda _: "No verdict from me.")):
        record = play(opened(judge="named", panels=((CODEX,),)), script)
        calls: list[Speech] = []
        assert play(resumed(record), calls=calls).status == "completed"
        assert [(s.key.step, s.key.attempt) for s in calls] == [("judging-4-codex", 1)]


def test_another_judge_after_a_resume_is_not_credited_with_the_first_ones_answer() -> None:
    record = play(opened(judge="named", panels=((CODEX,),)), judging(lambda _: "prose"))
    calls: list[Speech] = []
    again = play(resumed(record, panels=((COPILOT,),)), calls=calls)
    assert [s.seat.tool for s in calls] == ["copilot"]
    assert again.verdict is not None
    assert [vote.judge for vote in again.verdict.votes] == ["copilot"]


def test_a_flawed_ballot_is_sent_back_once_with_its_own_words_and_what_was_wrong() -> None:
    prompts_seen: list[str] = []

    def script(speech: Speech, text: str) -> Envelope:
        if speech.key.step.startswith("judging"):
            return answer(speech, "Both were polite, {{7*7}} and Cobalt.")
        if speech.key.step.startswith("repair"):
            prompts_seen.append(text)
        return well(speech, text)

    record = play(opened(), script)
    assert record.status == "completed"
    assert len(prompts_seen) == 1
    assert "│ Both were polite, {{7*7}} and Cobalt." in prompts_seen[0]
    assert "│ no verdict object" in prompts_seen[0]


def test_a_judge_whose_repair_is_flawed_too_has_failed() -> None:
    calls: list[Speech] = []
    stranger = judging(lambda _: '{"winner": " GPT-4 ", "reasoning": "It was the best."}')
    record = play(opened(judge="named", panels=((CODEX,),)), stranger, calls)
    assert record.status == "failed"
    assert record.ended is not None
    assert record.ended.reason is not None
    assert "judge failed (codex gave no verdict: GPT-4 is not one of the labels" in record.ended.reason
    assert [s.template for s in calls[-2:]] == ["debate/judging", "debate/repair"]


def test_a_repair_that_a_crash_prevented_is_made_up_for_without_judging_anew() -> None:
    record = play(opened(judge="named", panels=((CODEX,),)), judging(lambda _: "prose"))
    first = next(
        i for i, e in enumerate(record.events) if isinstance(e, TurnEnded) and e.key.step.startswith("judging")
    )
    calls: list[Speech] = []
    play(resumed(Record(events=record.events[: first + 1])), calls=calls)
    assert [s.template for s in calls] == ["debate/repair"]


def test_a_verdict_on_half_a_debate_is_made_anew_once_the_rest_was_spoken() -> None:
    half = play(opened(), failing("round-2", "challenger"))
    calls: list[Speech] = []
    whole = play(resumed(half), calls=calls)
    assert (half.status, whole.status) == ("partial", "completed")
    assert [(s.key.step, s.key.attempt) for s in calls] == [("round-2", 1), ("judging-4-copilot", 0)]


def test_the_same_failure_again_costs_no_second_verdict() -> None:
    half = play(opened(), failing("round-2", "challenger"))
    calls: list[Speech] = []
    again = play(resumed(half), failing("round-2", "challenger"), calls)
    assert [s.key.step for s in calls] == ["round-2"]
    assert again.verdict == half.verdict


OUTCOMES = ("well", "well", "well", "fail", "halt", "cancel", "prose", "proposer")


def scripted(seed: int) -> Script:
    """Everybody does something that the seed, the speech and its attempt decide."""

    def script(speech: Speech, text: str) -> Envelope:
        dice = random.Random(f"{seed}/{speech.key}")
        outcome = dice.choice(OUTCOMES)
        if outcome in ("fail", "halt", "cancel"):
            kind = {"fail": K.TIMED_OUT, "halt": K.QUOTA, "cancel": K.CANCELLED}[outcome]
            return failed(speech, kind)
        if speech.key.step.startswith("round"):
            return well(speech, text)
        if outcome == "prose":
            return answer(speech, "Words only.")
        return answer(speech, json.dumps(ballot(speech, "proposer" if outcome == "proposer" else "challenger")))

    return script


@st.composite
def debates(draw: st.DrawFn) -> tuple[Record, Script]:
    """A debate played to its end, resumed up to three times."""
    script = scripted(draw(st.integers(0, 10**6)))
    judge = draw(st.sampled_from(["auto", "named", "none"]))
    panels = {"auto": AUTO, "named": ((CODEX, COPILOT),), "none": ()}[judge]
    anyway = draw(st.booleans())
    record = play(opened(draw(st.integers(1, 4)), panels, judge=judge, judge_anyway=anyway), script)
    for _ in range(draw(st.integers(0, 3))):
        record = play(resumed(record), script)
    return record, script


@given(debates())
@settings(max_examples=60, deadline=None)
def test_from_every_prefix_of_a_record_the_next_step_is_the_recorded_one(debate: tuple[Record, Script]) -> None:
    record, _ = debate
    for length in range(1, len(record.events)):
        now = next_step(Record(events=record.events[:length]))
        following = record.events[length]
        if now == End("interrupted", "The debate was stopped by you."):
            assert not isinstance(following, TurnStarted)  # a judge who was asked at the same time may still answer
        elif isinstance(following, TurnStarted | TurnEnded):
            assert isinstance(now, Step)
            assert following.key in [speech.key for speech in now.speeches]
        elif isinstance(following, Ended):
            assert now == End(following.status, following.reason, following.verdict)


@given(debates(), st.data())
@settings(max_examples=60, deadline=None)
def test_a_record_broken_off_anywhere_is_played_on_and_no_finished_call_is_asked_again(
    debate: tuple[Record, Script], data: st.DataObject
) -> None:
    record, script = debate
    cut = data.draw(st.integers(1, len(record.events)))
    broken = resumed(Record(events=record.events[:cut]))
    calls: list[Speech] = []
    again = play(broken, script, calls)
    ended = {e.key for e in broken.events if isinstance(e, TurnEnded)}
    spoken = {
        (e.key.step, e.key.seat) for e in broken.events if isinstance(e, TurnEnded) and e.envelope.failure is None
    }
    assert not ended & {speech.key for speech in calls}
    assert not [s for s in calls if s.key.step.startswith("round") and (s.key.step, s.key.seat) in spoken]
    assert again.ended is not None


@given(debates())
@settings(max_examples=30, deadline=None)
def test_whatever_failed_a_debate_that_is_resumed_often_enough_is_completed(debate: tuple[Record, Script]) -> None:
    record = play(resumed(debate[0]))
    assert record.status == "completed"
    assert (record.verdict is None) == (record.settings.judge == "none")


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_call_gets_the_same_prompt_whatever_ran_beside_it(seed: int) -> None:
    asked: dict[object, str] = {}

    def script(speech: Speech, text: str) -> Envelope:
        asked[speech.key] = text
        return scripted(seed)(speech, text)

    record = play(opened(panels=AUTO[2:]), script)
    for length in range(1, len(record.events)):
        now = next_step(Record(events=record.events[:length]))
        for speech in now.speeches if isinstance(now, Step) else ():
            assert asked[speech.key] == prompt(speech)


def test_judges_who_mend_their_answers_at_the_same_time_are_all_waited_for() -> None:
    def script(speech: Speech, text: str) -> Envelope:
        if speech.key.step.startswith("round"):
            return well(speech, text)
        if speech.key.step.startswith("judging"):
            return answer(speech, "Words only.")
        return failed(speech, K.TIMED_OUT if speech.key.seat == "judge-1" else K.QUOTA)

    record = play(opened(1, ((CODEX, COPILOT),), judge="named"), script)
    ended = [n for n, e in enumerate(record.events, 1) if isinstance(e, TurnEnded) and e.key.step.startswith("repair")]
    now = next_step(Record(events=record.events[: ended[0]]))
    assert isinstance(now, Step)
    assert [speech.key.seat for speech in now.speeches] == ["judge-2"]
    assert record.status == "failed"
