import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from adapters.claude import CLAUDE
from adapters.environment import NEVER
from adapters.spec import Ask, Finished, Place, Progress
from state.failures import FailureKind as K
from state.models import Seat, Usage
from tests.adapters.recorded import RECORDINGS, golden, names, play

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=timezone(timedelta(hours=1)))
VIEW, PRIVATE = Path("/the/view"), Path("/private/call")


def ask(prompt="Which queue?", view=VIEW, model=None, effort="high", **options):
    return Ask(Seat(role="proposer", tool="claude", model=model, effort=effort), prompt, view, options=options)


def command(question, **environ):
    return CLAUDE.build(question, Place(Path("/bin/claude"), PRIVATE, {"PATH": "/usr/bin", **environ}))


def result(text="A good answer.", **more):
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5}
    used = {"claude-opus-4-8[1m]": {"inputTokens": 10, "outputTokens": 5}}
    plain = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": text,
        "session_id": "s",
        "total_cost_usd": 0.5,
    }
    return plain | {"usage": usage, "modelUsage": used, "stop_reason": "end_turn"} | more


def message(text, model="claude-opus-4-8", **more):
    return {"type": "assistant", "message": {"model": model, "content": [{"type": "text", "text": text}]}, **more}


def output(*events):
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def read(*events, stdout=None, stderr=b"", exit_code=0, ended="exit", question=None, **more):
    finished = Finished(
        exit_code, output(*events) if stdout is None else stdout, stderr, 10.0, ended, ended_at=NOW, **more
    )
    return CLAUDE.read(question or ask(), finished)


def watched(*events):
    progress = Progress()
    for event in events:
        progress = CLAUDE.watch(progress, json.dumps(event).encode(), "stdout")
    return progress


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_prompt_goes_in_on_stdin_and_nothing_of_it_into_the_arguments():
    built = command(ask("--version `touch x` $(y) 日本語"))
    assert built.stdin == "--version `touch x` $(y) 日本語".encode()
    assert not [word for word in built.argv if "touch" in word]


@pytest.mark.parametrize(("prompt", "sent"), [("/init now", b"\n/init now"), ("x /init", b"x /init"), ("\ud83d", b"?")])
def test_a_prompt_is_never_a_command_and_always_utf8(prompt, sent):
    assert command(ask(prompt)).stdin == sent


def test_the_view_is_the_current_folder_and_reading_is_all_that_is_offered():
    built = command(ask())
    assert built.cwd == VIEW
    assert built.argv[built.argv.index("--tools") + 1] == "Read,Grep"
    assert "--disallowedTools=Read(**/.env),Read(**/.env.*)" in built.argv
    assert not {"--dangerously-skip-permissions", "--allowedTools", "--add-dir"} & {
        word.split("=")[0] for word in built.argv
    }


def test_without_a_view_there_are_no_tools_and_the_folder_is_empty_and_private():
    built = command(ask(view=None))
    assert built.cwd == PRIVATE / "cwd"
    assert built.argv[built.argv.index("--tools") + 1] == ""


def test_effort_model_and_the_users_own_arguments_are_passed_on():
    assert {"--model=haiku"} <= set(command(ask(effort="low")).argv)
    assert {"--model=x[1m]", "--effort=max"} <= set(command(ask(effort="max", model="x[1m]")).argv)
    assert command(ask(extra_args=["--fallback-model", "sonnet"])).argv[-2:] == ("--fallback-model", "sonnet")


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_DEFAULT_OPUS_MODEL",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
        "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
        "CLAUDE_CODE_CLIENT_CERT",
        "AWS_PROFILE",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AZURE_CLIENT_ID",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "VERTEX_REGION_CLAUDE_4_0_SONNET",
        "HOME",
        "HTTPS_PROXY",
        "NODE_EXTRA_CA_CERTS",
    ],
)
def test_the_users_login_and_routing_reach_claude(name):
    assert command(ask(), **{name: "v"}).env[name] == "v"


@pytest.mark.parametrize(
    "name", [*(n for n in NEVER if "*" not in n), "ANTHROPIC_LOG", "OPENAI_API_KEY", "GITHUB_TOKEN"]
)
def test_other_vendors_keys_nesting_marks_and_wider_rights_do_not(name):
    assert name not in command(ask(pass_env=["CLAUDE*", "ANTHROPIC_*"]), **{name: "v"}).env


def test_what_switches_attachments_and_hooks_off_cannot_be_set_otherwise():
    env = command(
        ask(pass_env=["*"]), CLAUDE_CODE_DISABLE_ATTACHMENTS="0", GIT_CONFIG_COUNT="9", CLAUDE_CODE_MAX_RETRIES="99"
    ).env
    assert (env["CLAUDE_CODE_DISABLE_ATTACHMENTS"], env["GIT_CONFIG_COUNT"], env["CLAUDE_CODE_MAX_RETRIES"]) == (
        "1",
        "1",
        "2",
    )


# --- the recordings ---------------------------------------------------------------------------------------------------


def test_each_recording_has_its_outcome_and_each_outcome_its_recording():
    assert sorted(golden("claude")) == names("claude")


@pytest.mark.parametrize("name", names("claude"))
def test_a_recording_is_judged_as_the_golden_file_says(name):
    played = play(CLAUDE, name)
    assert str(played) == golden("claude")[name]
    assert played.envelope.failure or played.envelope.usage.output_tokens
    assert played.envelope.failure or played.envelope.model


def test_a_recording_whose_result_was_seen_needs_no_waiting():
    assert play(CLAUDE, "best-invocation").progress.complete
    assert not play(CLAUDE, "sigterm-hang-stream").progress.complete


def test_dropped_lines_are_those_that_reading_does_not_need():
    stdout = (RECORDINGS / "claude" / "partial.stdout").read_bytes()
    kept = b"".join(line for line in stdout.splitlines(keepends=True) if CLAUDE.keep(line))
    assert b"stream_event" not in kept
    assert read(stdout=kept) == read(stdout=stdout)


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_comes_with_what_claude_says_of_it():
    envelope = read(message("A good answer."), result())
    assert (envelope.response, envelope.failure, envelope.notes) == ("A good answer.", None, ())
    assert (envelope.tool, envelope.model, envelope.session_id) == ("claude", "claude-opus-4-8[1m]", "s")
    assert envelope.usage == Usage(input_tokens=17, output_tokens=5, cost_usd=0.5)
    assert not envelope.continuable


@pytest.mark.parametrize(
    "events",
    [
        ({"continue": True, "status": "ready"}, result(), {"continue": True, "result": "HOOK"}),
        ({"type": "system", "subtype": "hook_response", "stdout": '{"type":"result","result":"HOOK"}'}, result()),
        (result(), {"type": "system", "subtype": "later"}, {"type": 7}, {"type": None}),
        (message("A good answer."), result("")),
        (message("A good answer."), result(None)),
        (result([{"type": "text", "text": "A good answer."}]),),
    ],
)
def test_the_result_is_found_by_its_type_and_not_by_its_place(events):
    assert read(*events).response == "A good answer."


@pytest.mark.parametrize(
    ("how", "note"),
    [
        ({"exit_code": 1}, "exit code 1 after a complete result"),
        ({"exit_code": -9}, "killed by SIGKILL (9), perhaps out of memory after a complete result"),
        ({"exit_code": -15, "ended": "answered"}, "had to be stopped after its answer"),
        ({"exit_code": None, "ended": "deadline"}, "had to be stopped after its answer"),
    ],
)
def test_a_complete_answer_counts_however_the_process_ended(how, note):
    envelope = read(result(), **how)
    assert (envelope.response, envelope.notes) == ("A good answer.", (note,))


def test_oddities_of_an_answer_are_noted():
    assert read(result(permission_denials=[{"tool_name": "Read"}] * 2)).notes == ("2 tool requests were refused",)
    assert read(result(background_tasks_pending=1)).notes == ("1 background task was still pending",)


@pytest.mark.parametrize(
    ("asked", "notes"),
    [
        ("fake-big-9", ("asked for fake-big-9, answered by claude-opus-4-8[1m]",)),
        ("opus", ()),
        ("claude-opus-4-8", ()),
        ("opus[1m]", ()),
        ("default", ()),
        (None, ()),
    ],
)
def test_another_model_than_the_user_asked_for_is_noted(asked, notes):
    assert read(result(), question=ask(model=asked)).notes == notes


def test_the_model_is_the_one_that_wrote_most():
    used = {"small": {"outputTokens": 20}, "helper": {"outputTokens": 1}, "odd": None}
    assert read(result(modelUsage=used)).model == "small"
    assert read(message("x"), result(modelUsage=None)).model == "claude-opus-4-8"
    assert read(result(modelUsage=None)).model is None


@pytest.mark.parametrize("bad", ["NaN", "-1", '"0.12"', "null", "1e999"])
def test_doubtful_costs_and_counts_are_unknown_and_cost_no_answer(bad):
    odd = result(
        total_cost_usd="BAD",
        usage={"input_tokens": 1.5, "output_tokens": -3, "cache_read_input_tokens": 10**25},
        modelUsage=None,
    )
    envelope = read(stdout=output(odd).replace(b'"BAD"', bad.encode()))
    assert (envelope.response, envelope.usage) == ("A good answer.", Usage())
    envelope.model_dump_json().encode()


def test_a_broken_emoji_is_replaced_and_can_be_saved():
    envelope = read(stdout=output(result("OK MARK END")).replace(b"MARK", rb"\ud83d \udc00"))
    assert envelope.response == "OK \ufffd \ufffd END"
    envelope.model_dump_json().encode()


# --- failures ---------------------------------------------------------------------------------------------------------

NOTHING = {"total_cost_usd": 0, "modelUsage": {}, "usage": {"input_tokens": 0, "output_tokens": 0}}


@pytest.mark.parametrize(
    ("events", "kind", "words"),
    [
        ((result("Not logged in · Please run /login", is_error=True, **NOTHING),), K.NOT_LOGGED_IN, "Not logged in"),
        (
            (message("API Error: 529 overloaded", "<synthetic>"), result("API Error: 529 overloaded", **NOTHING)),
            K.OVERLOADED,
            "529",
        ),
        ((result("API Error: 529 overloaded", **NOTHING),), K.OVERLOADED, "529"),
        ((result("Unknown command: /x", num_turns=0, **NOTHING),), K.EMPTY, "Unknown command"),
        ((result("", usage={"output_tokens": 13}),), K.EMPTY, "although 13 tokens were produced"),
        ((result("half an", stop_reason="max_tokens"),), K.TRUNCATED, "cut off"),
        ((result("I cannot", stop_reason="refusal"),), K.REFUSED, "I cannot"),
        (
            (result(None, subtype="error_max_turns", errors=["Reached maximum number of turns (1)"]),),
            K.CRASHED,
            "maximum number",
        ),
        ((result("模型不存在", is_error=True, api_error_status=404),), K.UNKNOWN_MODEL, "模型不存在"),
        ((result("错误：请先登录", is_error=True),), K.CRASHED, "错误：请先登录"),
        ((message("partial"),), K.CRASHED, "in the middle of its answer"),
        ((), K.EMPTY, "neither an error nor a text"),
    ],
)
def test_what_is_no_answer_is_a_failure_whatever_the_exit_code_says(events, kind, words):
    envelope = read(*events)
    assert envelope.response is None
    assert envelope.failure.kind is kind
    assert words in envelope.failure.message


def test_a_real_answer_that_speaks_of_an_error_is_an_answer():
    text = "API Error: 529 overloaded is what users see today; I propose a queue."
    assert read(message(text), result(text)).response == text


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("AI usage limit reached|1796049000", "2026-11-30T14:30:00Z"),
        ("session limit · resets 3pm", "2026-11-30T14:00:00Z"),
    ],
)
def test_a_used_up_allowance_tells_when_it_comes_back(text, until):
    failed = read(result(text, is_error=True, **NOTHING), exit_code=1).failure
    assert (failed.kind, failed.retry_at) == (K.QUOTA, until)
    assert "|" not in failed.message


def test_the_reset_time_of_a_subscription_is_taken_from_its_event():
    limit = {"type": "rate_limit_event", "rate_limit_info": {"resetsAt": 1900000000}}
    failed = read(limit, result("You've hit your limit", is_error=True, api_error_status=429, **NOTHING)).failure
    assert failed.retry_at == "2030-03-17T17:46:40Z"


@pytest.mark.parametrize(
    ("stdout", "stderr", "kind", "words"),
    [
        (b"", b"error: unknown option '--tools'\n", K.UNSUPPORTED_FLAG, "--tools"),
        (
            b"",
            b"Configuration error in /h/.claude.json: JSON Parse error\nbacked up\n\n" * 3,
            K.VENDOR_CONFIG,
            "/h/.claude.json",
        ),
        (b"API Error: 500 Internal server error\n", b"", K.OVERLOADED, "API Error: 500"),
        (b"", b"", K.CRASHED, "exit code 1; it printed nothing"),
        (b"", b"Error: cannot be launched inside another session\n", K.CRASHED, "inside another session"),
    ],
)
def test_a_bad_exit_is_explained_by_the_words_on_either_stream(stdout, stderr, kind, words):
    failed = read(stdout=stdout, stderr=stderr, exit_code=1).failure
    assert failed.kind is kind
    assert failed.message.count(words) == 1


def test_plain_text_after_a_good_exit_is_not_an_answer():
    assert read(stdout=b"A fine answer, but as plain text.\n").failure.message == "PARSE_ERROR:no_json:0"
    assert read(stdout=output(result())[:60]).failure.message == "PARSE_ERROR:cut_json:0"


def test_a_deadline_says_what_was_seen_and_a_better_reason_if_there_is_one():
    late = {"exit_code": None, "ended": "deadline"}
    assert read(**late).failure.message == "no complete answer after 10 s; it printed nothing"
    seen = read(message("x"), progress=Progress("reads app.py"), **late).failure
    assert (seen.kind, seen.message) == (K.TIMED_OUT, "no complete answer after 10 s; last seen: reads app.py")
    retry = {"type": "system", "subtype": "api_retry", "attempt": 2, "error_status": 429, "error": "rate_limit"}
    assert read(retry, **late).failure.kind is K.RATE_LIMITED
    assert read(retry | {"error_status": None, "error": "unknown"}, **late).failure.kind is K.TIMED_OUT


def test_a_model_that_is_not_known_is_told_with_where_its_name_came_from():
    gone = result("There's an issue with the selected model (x).", is_error=True, api_error_status=404, **NOTHING)
    assert read(gone, question=ask(model="x")).failure.message.endswith("(model x: named by the seat or --model)")
    assert read(gone, question=ask(models={"high": "y"})).failure.message.endswith(
        "(model y: named in the settings of claude)"
    )
    assert read(gone).failure.message.endswith("(model opus: our choice at effort high)")


# --- progress ---------------------------------------------------------------------------------------------------------


def delta(**what):
    return {"type": "stream_event", "event": {"type": "content_block_delta", "delta": what}}


def test_progress_tells_what_claude_does():
    used = {
        "type": "assistant",
        "message": {"content": [{"type": "tool_use", "name": "Read", "input": {"file_path": "src/a.py"}}]},
    }
    assert watched(used).activity == "reads src/a.py"
    assert watched(delta(type="thinking_delta", thinking="hm")).activity == "thinks"
    writing = watched(delta(type="text_delta", text="one "), delta(type="text_delta", text="two"))
    assert (writing.written, writing.activity) == (7, "writes (7 characters)")
    assert (
        watched(
            delta(type="text_delta", text="one"), {"type": "stream_event", "event": {"type": "message_start"}}
        ).written
        == 0
    )
    assert watched(message("whole")).written == 5
    assert watched(result()).complete


def test_a_login_that_is_refused_again_and_again_is_given_up():
    retry = {"type": "system", "subtype": "api_retry", "error_status": 401, "error": "authentication_failed"}
    assert watched(retry | {"attempt": 2}).hopeless is None
    given_up = watched(retry | {"attempt": 3}).hopeless
    assert (given_up.kind, given_up.message) == (K.NOT_LOGGED_IN, "authentication_failed (HTTP 401)")
    assert watched(retry | {"attempt": 9, "error_status": 529, "error": "overloaded"}).hopeless is None


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": 7},
        {"type": "assistant"},
        {"type": "assistant", "message": {"content": [None, 1, {"type": "tool_use"}]}},
    ],
)
def test_events_of_unknown_shape_do_no_harm(event):
    assert not watched(
        event, {"type": "stream_event", "event": None}, {"type": "system", "subtype": "api_retry"}
    ).complete
    assert read(event, result()).response == "A good answer."
