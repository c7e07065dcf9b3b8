"""What the digest of old rounds keeps: passages word for word, and concessions only where a point was given up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.material.digest import LIMIT, concedes, digest, sentences, tokens
from orchestrator.material.speeches import Spoken

CONCEDED = [
    "I concede that latency is higher.",
    "I do concede the second point.",
    "I must admit that the index is missing.",
    "You are right about the lock.",
    "The challenger is right: the index is missing.",
    "That is a fair point.",
    "I withdraw claim 3.",
    "Conceded: the migration costs a day.",
    "I was wrong about the version.",
    "I cannot reproduce the number, but I concede that it is higher than mine.",
    "I concede that if the queue grows past 5000 jobs, Redis is faster.",
    "I agree that Redis is faster in memory.",
    "我承认延迟更高。",
    "我不得不承认这一点。",
    "对方说得对，索引确实缺失。",
    "我收回第三点。",
    "你是对的，锁会阻塞。",
]
KEPT = [
    "I do not concede that latency is higher.",
    "I don't agree.",
    "I never concede without evidence.",
    "I would concede that latency is higher.",
    "Even if I concede this, the rest stands.",
    "If you are right, the tests would fail.",
    "I concede the point only if the benchmark is repeated.",
    "Unless I was wrong, the file says otherwise.",
    'The proposer wrote "I concede that latency is higher" and then took it back.',
    "Do I concede that?",
    "The proposer conceded the second point.",
    "The challenger claims that I was wrong.",
    "Whether the challenger is right remains open.",
    "I disagree with all of it.",
    "我不承认延迟更高。",
    "我没有承认这一点。",
    "即使我承认这一点，结论不变。",
    "如果对方说得对，测试会失败。",
    "对方认为我错了。",
    "我并不同意。",
    "我无法同意这个结论。",
]


@pytest.mark.parametrize("sentence", CONCEDED)
def test_a_point_given_up_outright_is_a_concession(sentence: str) -> None:
    assert concedes(sentence)


@pytest.mark.parametrize("sentence", KEPT)
def test_what_is_denied_conditional_asked_reported_or_quoted_is_none(sentence: str) -> None:
    assert not concedes(sentence)


def kinds(*speeches: Spoken) -> list[tuple[str, str]]:
    found = digest(speeches)
    return [(p["kind"], p["text"]) for p in found["passages"]] if found else []


def test_a_digest_keeps_positions_concessions_evidence_and_objections() -> None:
    speech = (
        "Redis is the right queue. It is built for this.\n\nLet me explain at some length what this means for us.\n\n"
        '1. Polling breaks under load. [E1] app.py:12 "SELECT"\n2. The plan ignores retries.\n\n'
        "I concede that\nbackups get harder."
    )
    assert kinds(Spoken(1, "challenger", speech)) == [
        ("position", "Redis is the right queue."),
        ("position", "It is built for this."),
        ("evidence", 'Polling breaks under load. [E1] app.py:12 "SELECT"'),
        ("objection", "The plan ignores retries."),
        ("concession", "I concede that backups get harder."),
    ]


def test_what_a_speech_quotes_or_shows_as_code_is_not_its_own_word() -> None:
    speech = "Stance.\n\nMore.\n\n> I concede everything.\n\n```\nI concede the code.\n```\n\nClosing."
    assert kinds(Spoken(1, "proposer", speech)) == [("position", "Stance."), ("position", "More.")]


def test_later_rounds_give_the_position_they_close_with() -> None:
    assert kinds(Spoken(2, "proposer", "Some words here. Postgres, with an index on state.")) == [
        ("position", "Postgres, with an index on state.")
    ]


def test_without_speeches_there_is_no_digest() -> None:
    assert digest([]) is None


def test_a_long_debate_is_cut_to_size_but_never_its_concessions() -> None:
    evidence = "\n\n".join(f"Claim {n} about the queue stands on this place. [E{n}] app.py:{n}" for n in range(200))
    concessions = "\n\n".join(f"I concede point {n} for good." for n in range(20))
    found = digest([Spoken(1, "proposer", f"{evidence}\n\n{concessions}"), Spoken(2, "challenger", evidence)])
    assert found is not None
    assert sum(p["kind"] == "concession" for p in found["passages"]) == 20
    assert 500 <= sum(tokens(p["text"]) for p in found["passages"]) <= LIMIT
    assert found["left_out"] > 0


def flat(text: str) -> str:
    return " ".join(text.split())


WORDS = st.sampled_from(
    [
        "I concede",
        "that",
        "not",
        "app.py:3",
        "[E1]",
        "。",
        ".",
        "\n",
        "\n\n",
        "> ",
        "```",
        "- ",
        "1. ",
        "我承认",
        "错误",
        '"',
        " ",
    ]
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=60).map("".join))
@settings(max_examples=300)
def test_every_passage_stands_word_for_word_in_the_speech(text: str) -> None:
    for sentence in sentences(text):
        assert sentence in flat(text)


def test_an_estimate_of_tokens_is_near_the_truth_for_english_and_chinese() -> None:
    assert 9 <= tokens("The quick brown fox jumps over the lazy dog.") <= 12
    assert 6 <= tokens("我们应该使用数据库。") <= 14
