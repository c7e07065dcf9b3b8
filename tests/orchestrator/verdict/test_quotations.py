"""A quotation stands in a text exactly or not at all."""

import pytest

from orchestrator.verdict.quotations import stands_in

SPEECH = (
    'The queue "jobs" lives in the\n  database — one **backup** covers both.\n'
    "- `if x == 1:` holds\n> and x != 2…\n用“数据库”就够了。"
)


@pytest.mark.parametrize(
    "quote",
    [
        "lives in the database",
        "The queue “jobs” lives",
        "database - one backup covers both",
        "│ lives in the\n│   database",
        "- `if x == 1:` holds",
        "The queue ... covers both.",
        "The queue […] lives",
        "用「数据库」就够了".replace("「", "“").replace("」", "”"),
    ],
)
def test_layout_and_typography_do_not_matter(quote: str) -> None:
    assert stands_in(quote, SPEECH)


@pytest.mark.parametrize(
    "quote",
    [
        "if x != 1: holds",
        "x == 2",
        "lives in a database",
        "covers both … The queue",
        "…",
        " ",
        'the queue "jobs"',
        "backup covers all",
    ],
)
def test_one_altered_word_or_sign_makes_it_another_quotation(quote: str) -> None:
    assert not stands_in(quote, SPEECH)
