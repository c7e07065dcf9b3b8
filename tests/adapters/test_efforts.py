import pytest

from adapters.efforts import flags, model, table, timeout_s
from adapters.spec import Ask
from state.models import Seat


def ask(tool="claude", effort="high", seat_model=None, **options):
    return Ask(Seat(role="proposer", tool=tool, model=seat_model, effort=effort), "prompt", options=options)


def test_the_table_holds_every_vendor_and_every_effort():
    assert set(table()) == {"claude", "codex", "gemini", "opencode", "copilot", "kiro"}


@pytest.mark.parametrize(
    ("tool", "effort", "told"),
    [
        ("claude", "low", ("--model=haiku",)),
        ("claude", "high", ("--model=opus", "--effort=high")),
        ("codex", "medium", ("-c", 'model_reasoning_effort="medium"')),
        ("codex", "max", ("-c", 'model_reasoning_effort="xhigh"')),
        ("gemini", "medium", ("--model=flash",)),
        ("gemini", "max", ("--model=pro",)),
        ("opencode", "low", ("--variant=low",)),
        ("copilot", "high", ("--reasoning-effort=high",)),
    ],
)
def test_an_effort_is_said_in_the_vendors_own_words(tool, effort, told):
    assert flags(ask(tool, effort)) == told


def test_the_users_settings_win_over_the_table_and_the_seat_wins_over_them():
    settings = {"model": "mine", "models": {"high": "mine-high"}}
    assert model(ask(effort="low", **settings)) == "mine"
    assert model(ask(effort="high", **settings)) == "mine-high"
    assert model(ask(effort="high", seat_model="seat", **settings)) == "seat"


@pytest.mark.parametrize("word", ["", "auto", "omit", "default", " Default "])
def test_some_words_for_a_model_mean_to_pass_none(word):
    assert model(ask(seat_model=word)) is None
    assert flags(ask(seat_model=word)) == ("--effort=high",)


def test_a_model_that_looks_like_a_flag_stays_a_model():
    assert flags(ask(seat_model="--dangerously-skip-permissions"))[0] == "--model=--dangerously-skip-permissions"


def test_codex_gets_more_time_when_it_thinks_hard():
    assert [timeout_s("codex", e) for e in ("low", "medium", "high", "max")] == [240, 240, 420, 420]
    assert timeout_s("gemini", "max") == timeout_s("some-other-tool", "low") == 240
