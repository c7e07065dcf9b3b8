"""A CLI from the person's settings: its rights, its command, its answer."""

from pathlib import Path
from typing import Any

import pytest

from adapters.custom import custom, wrong_parse, wrong_rights
from adapters.custom.parse import found, rule_of
from adapters.spec import Ask, Command
from state.failures import FailureKind as K
from tests.adapters.speaking import ask, command, ended, judged, place


@pytest.mark.parametrize(
    ("words", "flags", "told"),
    [
        (["mine", "run"], ["--safe"], None),
        (["mine", "run"], [], None),
        (["droid", "exec"], [], None),
        (["mine", "run"], None, "read_only is missing"),
        (["/opt/bin/goose", "run"], [], 'declare read_only = ["GOOSE_MODE=chat"]'),
        (["goose", "run"], ["GOOSE_MODE=chat"], None),
        (["amp", "-x"], [], "no flag is known"),
        (["aider"], [], "--chat-mode=ask"),
        (["mine", "--yolo"], ["--safe"], "command: --yolo"),
        (["mine"], ["--dangerously-skip-permissions"], "command: --dangerously"),
    ],
)
def test_a_cli_that_writes_by_default_is_refused_unless_a_flag_is_declared(words, flags, told: str | None):
    wrong = wrong_rights(words, flags)
    assert (wrong is None) == (told is None)
    assert told is None or told in (wrong or "")


@pytest.mark.parametrize("rule", ["text", "json:result", "json:-1.result", "jsonl:item.done:item.0.text"])
def test_rules_of_parsing_are_taken(rule: str):
    assert wrong_parse(rule) is None


@pytest.mark.parametrize(
    "rule", ["", "xml", "json", "json:", "json:a b", "jsonl:x", "jsonl::a", "jsonl:a:", "json:a..b"]
)
def test_what_is_no_rule_is_refused(rule: str):
    assert wrong_parse(rule)


@pytest.mark.parametrize(
    ("rule", "stdout", "text"),
    [
        ("text", b"\x1b[m> \x1b[0mHELLO\n", "HELLO"),
        ("text", "\u2022 Yes.\n  And more.".encode(), "Yes.\n  And more."),
        ("json:result", b'warning: x\n{"result": "yes", "is_error": false}', "yes"),
        ("json:-1.result", b'[{"type":"system"},\n {"type":"result","result":"yes"}]', "yes"),
        ("json:-1.result", b'warm\n[12:00] up\n[\n {"type":"result","result":"yes"}\n]\nbye\n', "yes"),
        ("json:result", b'["notes"]\n{"result":"yes"}', "yes"),
        ("json:content.0.text", b'{"content": [{"text": "yes"}]}', "yes"),
        ("json:content.9.text", b'{"content": [{"text": "yes"}]}', ""),
        ("json:parts", b'{"parts": ["a", {"text": "b"}]}', "ab"),
        ("jsonl:done:text", b'{"type":"delta","text":"n"}\nnoise\n{"type":"done","text":"one"}\n{"type":"done","text":"two"}', "two"),
    ],
)  # fmt: skip
def test_the_answer_is_found(rule: str, stdout: bytes, text: str):
    assert found(rule_of(rule), stdout).text == text


def options(**more: Any) -> dict[str, Any]:
    return {"command": ("mine", "run"), "read_only": ("--safe",), **more}


def built(tmp_path: Path, *, model: str | None = None, **more: Any) -> Command:
    own = options(**more)
    return command(
        custom("mine", own).build(ask("mine", "the prompt", model=model, options=own), place(tmp_path, A="1", B="2"))
    )


def test_the_prompt_goes_by_stdin_and_never_stands_among_the_arguments(tmp_path: Path):
    made = built(tmp_path, extra_args=("-q",))
    assert made.argv[1:] == ("run", "--safe", "-q")
    assert made.stdin == b"the prompt"


@pytest.mark.parametrize(
    ("words", "before", "after"), [(("mine", "--in={file}", "go"), "--in=", ("go", "--safe")), (("mine",), "", ())]
)
def test_the_prompt_goes_by_a_file_where_that_is_asked_for(tmp_path: Path, words, before: str, after):
    made = built(tmp_path, command=words, prompt="file")
    path = str(place(tmp_path).folder / "prompt.md")
    assert before + path in made.argv
    assert made.argv[-len(after) :] == after if after else made.argv[-1] == path
    assert (made.stdin, dict(made.files)) == (b"", {"prompt.md": b"the prompt"})


def test_read_only_by_variable_and_passed_variables_reach_the_child_and_no_others(tmp_path: Path):
    env = built(tmp_path, read_only=("GOOSE_MODE=chat",), pass_env=("A",)).env
    assert (env["GOOSE_MODE"], env["A"]) == ("chat", "1")
    assert "B" not in env


def test_a_model_needs_its_place_in_the_command_and_the_place_a_model(tmp_path: Path):
    assert built(tmp_path, model="big", command=("mine", "-m", "{model}")).argv[1:] == ("-m", "big", "--safe")
    for own, model in ((options(), "big"), (options(command=("mine", "{model}")), None)):
        failed = custom("mine", own).build(ask("mine", model=model, options=own), place(tmp_path))
        assert not isinstance(failed, Command)
        assert failed.kind == K.VENDOR_CONFIG


@pytest.mark.parametrize(
    ("rule", "finished", "kind"),
    [
        ("text", ended(0, "yes"), None),
        ("text", ended(0, ""), K.EMPTY),
        ("text", ended(1, "half an answer", "error: not logged in"), K.NOT_LOGGED_IN),
        ("text", ended(1, "", "boom"), K.CRASHED),
        ("text", ended(-9, "half"), K.CRASHED),
        ("text", ended(None, "half", ended="deadline"), K.TIMED_OUT),
        ("json:result", ended(0, '{"result": "yes"}'), None),
        ("json:result", ended(0, '{"other": "yes"}'), K.UNPARSABLE),
        ("json:result", ended(0, '{"result": ""}'), K.EMPTY),
        ("json:result", ended(0, "plain words"), K.UNPARSABLE),
        ("json:result", ended(0, '{"result": "429 too many requests", "is_error": true}'), K.RATE_LIMITED),
        ("json:result", ended(0, '{"error": {"message": "You exceeded your quota"}}'), K.QUOTA),
        ("json:result", ended(1, '{"result": "yes"}', "rate limit"), K.RATE_LIMITED),
        ("jsonl:done:text", ended(0, '{"type":"done","text":"yes"}'), None),
        ("jsonl:done:text", ended(0, '{"type":"delta","text":"ye"}'), K.UNPARSABLE),
    ],
)
def test_each_ending_has_its_kind(rule: str, finished, kind: K | None):
    adapter = custom("mine", options(parse=rule))
    envelope = adapter.read(Ask(ask("mine").seat, "?", options=options(parse=rule)), finished)
    assert (envelope.failure.kind if envelope.failure else None) == kind, envelope.failure
    assert judged(adapter, finished).response == ("yes" if kind is None else None)
