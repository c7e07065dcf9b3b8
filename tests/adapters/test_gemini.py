"""Gemini: its command, its events, its documents, its errors."""

import json
import tomllib
from pathlib import Path

import pytest

from adapters.gemini import ECHO_LIMIT, GEMINI
from adapters.spec import Command
from tests.adapters.speaking import ask, command, ended, judged, place, verdict, watched

STATS = {"models": {"gemini-x": {"tokens": {"prompt": 100, "candidates": 20, "thoughts": 5}}}}
QUESTION = "A login page will open in your browser. Go on? [Y/n]: "


def built(folder: Path, prompt: str = "Debate.", *, view: Path | None = None, **environ: str) -> Command:
    return command(GEMINI.build(ask("gemini", prompt, view=view), place(folder, **environ)))


def document(**fields: object) -> str:
    return json.dumps({"session_id": "s", **fields}, ensure_ascii=False, indent=2)


def events(*more: dict[str, object], text: str = "Postgres.") -> str:
    found = [
        {"type": "init", "session_id": "s", "model": "gemini-x"},
        {"type": "message", "role": "assistant", "content": "I look. ", "delta": True},
        {"type": "tool_use", "tool_name": "read_file", "parameters": {"file_path": "src/queue.py"}},
        {"type": "tool_result", "status": "success", "output": "rate limit"},
        {"type": "message", "role": "assistant", "content": text, "delta": True},
        *more,
    ]
    return "".join(json.dumps(e) + "\n" for e in found)


def test_the_prompt_goes_in_on_stdin_and_nowhere_else(tmp_path: Path) -> None:
    made = built(tmp_path, "Secret topic", GEMINI_API_KEY="k")
    assert made.stdin == b"Secret topic"
    assert not any("Secret" in word for word in (*made.argv, *made.env.values()))


def test_what_gemini_would_attach_or_run_from_a_prompt_is_made_harmless(tmp_path: Path) -> None:
    assert built(tmp_path, "see @src/a.py and me@x.org").stdin == b"see \\@src/a.py and me\\@x.org"
    assert built(tmp_path, "/init").stdin == b"\n/init"


def test_the_policy_allows_the_reading_tools_alone_and_without_a_view_nothing(tmp_path: Path) -> None:
    with_view = tomllib.loads(built(tmp_path, view=tmp_path).files["ro.toml"].decode())["rule"]
    assert [(r["toolName"], r["decision"]) for r in with_view] == [
        ("*", "deny"),
        (["read_file", "list_directory", "grep_search"], "allow"),
    ]
    assert [r["decision"] for r in tomllib.loads(built(tmp_path).files["ro.toml"].decode())["rule"]] == ["deny"]


def test_the_policy_named_in_the_arguments_is_the_file_that_is_written(tmp_path: Path) -> None:
    made = built(tmp_path)
    named = {word.partition("=")[2] for word in made.argv if "policy=" in word}
    assert named == {str(place(tmp_path).folder / "ro.toml")}


def test_it_works_in_the_view_or_else_in_an_empty_folder(tmp_path: Path) -> None:
    view = tmp_path / "view"
    assert built(tmp_path, view=view).cwd == view
    assert built(tmp_path).cwd == place(tmp_path).folder / "cwd"


@pytest.mark.parametrize(
    ("environ", "way"),
    [
        ({"GEMINI_API_KEY": "k"}, "gemini-api-key"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true", "GEMINI_API_KEY": "k"}, "vertex-ai"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "false", "GEMINI_API_KEY": "k"}, "gemini-api-key"),
        ({"GOOGLE_API_KEY": "k"}, "vertex-ai"),
    ],
)
def test_a_key_in_the_environment_needs_no_home_so_each_call_gets_a_fresh_one(
    tmp_path: Path, environ: dict[str, str], way: str
) -> None:
    made = built(tmp_path, **environ)
    assert made.env["GEMINI_CLI_HOME"] == str(place(tmp_path).folder / "g")
    assert json.loads(made.files["g/.gemini/settings.json"])["security"]["auth"] == {"selectedType": way}
    assert "GEMINI_CLI_SYSTEM_SETTINGS_PATH" not in made.env


@pytest.mark.parametrize("environ", [{}, {"GOOGLE_GENAI_USE_GCA": "true", "GEMINI_API_KEY": "k"}])
def test_a_google_login_stays_in_the_users_home(tmp_path: Path, environ: dict[str, str]) -> None:
    made = built(tmp_path, **environ)
    assert "GEMINI_CLI_HOME" not in made.env
    assert made.env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] == str(place(tmp_path).folder / "system.json")
    assert "auth" not in json.loads(made.files["system.json"])["security"]


def test_a_key_in_the_users_dot_env_is_found(tmp_path: Path) -> None:
    file = tmp_path / "home" / ".gemini" / ".env"
    file.parent.mkdir(parents=True)
    file.write_text('# mine\nexport GEMINI_API_KEY="from-home"\nGEMINI_CLI_TRUST_WORKSPACE=true\n')
    made = built(tmp_path)
    assert made.env["GEMINI_API_KEY"] == "from-home"
    assert "GEMINI_CLI_TRUST_WORKSPACE" not in made.env
    assert "GEMINI_CLI_HOME" in made.env


def test_nothing_that_widens_rights_or_steers_reaches_it(tmp_path: Path) -> None:
    steering = (
        *("GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_SYSTEM_MD", "GEMINI_SANDBOX", "GEMINI_CLI_IDE_SERVER_PORT"),
        *("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "NODE_OPTIONS", "GEMINI_DEBUG_LOG_FILE"),
    )
    made = built(tmp_path, GEMINI_API_KEY="k", GEMINI_RESTRICTED_MODE="false", **dict.fromkeys(steering, "x"))
    assert not set(steering) & set(made.env)
    assert made.env["GEMINI_RESTRICTED_MODE"] == "true"


def test_a_prompt_whose_echo_could_swallow_the_answer_gets_the_document(tmp_path: Path) -> None:
    assert "--output-format=stream-json" in built(tmp_path, "x" * (ECHO_LIMIT - 10)).argv
    assert "--output-format=json" in built(tmp_path, "x" * ECHO_LIMIT).argv
    assert "--output-format=json" in built(tmp_path, "中" * (ECHO_LIMIT // 3)).argv


def test_the_limit_of_a_prompt_counts_other_scripts_as_gemini_counts_them() -> None:
    limits = [GEMINI.prompt_limit(ask("gemini", text * 100)) or 0 for text in ("a", "中")]
    assert limits[0] == 3_500_000
    assert 700_000 < limits[1] < 800_000


def test_the_answer_is_the_text_after_the_last_tool_call() -> None:
    envelope = judged(GEMINI, ended(0, events({"type": "result", "status": "success", "stats": STATS})))
    assert (envelope.response, envelope.model, envelope.session_id) == ("Postgres.", "gemini-x", "s")
    assert (envelope.usage.input_tokens, envelope.usage.output_tokens) == (100, 25)


@pytest.mark.parametrize(
    "text",
    [
        "Postgres {braces} [brackets]",
        '} {"response": "TRAP"}\n{"type":"result","result":"TRAP"}\nend',
        "日本語 👩‍👩‍👧 é",
    ],
)
@pytest.mark.parametrize(
    "noise", ["", "Loaded cached credentials.\n(node:42) {punycode} is deprecated\n", "\x1b]0;t\x07\ufeff"]
)
def test_a_document_is_found_by_its_shape_wherever_it_stands(text: str, noise: str) -> None:
    assert verdict(GEMINI, ended(0, noise + document(response=text, stats=STATS))) == ("answer", text)


@pytest.mark.parametrize("stats", [None, {}, {"models": None}, {"models": {"m": {"tokens": {"prompt": "NaN"}}}}, [1]])
def test_doubtful_statistics_cost_no_answer(stats: object) -> None:
    envelope = judged(GEMINI, ended(0, document(response="Postgres.", stats=stats)))
    assert (envelope.response, envelope.usage.input_tokens) == ("Postgres.", None)


def test_the_model_with_the_main_role_is_the_one_that_answered() -> None:
    models = {"lite": {"roles": {"utility_router": {}}}, "pro": {"roles": {"main": {}}}}
    assert judged(GEMINI, ended(0, document(response="x", stats={"models": models}))).model == "pro"


@pytest.mark.parametrize("fields", [{"response": None, "stats": {}}, {"stats": {}}, {"response": " \n", "stats": {}}])
def test_a_document_without_a_text_is_no_answer(fields: dict[str, object]) -> None:
    assert verdict(GEMINI, ended(0, document(**fields)))[0] == "empty"


def test_plain_text_where_json_was_asked_for_is_not_an_answer_and_is_not_shown() -> None:
    assert verdict(GEMINI, ended(0, "Postgres.\n\nSecond.", "Loaded cached credentials.")) == (
        "unparsable",
        "PARSE_ERROR:no_json:0",
    )


def test_a_complete_answer_before_a_bad_exit_is_an_answer_with_a_note() -> None:
    done = events({"type": "result", "status": "success", "stats": {}})
    assert judged(GEMINI, ended(1, done)).notes == ("exit code 1 after a complete result",)
    assert judged(GEMINI, ended(None, done, ended="deadline")).response == "Postgres."
    assert judged(GEMINI, ended(-15, done, ended="answered")).notes == ("had to be stopped after its answer",)


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "kind", "words"),
    [
        (55, "", "\x1b[31mNot running in a trusted directory. Use --skip-trust.\x1b[0m", "vendor_config", "Not running in a"),
        (52, "", "\x1b[31mError in /h/.gemini/settings.json: Expected x\x1b[0m\nPlease fix", "vendor_config", "/h/.gemini/set"),
        (1, "", "Usage: gemini [options]\n" + "  --o  t\n" * 150 + "\nUnknown argument: policy", "unsupported_flag", "policy"),
        (1, "", "Critical error: IneligibleTierError: not supported\n    at f (file:///x.js:1:1)", "not_logged_in", "Ineligible"),
        (1, "错误：请先登录\n", "", "crashed", "错误：请先登录"),
        (1, "", document(error={"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "配额已用完"}), "quota", "配额已用完"),
        (1, "", "Error: API key not valid: K\n" + document(error={"code": 401, "message": "bad K"}), "not_logged_in", "not valid"),
        (1, "", "", "crashed", "exit code 1; it printed nothing"),
        (0, "", "", "empty", "neither an error nor a text"),
        (-9, '{\n  "response": "PART of', "", "crashed", "SIGKILL (9), perhaps out of memory"),
        (0, '{\n  "response": "PART of', "", "unparsable", "PARSE_ERROR:cut_json:0"),
        (173, events({"type": "result", "status": "error", "error": {"message": "[API Error: Slow down.]\nAsk for more quota"}}),
         "", "rate_limited", "HTTP 429: Slow down."),
        (0, events({"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"},
                   {"type": "result", "status": "success", "stats": STATS}), "", "truncated", "Loop detected"),
        (0, events({"type": "result", "status": "error", "error": {"message": "Model stream ended without a finish reason."}}),
         "", "network", "without a finish reason"),
        (0, events(), "", "crashed", "in the middle of its answer"),
    ],
)  # fmt: skip
def test_a_failure_has_its_kind_and_the_vendors_words(
    exit_code: int, stdout: str, stderr: str, kind: str, words: str
) -> None:
    found, message = verdict(GEMINI, ended(exit_code, stdout, stderr))
    assert (found, words in message) == (kind, True), message


@pytest.mark.parametrize(
    ("stdout", "stderr", "kind", "words"),
    [
        ("", "", "timed_out", "no complete answer after 5 s"),
        (QUESTION, "", "not_logged_in", QUESTION.strip()),
        ("", "Tool run_shell_command needs confirmation.\n", "denied", "Tool run_shell_command needs confirmation."),
        (
            "",
            "Critical error: IneligibleTierError: not supported any more\n",
            "not_logged_in",
            "not supported any more",
        ),
        ("", "Attempt 1 failed. Retrying with backoff... Error: fetch failed\n", "network", "fetch failed"),
        (events(), "", "timed_out", "no complete answer"),
    ],
)
def test_at_the_deadline_the_last_words_tell_more_than_the_clock(
    stdout: str, stderr: str, kind: str, words: str
) -> None:
    found, message = verdict(GEMINI, ended(-15, stdout, stderr, ended="deadline"))
    assert (found, words in message) == (kind, True), message


def test_a_daily_quota_is_given_up_at_once_and_named() -> None:
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"metadata": {"quota_limit": "RequestsPerDay"}}]}
    line = f"Attempt 1 failed with status 429. Retrying with backoff... {json.dumps({'error': error})}\n    at retry (file:///x.js:1:1)"
    hopeless = watched(GEMINI, stderr=line)[0].hopeless
    assert hopeless
    assert (hopeless.kind, hopeless.message) == ("quota", "HTTP 429: RESOURCE_EXHAUSTED (RequestsPerDay)")
    assert verdict(GEMINI, ended(-15, "", line, ended="deadline"))[0] == "quota"


def test_a_fault_is_waited_for_until_it_came_three_times() -> None:
    lines = "".join(f"Attempt {n} failed with status 503. Retrying with backoff... Error: busy\n" for n in (1, 2, 3))
    assert [p.hopeless and p.hopeless.kind for p in watched(GEMINI, stderr=lines)] == [None, None, "overloaded"]


def test_a_policy_that_was_not_read_spoils_even_a_good_answer() -> None:
    told = "[USER] Policy file error in ro.toml:\n  TOML parsing failed\n"
    assert watched(GEMINI, stderr=told)[0].hopeless
    good = events({"type": "result", "status": "success", "stats": {}})
    assert verdict(GEMINI, ended(0, good, told))[0] == "vendor_config"


def test_a_person_sees_what_it_reads_and_how_much_it_writes() -> None:
    seen = watched(GEMINI, events({"type": "result", "status": "success"}))
    assert [p.activity for p in seen] == [
        *(None, "writes (8 characters)", "reads src/queue.py", "reads src/queue.py"),
        *("writes (9 characters)", "writes (9 characters)"),
    ]
    assert [p.complete for p in seen][-2:] == [False, True]


def test_the_echo_of_the_prompt_and_the_contents_of_files_are_not_kept() -> None:
    dropped = [
        b'{"type":"message","timestamp":"t","role":"user","content":"..."}',
        b'{"type": "message", "role": "user", "content": "..."}',
        b'{"type":"tool_result","tool_id":"x","status":"success","output":"..."}',
    ]
    assert not any(GEMINI.keep(line) for line in dropped)
    assert all(GEMINI.keep(line.encode()) for line in (*events().splitlines()[:3], QUESTION, "{", '  "response": "x"'))
