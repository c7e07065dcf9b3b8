import io
import os

import pytest

from orchestrator.request.request import read_request
from orchestrator.usage import UsageError


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ask(*arguments, stdin=b"", environ=None, **more):
        flags = more.pop("flags", {})
        return read_request(
            arguments, flags, {"HOME": str(tmp_path / "home")} | (environ or {}), io.BytesIO(stdin), **more
        )

    return ask


def test_flags_beat_words_and_words_beat_variables(ask):
    request = ask(
        *["codex", "vs", "gemini", "3", "rounds", "quick", "about", "deep", "learning"],
        flags={"effort": "max", "challenger": "copilot"},
        environ={"DEBATE_ROUNDS": "5", "DEBATE_EFFORT": "low", "DEBATE_PROPOSER": "opencode"},
    )
    choices = request.choices
    assert request.topic == "deep learning"
    assert (choices.proposer, choices.challenger, choices.rounds, choices.effort) == ("codex", "copilot", 3, "max")


def test_the_documented_flags_go_with_a_quoted_topic(ask):
    request = ask("T and more", flags={"tools": "claude,gemini", "rounds": "3", "effort": "high"})
    assert (request.topic, request.choices.proposer, request.choices.challenger) == ("T and more", "claude", "gemini")


def test_rounds_out_of_range_are_refused_whether_words_or_flag_say_so(ask):
    for how in (lambda: ask("9 rounds about T"), lambda: ask("T", flags={"rounds": 9})):
        with pytest.raises(UsageError) as caught:
            how()
        assert caught.value.lines == ("Rounds must be 1-5. Got: 9",)


def test_stdin_is_read_for_a_dash_only(ask):
    assert ask("Tabs?", stdin=b"not read").topic == "Tabs?"
    assert ask(stdin=b"not read").topic is None
    assert ask("-", stdin=b"from stdin").topic == "from stdin"
    assert ask(topic_file="-", stdin=b"from stdin").topic == "from stdin"
    request = ask("codex", "vs", "gemini", "-", stdin=b"quick wins about codex vs gemini")
    assert (request.topic, request.choices.proposer) == ("quick wins about codex vs gemini", "codex")
    assert ask("-", stdin=b"x", literal=True).topic == "-"


def test_a_topic_file_is_not_searched_for_words(ask, tmp_path):
    (tmp_path / "t.txt").write_text("claude vs codex 3 rounds about X\n")
    request = ask("codex", "vs", "gemini", topic_file="t.txt")
    assert request.topic == "claude vs codex 3 rounds about X\n"
    assert (request.choices.proposer, request.choices.rounds) == ("codex", 2)


def test_a_topic_is_given_once(ask):
    for how in (lambda: ask("T", topic_file="-"), lambda: ask("T x", "-"), lambda: ask("-", topic_file="t.txt")):
        with pytest.raises(UsageError, match="more than once"):
            how()


def test_a_folder_may_be_named_and_must_exist(ask, tmp_path):
    odd = tmp_path / "プロ ジ 'q' \"dq\" $(id) -x"
    odd.mkdir()
    (odd / "t.txt").write_text("T")
    request = ask(topic_file="t.txt", cwd=str(odd))
    assert (request.folder, request.topic) == (odd.resolve(), "T")
    with pytest.raises(UsageError, match="Folder not found"):
        ask("T", cwd="nowhere")


def test_a_deleted_current_folder_is_said_in_one_line(ask, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError) as caught:
        ask("T")
    assert caught.value.lines[0] == "The current folder no longer exists."
    assert ask("T", cwd=str(tmp_path)).folder == tmp_path.resolve()


def test_only_what_was_not_said_is_missing_in_the_order_of_asking(ask):
    assert ask("T", flags={"tools": "codex,gemini"}).missing == ()
    assert ask("T", flags={"effort": "low"}).missing == ("proposer", "challenger", "rounds", "context")
    assert ask("codex", "vs", "gemini").missing == ("topic", "effort", "rounds", "context")


def test_notes_carry_the_hint_and_the_warnings(ask):
    request = ask("Codex vs Gemini for reviews", environ={"DEBATE_EFORT": "low"})
    assert "DEBATE_EFFORT" in request.notes[0]
    assert "--tools codex,gemini" in request.notes[1]


def test_a_topic_that_is_not_text_or_blank_is_refused(ask):
    with pytest.raises(UsageError, match="not UTF-8"):
        ask("caf\udce9 or tea")
    with pytest.raises(UsageError, match="is empty"):
        ask("-", stdin=b"  \n")
