import json
import platform
import re
import sys
import tomllib
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from adapters.codex import CODEX
from adapters.codex_native import native
from adapters.environment import NEVER
from adapters.spec import Ask, Finished, Place, Progress
from state.failures import FailureKind as K
from state.models import Seat, Usage
from tests.adapters.recorded import RECORDINGS, golden, names, play

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=timezone(timedelta(hours=1)))
VIEW, PRIVATE = Path("/the/view"), Path("/private/call")


def ask(prompt="Which queue?", view=VIEW, model=None, effort="high", **options):
    return Ask(Seat(role="proposer", tool="codex", model=model, effort=effort), prompt, view, options=options)


def command(question, program=Path("/opt/codex"), **environ):
    return CODEX.build(question, Place(program, PRIVATE, {"PATH": "/usr/bin", **environ}))


def settings(built):
    """What `-c` sets, as codex reads it: each value is TOML."""
    pairs = [word for flag, word in zip(built.argv, built.argv[1:], strict=False) if flag == "-c"]
    return {key: tomllib.loads(f"v={text}")["v"] for key, _, text in (pair.partition("=") for pair in pairs)}


def said(text, kind="agent_message"):
    return {"type": "item.completed", "item": {"id": "i", "type": kind, "text": text}}


def failed(text):
    return [{"type": "error", "message": text}, {"type": "turn.failed", "error": {"message": text}}]


BEGIN = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
DONE = {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 30, "output_tokens": 20}}
WAITING = {"type": "error", "message": "Reconnecting... waiting for network (Connection failed: error sending request)"}


def retry(number, why="stream disconnected"):
    return {"type": "error", "message": f"Reconnecting... {number}/5 ({why})"}


def output(*events):
    return "".join(
        (event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)) + "\n" for event in events
    ).encode()


def read(*events, stderr=b"", exit_code=0, ended="exit", question=None, **more):
    finished = Finished(exit_code, output(*events), stderr, 10.0, ended, ended_at=NOW, **more)
    return CODEX.read(question or ask(), finished)


def watched(*events):
    progress = Progress()
    for event in events:
        progress = CODEX.watch(progress, json.dumps(event).encode(), "stdout")
    return progress


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_prompt_goes_in_on_stdin_byte_for_byte():
    prompt = "/review @AGENTS.md !ls\r\n\x00日本語 "
    built = command(ask(prompt))
    assert built.stdin == prompt.encode()
    assert built.argv[-1] == "-"


def test_the_view_is_the_current_folder_and_all_that_the_sandbox_may_read_of_the_users():
    built = command(ask())
    assert built.cwd == VIEW
    assert built.argv[built.argv.index("-C") + 1] == str(VIEW)
    chosen = settings(built)
    assert chosen["default_permissions"] == "debate"
    rights = chosen["permissions.debate.filesystem"]
    assert {path for path, right in rights.items() if right == "read"} == {":minimal", "/the/view", "/opt/codex"}
    assert {path for path, right in rights.items() if right == "deny"} >= {
        "/etc",
        "/the/view/.env",
        "/the/view/**/.env",
    }
    assert set(rights.values()) == {"read", "deny"}


def test_nothing_in_the_arguments_switches_the_profile_off():
    assert not {"--sandbox", "-s", "--full-auto", "--yolo", "-p", "--profile"} & set(command(ask()).argv)
    assert not [word for word in command(ask()).argv if word.startswith(("--dangerously", "sandbox_mode"))]


def test_without_a_view_there_is_no_shell_and_nothing_to_read():
    built = command(ask(view=None))
    assert built.cwd == PRIVATE / "cwd"
    chosen = settings(built)
    assert (chosen["features.shell_tool"], chosen["features.unified_exec"]) == (False, False)
    assert chosen["permissions.debate.filesystem"] == {":minimal": "read", "/etc": "deny"}


def test_a_path_with_quotes_and_letters_of_any_script_stays_one_path():
    view = Path('/a "b" \\ c/日本語\n')
    assert settings(command(ask(view=view)))["permissions.debate.filesystem"][str(view)] == "read"


def test_effort_model_and_the_users_own_arguments_are_passed_on():
    built = command(ask(effort="max", model="gpt-x", extra_args=("-c", 'model_provider="lab"')))
    assert settings(built)["model_reasoning_effort"] == "xhigh"
    assert "--model=gpt-x" in built.argv
    assert built.argv[-3:] == ("-c", 'model_provider="lab"', "-")


@pytest.mark.parametrize(
    "name",
    [
        "CODEX_HOME",
        "CODEX_API_KEY",
        "CODEX_ACCESS_TOKEN",
        "CODEX_CA_CERTIFICATE",
        "OPENAI_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "AWS_REGION",
        "HOME",
        "https_proxy",
    ],
)
def test_the_users_login_and_routing_reach_codex(name):
    assert command(ask(), **{name: "v"}).env[name] == "v"


def test_the_key_of_the_users_own_provider_reaches_codex():
    question = ask(extra_args=["-c", 'model_providers.lab.env_key="LAB_KEY"'], pass_env="OTHER")
    env = command(question, LAB_KEY="k", OTHER="o", THIRD="t").env
    assert (env["LAB_KEY"], env["OTHER"]) == ("k", "o")
    assert "THIRD" not in env
    assert "NODE_OPTIONS" not in command(ask(extra_args=["-c", 'x.env_key="NODE_OPTIONS"']), NODE_OPTIONS="x").env


@pytest.mark.parametrize(
    "name",
    [
        *(n for n in NEVER if "*" not in n),
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_EXEC_SERVER_URL",
        "CODEX_SNAPSHOT_SOURCE",
        "CODEX_SESSION_ID",
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
    ],
)
def test_other_vendors_keys_nesting_marks_and_wider_rights_do_not(name):
    assert name not in command(ask(pass_env=["CODEX*"]), **{name: "v"}).env


def test_a_prompt_may_have_as_many_characters_as_codex_takes():
    assert CODEX.prompt_limit(ask()) == 1_048_576


# --- the native program -----------------------------------------------------------------------------------------------


def triple():
    machine = "aarch64" if platform.machine().lower() in ("arm64", "aarch64") else "x86_64"
    return (
        f"{machine}-{ {'darwin': 'apple-darwin', 'win32': 'pc-windows-msvc'}.get(sys.platform, 'unknown-linux-musl') }"
    )


def install(root, *places):
    for place in places:
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    script = root / "@openai/codex/bin/codex.js"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.touch()
    link = root / ".bin/codex"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(script)
    return link


def ours():
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    return f"codex-{sys.platform if sys.platform in ('darwin', 'win32') else 'linux'}-{machine}"


@pytest.mark.parametrize("where", ["@openai/{ours}", "@openai/codex/node_modules/@openai/{ours}", "@openai/codex"])
def test_the_native_program_and_its_tools_are_found_however_npm_laid_them_out(tmp_path, where):
    package = where.format(ours=ours())
    wanted = f"{package}/vendor/{triple()}/bin/codex"
    link = install(
        tmp_path,
        f"{package}/vendor/riscv64-unknown-linux-musl/bin/codex",
        wanted,
        f"{package}/vendor/{triple()}/codex-path/rg",
    )
    found = native(link)
    assert (found.program, found.tools) == (tmp_path / wanted, tmp_path / f"{package}/vendor/{triple()}/codex-path")
    rights = settings(command(ask(), link))["permissions.debate.filesystem"]
    assert rights[str(found.program)] == rights[str(found.tools)] == "read"


def test_a_program_without_a_package_is_the_native_one_itself(tmp_path):
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.touch()
    assert (native(program).program, native(program).tools) == (program, None)


# --- the recordings ---------------------------------------------------------------------------------------------------


def test_each_recording_has_its_outcome_and_each_outcome_its_recording():
    assert sorted(golden("codex")) == names("codex")


@pytest.mark.parametrize("name", names("codex"))
def test_a_recording_is_judged_as_the_golden_file_says(name):
    played = play(CODEX, name)
    assert str(played) == golden("codex")[name]
    assert played.envelope.failure or played.envelope.usage.output_tokens
    assert played.envelope.model is None, "codex never says which model answered"


def test_dropped_lines_are_those_that_reading_does_not_need():
    stdout = (RECORDINGS / "codex" / "t-multi.stdout").read_bytes()
    lines = stdout.splitlines(keepends=True)
    kept = [line for line in lines if CODEX.keep(line)]
    assert 0 < len(kept) < len(lines)
    ran = [line for line in lines if b'"item.completed"' in line and b'"command_execution"' in line]
    assert ran
    assert not set(ran) & set(kept)
    assert CODEX.keep(output(said('the event "type": "reasoning" is odd')))


# --- answers ----------------------------------------------------------------------------------------------------------


def test_an_answer_comes_with_what_codex_says_of_it():
    envelope = read(*BEGIN, said("CODEX-OK"), DONE)
    assert (envelope.response, envelope.failure, envelope.notes) == ("CODEX-OK", None, ())
    assert (envelope.tool, envelope.session_id) == ("codex", "t")
    assert envelope.usage == Usage(input_tokens=100, output_tokens=20)


def test_only_the_last_message_is_the_answer():
    assert (
        read(*BEGIN, said("I will read."), said("Now I compare."), said("CODEX-FINAL"), DONE).response == "CODEX-FINAL"
    )


def test_reconnects_and_warnings_before_a_good_end_are_a_note():
    warning = {"type": "item.completed", "item": {"type": "error", "message": "Falling back to another transport."}}
    envelope = read(*BEGIN, retry(2), retry(3), warning, said("CODEX-OK"), DONE)
    assert (envelope.response, envelope.notes) == ("CODEX-OK", ("reconnected 2 times",))


def test_events_of_unknown_shape_between_the_known_ones_do_no_harm():
    odd = [
        '{"type":"hologram.started","item":null}',
        "42",
        '"hello"',
        "null",
        "[]",
        '{"type":"item.completed","item":null}',
        '{"type":7}',
        '{"item":{}}',
    ]
    parts = {
        "type": "item.completed",
        "item": {"type": "agent_message", "text": [{"type": "text", "text": "CODEX-OK"}]},
    }
    empty = {"type": "item.completed", "item": {"type": "agent_message", "text": None}}
    assert read(*odd, empty, parts, *odd, {"type": "turn.completed", "usage": None}).response == "CODEX-OK"
    for event in odd:
        assert CODEX.watch(Progress(), event.encode(), "stdout") == Progress()


def test_separators_that_only_python_takes_for_line_ends_stay_in_the_answer():
    assert read(*BEGIN, said("CODEX-OK a\u2028b\u2029c\x85d END"), DONE).response == "CODEX-OK a\u2028b\u2029c\x85d END"


def test_a_complete_answer_counts_however_the_process_ended():
    assert read(*BEGIN, said("x"), DONE, exit_code=1).notes == ("exit code 1 after a complete result",)
    assert read(*BEGIN, said("x"), DONE, exit_code=None, ended="answered").notes == (
        "had to be stopped after its answer",
    )


# --- failures ---------------------------------------------------------------------------------------------------------

WRAPPED = json.dumps(
    {
        "type": "error",
        "status": 400,
        "error": {
            "type": "invalid_request_error",
            "message": "The 'old-model' model is not supported with this account.",
        },
    }
)


@pytest.mark.parametrize(
    ("events", "kind", "words"),
    [
        (
            [said("I will first look at"), *failed("The model is at capacity.")],
            K.OVERLOADED,
            "The model is at capacity.",
        ),
        (failed("You've hit your usage limit. Upgrade, or try again at 3:05 PM."), K.QUOTA, "try again at 3:05 PM"),
        (failed(WRAPPED), K.UNKNOWN_MODEL, "The 'old-model' model is not supported with this account."),
        (
            failed("unexpected status 401 Unauthorized: bad key, url: http://x/v1, request id: r"),
            K.NOT_LOGGED_IN,
            "bad key",
        ),
        (failed("Missing environment variable: `LAB_KEY`."), K.VENDOR_CONFIG, "LAB_KEY"),
        ([said(" "), DONE], K.EMPTY, "without any text"),
        ([DONE], K.EMPTY, "without any text"),
        ([said("partial")], K.CRASHED, "in the middle of its answer"),
        ([], K.CRASHED, "in the middle of its answer"),
    ],
)
def test_what_is_no_answer_is_a_failure_whatever_the_exit_code_says(events, kind, words):
    envelope = read(*BEGIN, *events, stderr=b"Reading additional input from stdin...\n")
    assert envelope.response is None
    assert envelope.failure.kind is kind
    assert words in envelope.failure.message
    assert not re.search("Reading additional|request id|invalid_request_error", envelope.failure.message)


def test_a_time_of_day_is_told_as_a_time():
    assert (
        read(*failed("You've hit your usage limit. Try again at 3:05 PM.")).failure.retry_at == "2026-11-30T14:05:00Z"
    )


@pytest.mark.parametrize(
    ("stderr", "kind", "words"),
    [
        (
            b"WARNING: proceeding, even though\nReading additional input from stdin...\nNot inside a trusted directory.\n",
            K.VENDOR_CONFIG,
            "Not inside a trusted directory.",
        ),
        (
            b"error: unexpected argument '--ephemeral' found\n\n  tip: x\n\nUsage: codex exec [OPTIONS]\n",
            K.UNSUPPORTED_FLAG,
            "'--ephemeral'",
        ),
        (
            b"Error loading config.toml: unknown configuration field `skills` in -c/--config override\n",
            K.UNSUPPORTED_FLAG,
            "`skills`",
        ),
        (
            b"Error loading config.toml:\n/h/.codex/config.toml:1:6: key with no value\n",
            K.VENDOR_CONFIG,
            "/h/.codex/config.toml:1:6",
        ),
        (
            b"Error: turn/start: turn/start failed: Input exceeds the maximum length of 9 characters. (code -32602), data: {}\n",
            K.TOO_LONG,
            "of 9 characters.",
        ),
        (b"", K.CRASHED, "exit code 1; it printed nothing"),
    ],
)
def test_a_start_that_fails_is_explained_by_stderr_without_its_notices(stderr, kind, words):
    message = read(stderr=stderr, exit_code=1).failure
    assert message.kind is kind
    assert message.message.endswith(words) or words in message.message
    assert not re.search("WARNING|Reading|Usage|tip:|data:", message.message)


def test_a_deadline_says_what_was_seen_and_a_better_reason_if_there_is_one():
    late = {"exit_code": None, "ended": "deadline"}
    seen = read(*BEGIN, progress=Progress("runs rg queue"), **late).failure
    assert (seen.kind, seen.message) == (K.TIMED_OUT, "no complete answer after 10 s; last seen: runs rg queue")
    assert read(*BEGIN, WAITING, **late).failure.kind is K.NETWORK
    assert (
        read(*BEGIN, retry(1, "exceeded retry limit, last status: 429 Too Many Requests"), **late).failure.kind
        is K.RATE_LIMITED
    )


@pytest.mark.parametrize(("ended", "kind"), [("cancelled", K.CANCELLED), ("too_much_output", K.TOO_MUCH_OUTPUT)])
def test_what_we_ended_ourselves_is_told_as_that(ended, kind):
    assert read(*BEGIN, WAITING, exit_code=-15, ended=ended).failure.kind is kind


# --- progress ---------------------------------------------------------------------------------------------------------


def test_progress_tells_what_codex_does():
    run = {"type": "item.started", "item": {"type": "command_execution", "command": "/bin/bash -lc 'rg -n queue src'"}}
    assert watched(run).activity == "runs rg -n queue src"
    assert watched(said("hm", "reasoning")).activity == "thinks"
    assert (watched(said("four")).written, watched(said("four")).activity) == (4, "writes (4 characters)")
    assert watched(retry(2, "network error")).activity == "tries again: network error"
    assert watched(*BEGIN, said("x"), DONE).complete
    assert watched(*BEGIN, *failed("x")).complete
    assert not watched(*BEGIN, said("x")).complete


def test_waiting_for_a_network_for_ever_is_given_up():
    assert watched(*BEGIN, retry(2), retry(3), retry(4), retry(5), WAITING).hopeless is None
    given_up = watched(*BEGIN, retry(5), WAITING, WAITING).hopeless
    assert given_up.kind is K.NETWORK
    assert "waiting for network" in given_up.message
    assert "given up" in given_up.message
    assert (
        read(*BEGIN, WAITING, WAITING, exit_code=-15, ended="hopeless", progress=Progress(hopeless=given_up)).failure
        == given_up
    )


def test_trying_again_what_no_trying_mends_is_given_up_the_second_time():
    refused = "unexpected status 401 Unauthorized: bad key, url: http://x/v1/responses, request id: r"
    assert watched(retry(1, refused)).hopeless is None
    assert watched(retry(1, refused), retry(2, refused)).hopeless.kind is K.NOT_LOGGED_IN
    assert (
        watched(*(retry(n, "exceeded retry limit, last status: 429 Too Many Requests") for n in range(1, 6))).hopeless
        is None
    )
    assert watched(*(retry(n, refused.replace("http:", "wss:")) for n in range(2, 6))).hopeless is None
