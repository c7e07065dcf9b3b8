"""OpenCode: its command, its steps, its log."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.opencode import OPENCODE
from adapters.spec import Command
from state.models import Failure
from tests.adapters.speaking import ask, command, ended, judged, place, verdict, watched, written

LAB = {
    "lab": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "http://127.0.0.1:1", "apiKey": "{env:LAB_KEY}"}}
}
TOKENS = {"input": 100, "output": 20, "reasoning": 2, "cache": {"read": 3, "write": 0}}
START = {"type": "step_start", "sessionID": "ses", "part": {"type": "step-start"}}


def built(
    folder: Path, *, view: Path | None = None, config: Mapping[str, Any] | None = None, **environ: str
) -> Command:
    question = ask("opencode", model="lab/m", view=view, options={"config": config or {}})
    return command(OPENCODE.build(question, place(folder, **environ)))


def config_of(made: Command) -> dict[str, Any]:
    return json.loads(made.env["OPENCODE_CONFIG_CONTENT"])


def refusal(folder: Path, model: str | None = "lab/m", config: object = None) -> Failure | Command:
    return OPENCODE.build(ask("opencode", model=model, options={"config": config}), place(folder))


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "part": {"type": "text", "text": words}}


def tool(name: str, status: str, **state: Any) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "part": {"type": "tool", "tool": name, "callID": "c", "state": {"status": status, **state}},
    }


def finish(reason: str = "stop", tokens: object = TOKENS, cost: object = 0.01) -> dict[str, Any]:
    return {"type": "step_finish", "part": {"reason": reason, "tokens": tokens, "cost": cost}}


def error(name: str, message: str = "", **data: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"name": name, "data": {"message": message, **data}}}


def lines(*events: Mapping[str, Any]) -> str:
    return "".join(json.dumps(e) + "\n" for e in events)


def log(words: str, what: str = 'message="stream error"') -> str:
    return f"timestamp=t level=ERROR run=1 {what} small=false error.error={json.dumps(words)}\n"


def test_it_runs_in_a_private_empty_folder_and_is_told_the_view(tmp_path: Path) -> None:
    made = built(tmp_path, view=tmp_path / "view")
    assert made.cwd == place(tmp_path).folder / "cwd"
    assert f"--dir={tmp_path / 'view'}" in made.argv
    assert not [word for word in built(tmp_path).argv if word.startswith("--dir")]


def test_git_takes_the_written_files_for_a_repository_of_its_own(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    made = built(tmp_path)
    written(made, place(tmp_path))
    for arguments in (["rev-parse", "--show-toplevel"], ["status", "--porcelain"], ["fsck"]):
        run = subprocess.run(["git", *arguments], cwd=made.cwd, capture_output=True, text=True, check=False)
        assert (run.returncode, "warning" in run.stderr) == (0, False), run.stderr
        if arguments[0] == "rev-parse":
            assert Path(run.stdout.strip()) == made.cwd.resolve()


def test_agent_and_configuration_give_no_right_but_reading(tmp_path: Path) -> None:
    made = built(tmp_path, view=tmp_path)
    found = config_of(made)
    agent = found["default_agent"]
    assert f"--agent={agent}" in made.argv
    assert found["permission"] == found["agent"][agent]["permission"]
    assert {name for name, right in found["permission"].items() if right == "allow"} == {"read", "glob", "grep"}
    assert config_of(built(tmp_path))["permission"] == {"*": "deny"}


def test_the_users_own_configuration_stays_out_but_the_logins_stay(tmp_path: Path) -> None:
    env = built(tmp_path, XDG_CONFIG_HOME="/mine", XDG_DATA_HOME="/logins", OPENCODE_PERMISSION='{"*":"allow"}').env
    assert env["XDG_CONFIG_HOME"] == str(place(tmp_path).folder / "xdg")
    assert env["XDG_DATA_HOME"] == "/logins"
    assert "OPENCODE_PERMISSION" not in env


def test_a_provider_of_the_settings_is_put_in_with_the_variable_that_holds_its_key(tmp_path: Path) -> None:
    made = built(tmp_path, config={"provider": LAB}, LAB_KEY="secret", OTHER="x")
    assert config_of(made)["provider"] == LAB
    assert config_of(made)["enabled_providers"] == ["lab"]
    assert made.env["LAB_KEY"] == "secret"
    assert "OTHER" not in made.env
    assert "secret" not in made.env["OPENCODE_CONFIG_CONTENT"]


@pytest.mark.parametrize(
    ("model", "config", "words"),
    [
        (None, None, '[tools.opencode] model = "PROVIDER/MODEL"'),
        ("default", None, "hosted service"),
        ("big-model", None, '"big-model" names no provider'),
        ("lab/m", {"mcp": {"x": {}}}, 'not "mcp"'),
        ("lab/m", {"permission": {"*": "allow"}}, 'not "permission"'),
        ("lab/m", {"provider": {"lab": {"options": {"apiKey": "sk-123"}}}}, "{env:NAME}"),
        ("lab/m", "provider", "must be a table"),
    ],
)
def test_what_must_not_be_is_refused_with_what_to_do(
    tmp_path: Path, model: str | None, config: object, words: str
) -> None:
    refused = refusal(tmp_path, model, config)
    assert isinstance(refused, Failure)
    assert refused.kind == "vendor_config"
    assert words in refused.message


def test_the_answer_is_the_text_of_the_last_step_and_the_usage_the_sum_of_all() -> None:
    out = lines(
        START, text("I look."), tool("read", "completed"), finish("tool-calls"), START, text("Postgres."), finish()
    )
    envelope = judged(OPENCODE, ended(0, out))
    assert envelope.response == "Postgres."
    assert (envelope.usage.input_tokens, envelope.usage.output_tokens, envelope.usage.cost_usd) == (206, 44, 0.02)


def test_a_title_sequence_before_the_first_event_does_no_harm() -> None:
    out = "\x1b]0;busy\x07\x1b]0;ready\x1b\\" + lines(START, text("Postgres."), finish())
    assert verdict(OPENCODE, ended(0, out)) == ("answer", "Postgres.")


def test_a_price_of_nothing_is_no_price() -> None:
    assert judged(OPENCODE, ended(0, lines(START, text("x"), finish(cost=0)))).usage.cost_usd is None


def test_a_complete_answer_before_a_bad_exit_is_an_answer() -> None:
    assert verdict(OPENCODE, ended(1, lines(START, text("Postgres."), finish())))[0] == "answer"
    assert verdict(OPENCODE, ended(-15, lines(START, text("Post"))))[0] == "crashed"


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "kind", "words"),
    [
        (0, lines(START, finish()), "", "empty", "neither"),
        (0, lines(START, text("Post"), finish("length")), "", "truncated", "length"),
        (1, lines(START, text("Post"), finish("content-filter")), "", "refused", "filter"),
        (0, lines(START, tool("bash", "error"), finish("tool-calls")), "! permission requested: bash (x); auto-rejecting",
         "denied", "permission requested: bash (x); auto-rejecting"),
        (0, lines(START, text("x"), finish()), '! agent "debater" not found. Falling back to default agent', "vendor_config",
         "Falling back"),
        (1, lines(error("APIError", "Bad key", statusCode=401)), "", "not_logged_in", "HTTP 401: Bad key"),
        (1, lines(error("APIError", "Slow down", statusCode=429)), "", "rate_limited", "HTTP 429: Slow down"),
        (1, lines(error("APIError", "No", statusCode=429, responseBody='{"code":"insufficient_quota"}')), "", "quota", "No"),
        (1, lines(error("APIError", "Boom", statusCode=502)), "", "overloaded", "HTTP 502: Boom"),
        (1, lines(error("APIError", "rate limit on this model does not exist", statusCode=500)), "", "overloaded", "HTTP 500"),
        (1, lines(error("ProviderAuthError", "No key for x")), "", "not_logged_in", "No key for x"),
        (1, lines(error("UnknownError", '{"message":"too big","code":"context_length_exceeded"}')), "", "too_long", "too big"),
        (1, lines(error("UnknownError", "Unexpected server error. Check server logs")), "", "unknown_model", "does not know"),
        (1, lines(error("UnknownError", "Unexpected server error. Check server logs")),
         log("ProviderModelNotFoundError: Model not found: lab/x.", "ref=err_1"), "unknown_model", "Model not found: lab/x."),
        (1, lines(error("SomethingNew")), "", "crashed", "SomethingNew"),
        (1, "", "Error: SQLITE_BUSY: database is locked", "overloaded", "database is locked"),
        (1, "", "opencode run [message..]\n\nrun opencode with a message", "unsupported_flag", "printed its help"),
        (0, "Postgres.", "", "unparsable", "PARSE_ERROR:no_json:0"),
        (0, '{"v": 2}\n', "", "unparsable", "PARSE_ERROR:unknown_json:0"),
    ],
)  # fmt: skip
def test_a_failure_has_its_kind_and_the_vendors_words(
    exit_code: int, stdout: str, stderr: str, kind: str, words: str
) -> None:
    found, message = verdict(OPENCODE, ended(exit_code, stdout, stderr))
    assert (found, words in message) == (kind, True), message


def test_retries_that_only_the_log_tells_of_are_given_up() -> None:
    busy, quota = log("AI_APICallError: Busy (cause: Error)"), log("AI_APICallError: You exceeded your current quota.")
    assert [p.hopeless and p.hopeless.kind for p in watched(OPENCODE, stderr=busy * 3)] == [None, None, "overloaded"]
    assert [p.hopeless and p.hopeless.message for p in watched(OPENCODE, stderr=quota)] == [
        "You exceeded your current quota."
    ]


def test_at_the_deadline_the_log_tells_why() -> None:
    assert verdict(OPENCODE, ended(-15, "", log("AI_APICallError: Busy"), ended="deadline")) == ("overloaded", "Busy")
    assert verdict(OPENCODE, ended(-15, ended="deadline")) == (
        "timed_out",
        "no complete answer after 5 s; it printed nothing",
    )


def test_a_logged_error_that_a_later_attempt_mended_does_not_spoil_the_answer() -> None:
    assert verdict(OPENCODE, ended(0, lines(START, text("x"), finish()), log("Busy"))) == ("answer", "x")


def test_an_endless_loop_of_empty_steps_is_given_up_but_not_a_pause_between_texts() -> None:
    empty = finish("unknown", {"input": 0, "output": 0})
    assert watched(OPENCODE, lines(*[START, empty] * 5))[-1].hopeless
    assert not watched(OPENCODE, lines(*[START, empty] * 4, START, text("x"), *[START, empty] * 4))[-1].hopeless


def test_a_person_sees_what_it_reads_and_how_much_it_writes() -> None:
    seen = watched(
        OPENCODE, lines(START, tool("read", "completed", input={"filePath": "a.py"}), START, text("abc"), finish())
    )
    assert [p.activity for p in seen] == [
        None,
        "reads a.py",
        "reads a.py",
        "writes (3 characters)",
        "writes (3 characters)",
    ]
    assert seen[-1].complete


def test_a_search_that_lacks_its_program_is_noted() -> None:
    out = lines(START, tool("grep", "error", error="ripgrep execution failed"), START, text("x"), finish())
    assert judged(OPENCODE, ended(0, out)).notes == (
        "opencode could not search: the program rg (ripgrep) is not on PATH",
    )


def test_contents_of_files_and_thoughts_are_not_kept() -> None:
    assert not OPENCODE.keep(json.dumps(tool("read", "completed", output="...")).encode())
    assert not OPENCODE.keep(b'{"type":"reasoning","part":{"text":"..."}}')
    assert OPENCODE.keep(json.dumps(tool("grep", "error", error="ripgrep execution failed")).encode())
    assert OPENCODE.keep(b"plain words")
