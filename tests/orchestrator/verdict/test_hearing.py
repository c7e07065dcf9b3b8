"""What a judge is given: names without meaning, both orders, every speech."""

import pytest

from orchestrator.verdict import hearing as module
from orchestrator.verdict.hearing import hearing
from state.models import Envelope, TurnEnded
from state.record import Record
from tests.orchestrator.playing import NOW, answer, opened, play

ALL_NAMES = " ".join(module._NAMES)


def spoken(topic: str = "x?", words: str = "I hold this.", seed: str = "seed-1") -> Record:
    record = opened(rounds=2, topic=topic, seed=seed, judge="none", panels=())
    return play(record, lambda speech, _: answer(speech, words))


def test_names_are_drawn_anew_for_each_debate_and_judge_and_can_be_derived_again() -> None:
    drawn = [hearing(spoken(seed=str(n)), "4-codex", chair).labels for n in range(20) for chair in range(2)]
    assert len(set(drawn)) > 30
    assert drawn == [hearing(spoken(seed=str(n)), "4-codex", chair).labels for n in range(20) for chair in range(2)]


def test_who_is_shown_first_is_drawn_and_the_next_judge_sees_the_other_first() -> None:
    firsts = [hearing(spoken(seed=str(n)), "4-codex", 0).order[0] for n in range(40)]
    assert 10 <= firsts.count("proposer") <= 30
    for n in range(10):
        orders = [hearing(spoken(seed=str(n)), "4-codex", chair).order for chair in range(3)]
        assert orders[0] == orders[2] == tuple(reversed(orders[1]))


@pytest.mark.parametrize("where", ["topic", "words"])
def test_a_name_that_the_debate_uses_itself_is_not_given_to_a_side(where: str) -> None:
    labels = hearing(spoken(**{where: f"About {ALL_NAMES.lower()}"}), "4-codex", 0).labels
    assert len(set(labels)) == 2
    assert not set(labels) & set(ALL_NAMES.split())


def test_speech_numbers_do_not_clash_with_words_of_the_debate() -> None:
    assert next(iter(hearing(spoken("Is turn-1 better than speech-to-text?"), "4-codex", 0).speeches)) == "turn1-1"


def test_speeches_are_numbered_as_they_were_spoken_and_shown_round_by_round_in_the_judges_order() -> None:
    record = spoken()
    for chair in range(2):
        heard = hearing(record, "4-codex", chair)
        shown = module.judging(record, record.next_key("judging", "judge-1"), heard)["transcript"]
        first, second = ("turn-1", "turn-2") if heard.order[0] == "proposer" else ("turn-2", "turn-1")
        assert [turn["id"] for turn in shown][:2] == [first, second]
        assert [turn["round"] for turn in shown] == [1, 1, 2, 2]


def test_hidden_characters_of_a_speech_do_not_reach_the_judge() -> None:
    record = opened(rounds=1)
    key = record.next_key("round-1", "proposer")
    hidden = "I\u202e hold\x1b]0;title\x07 \x1b[31mthis\u200b.\U000e0041"
    record = record.after(TurnEnded(at=NOW, key=key, envelope=Envelope(tool="claude", response=hidden)))
    assert next(iter(hearing(record, "1-codex", 0).speeches.values())).text == "I hold this."
