"""From ballots to a verdict: majorities, the burden of proof, sureness, and names for the person."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.formats.spec import Speech
from orchestrator.verdict.tally import BURDEN
from state.models import Seat, Verdict
from tests.orchestrator.playing import AUTO, CODEX, COPILOT, answer, ballot, judging, opened, play, well

THREE = ((COPILOT, CODEX, Seat(role="judge", tool="opencode")),)


def verdict(votes: dict[str, str], panels: Any = AUTO, rounds: int = 1, **changes: Any) -> Verdict:
    """The verdict when each judge votes as told."""
    return judged(lambda s: ballot(s, votes[s.seat.tool], **changes), panels, rounds)


def judged(write: Callable[[Speech], dict[str, Any]], panels: Any = AUTO, rounds: int = 1) -> Verdict:
    record = play(opened(rounds, panels), judging(lambda s: json.dumps(write(s))))
    assert record.verdict is not None
    return record.verdict


def test_the_winner_is_the_tool_of_the_side_that_the_judge_named() -> None:
    assert verdict({"copilot": "proposer"}).winner == "claude"
    assert verdict({"copilot": "challenger"}).winner == "gemini"


def test_the_majority_wins_and_every_vote_is_shown_with_its_order() -> None:
    found = verdict({"copilot": "challenger", "codex": "proposer", "opencode": "proposer"}, THREE)
    assert found.winner == "claude"
    assert [(v.judge, v.winner) for v in found.votes] == [
        ("copilot", "gemini"),
        ("codex", "claude"),
        ("opencode", "claude"),
    ]
    assert found.votes[0].order == found.votes[2].order == tuple(reversed(found.votes[1].order))
    assert found.confidence == "medium"


def test_a_split_goes_to_the_challenger_without_confidence() -> None:
    found = verdict({"claude": "proposer", "gemini": "challenger"}, AUTO[2:])
    assert (found.winner, found.confidence) == ("gemini", "low")
    assert BURDEN in found.notes
    assert len(found.votes) == 2


@pytest.mark.parametrize(
    ("panels", "said", "sure"),
    [
        (AUTO, "high", "medium"),
        (AUTO, "low", "low"),
        (AUTO[2:], "high", "high"),
        (AUTO[2:], "medium", "medium"),
        (THREE, "high", "high"),
    ],
)
def test_confidence_is_bounded_by_who_agrees_whatever_judges_say(panels: Any, said: str, sure: str) -> None:
    voters = ["copilot", "codex", "opencode", "claude", "gemini"]
    assert verdict(dict.fromkeys(voters, "proposer"), panels, confidence=said).confidence == sure


def test_judges_who_debated_themselves_are_named() -> None:
    found = verdict({"claude": "proposer", "gemini": "proposer"}, AUTO[2:])
    assert "Judged by those who debated, each on its own speeches too: claude, gemini." in found.notes
    assert not verdict({"copilot": "proposer"}).notes


def quoting(*quotes: str) -> Verdict:
    def write(speech: Speech) -> dict[str, Any]:
        return ballot(speech, decisive=[{"speech": "turn-2", "quote": q, "why": "It settles it."} for q in quotes])

    return judged(write)


def test_quotations_are_looked_up_in_the_speech_that_they_name() -> None:
    found = quoting("I hold this.", "I never said this.", "")
    assert [(c.speech, c.found, c.why) for c in found.citations] == [
        ("round 1 (gemini)", True, "It settles it."),
        ("round 1 (gemini)", False, "It settles it."),
        ("round 1 (gemini)", None, "It settles it."),
    ]
    assert "copilot quotes words that the named speech does not hold (1 of 2 quotations)." in found.notes


def test_words_of_the_other_side_are_no_quotation_from_this_one() -> None:
    assert quoting("claude-round-1").citations[0].found is False


def test_a_judge_who_only_invents_quotations_convinces_nobody() -> None:
    assert quoting("I never said this.").confidence == "low"


def test_people_read_the_tools_names_and_whole_words_only() -> None:
    def write(speech: Speech) -> dict[str, Any]:
        first, second = (turn["side"] for turn in sorted(speech.values["transcript"], key=lambda t: t["id"]))
        said = f"{first}'s case in turn-1 beats {second.upper()}，而{second}的第二点（turn-2）不成立；"
        said += f"{first}ine and turn-12 stay."
        positions = {first: f"{first} says yes", second: "no"}
        return ballot(
            speech,
            "proposer",
            reasoning=said,
            disagreements=[{"point": second, "positions": positions}],
            unresolved=[" ", first],
        )

    found = judged(write)
    assert found.reasoning.startswith(
        "claude's case in round 1 (claude) beats gemini，而gemini的第二点（round 1 (gemini)）不成立；"
    )
    assert found.reasoning.endswith("ine and turn-12 stay.")
    assert "claudeine" not in found.reasoning
    assert [(p.tool, p.position) for p in found.disagreements[0].positions] == [
        ("claude", "claude says yes"),
        ("gemini", "no"),
    ]
    assert found.disagreements[0].point == "gemini"
    assert found.unresolved == ("claude",)
    assert found.votes[0].reasoning == found.reasoning


def test_a_quotation_stays_as_the_judge_wrote_it() -> None:
    def write(speech: Speech) -> dict[str, Any]:
        quote = f"{speech.values['sides'][0]} in turn-1"
        return ballot(speech, decisive=[{"speech": "turn-1", "quote": quote, "why": "w"}])

    calls: list[Speech] = []
    record = play(
        opened(1), lambda s, t: well(s, t) if s.key.step.startswith("round") else answer(s, json.dumps(write(s))), calls
    )
    assert record.verdict is not None
    assert record.verdict.citations[0].quote == f"{calls[-1].values['sides'][0]} in turn-1"


def test_a_judges_words_are_harmless_on_a_terminal_and_in_a_line() -> None:
    found = judged(lambda s: ballot(s, reasoning="It\x1b]0;title\x07 is \u202eproven.", unresolved=["a\x1b[2Jb"]))
    assert found.reasoning == "It is proven."
    assert found.unresolved == ("ab",)
