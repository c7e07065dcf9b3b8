"""Copilot: its command, its events, whom its home trusts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.copilot import COPILOT
from adapters.spec import Command
from state.models import Failure
from tests.adapters.speaking import ask, command, ended, judged, place, verdict, watched

OWN = {"COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:1/v1", "COPILOT_PROVIDER_API_KEY": "k", "COPILOT_MODEL": "m"}


def built(folder: Path, *, view: Path | None = None, model: str | None = None, **environ: str) -> Command | Failure:
    return COPILOT.build(ask("copilot", view=view, model=model), place(folder, **environ))


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def message(content: str, *requests: object) -> dict[str, Any]:
    return event("assistant.message", messageId="1", model="gpt-x", content=content, toolRequests=list(requests))


def lines(*events: Mapping[str, Any]) -> str:
    return "".join(json.dumps(e) + "\n" for e in events)


def result(code: int = 0) -> dict[str, Any]:
    return {"type": "result", "sessionId": "s", "exitCode": code, "usage": {"premiumRequests": 0}}


def trusting(folder: Path, name: str, *folders: str) -> None:
    home = folder / "home" / ".copilot"
    home.mkdir(parents=True)
    (home / "config.json").write_text("// written by copilot\n" + json.dumps({name: list(folders)}))


def test_it_has_three_reading_tools_and_without_a_view_none(tmp_path: Path) -> None:
    with_view = command(built(tmp_path, view=tmp_path, **OWN))
    assert "--available-tools=view,grep,glob" in with_view.argv
    assert with_view.cwd == tmp_path
    without = command(built(tmp_path, **OWN))
    assert "--available-tools=none" in without.argv
    assert without.cwd == place(tmp_path).folder / "cwd"


def test_model_and_effort_are_named(tmp_path: Path) -> None:
    assert command(built(tmp_path, model="gpt-5.4", **OWN)).argv[-2:] == ("--model=gpt-5.4", "--reasoning-effort=high")


@pytest.mark.parametrize("login", [OWN, {"GH_TOKEN": "t"}, {"GITHUB_TOKEN": "t"}, {"COPILOT_GITHUB_TOKEN": "t"}])
def test_a_login_in_the_environment_needs_no_home_so_it_gets_a_fresh_one(tmp_path: Path, login: dict[str, str]) -> None:
    trusting(tmp_path, "trusted_folders", "/")
    assert command(built(tmp_path, **login)).env["COPILOT_HOME"] == str(place(tmp_path).folder / "ch")


def test_a_login_in_the_users_home_stays_there(tmp_path: Path) -> None:
    trusting(tmp_path, "trusted_folders", "/somewhere/else")
    assert "COPILOT_HOME" not in command(built(tmp_path, view=tmp_path)).env


@pytest.mark.parametrize("name", ["trusted_folders", "trustedFolders"])
def test_a_home_that_trusts_the_view_is_refused(tmp_path: Path, name: str) -> None:
    trusting(tmp_path, name, str(tmp_path))
    refused = built(tmp_path, view=tmp_path / "view")
    assert isinstance(refused, Failure)
    assert refused.kind == "vendor_config"
    assert f"trusts the folder {tmp_path}" in refused.message


def test_what_allows_every_tool_never_reaches_it(tmp_path: Path) -> None:
    assert "COPILOT_ALLOW_ALL" not in command(built(tmp_path, COPILOT_ALLOW_ALL="true", **OWN)).env


def test_the_answer_is_the_last_message_that_asks_for_no_tool() -> None:
    out = lines(message("", {"name": "view"}), message("Postgres."), event("assistant.idle"), result())
    envelope = judged(COPILOT, ended(0, out))
    assert (envelope.response, envelope.model, envelope.session_id) == ("Postgres.", "gpt-x", "s")
    assert envelope.usage.input_tokens is None


def test_a_complete_answer_before_a_bad_or_missing_exit_is_an_answer() -> None:
    for finished in (ended(1, lines(message("x"))), ended(None, lines(message("x")), ended="deadline")):
        assert verdict(COPILOT, finished) == ("answer", "x")


def test_an_error_that_a_later_attempt_mended_does_not_spoil_the_answer() -> None:
    out = lines(event("model.call_failure", statusCode=500, errorMessage="x"), message("Postgres."), result())
    assert verdict(COPILOT, ended(0, out)) == ("answer", "Postgres.")


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "kind", "words"),
    [
        (0, lines(message("", {"name": "view"}), event("abort", reason="user_initiated"), result()), "", "crashed", "middle"),
        (0, lines(result()), "", "empty", "neither"),
        (1, lines(event("session.error", errorType="query", message="No response was returned.")), "", "empty", "No response"),
        (0, lines(message("The model returned no content because the response was blocked by content filtering."), result()),
         "", "refused", "blocked by content filtering"),
        (1, lines(event("session.error", errorType="authentication", statusCode=401, message="Bad key")), "", "not_logged_in",
         "HTTP 401: Bad key"),
        (1, lines(event("session.error", errorType="rate_limit", statusCode=429, message="429 x")), "", "rate_limited", "429 x"),
        (1, lines(event("session.error", errorType="rate_limit", statusCode=429, message="You exceeded your quota")), "",
         "quota", "HTTP 429: You exceeded"),
        (1, lines(event("session.error", errorType="query", message="Request exceeds the model's prompt budget")), "",
         "too_long", "prompt budget"),
        (1, lines(event("session.error", errorType="query", statusCode=404, message="Model 'm' not found")), "",
         "unknown_model", "Model 'm' not found"),
        (1, lines(event("session.error", errorType="new", message="Something new")), "", "crashed", "Something new"),
        (1, "", "Error: No authentication information found.\n\nCopilot can be", "not_logged_in", "No authentication"),
        (1, "", "error: unexpected argument '--no-remote' found", "unsupported_flag", "--no-remote"),
        (1, "", "", "crashed", "exit code 1; it printed nothing"),
        (0, "Changes    +0 -0\nRequests   1 Premium (7s)\n", "", "unparsable", "PARSE_ERROR:no_json:0"),
        (-9, lines(event("assistant.turn_start")), "", "crashed", "SIGKILL"),
    ],
)  # fmt: skip
def test_a_failure_has_its_kind_and_the_vendors_words(
    exit_code: int, stdout: str, stderr: str, kind: str, words: str
) -> None:
    found, told = verdict(COPILOT, ended(exit_code, stdout, stderr))
    assert (found, words in told) == (kind, True), told


def test_a_question_that_nobody_answers_is_quoted_and_the_text_before_it_is_no_answer() -> None:
    out = "I will look.\n\nThese paths are outside:\n  - /srv/data\n\nAllow access? (y/n): "
    kind, told = verdict(COPILOT, ended(-15, out, ended="deadline"))
    assert (kind, told) == ("denied", "waits for an answer that nobody can give: Allow access? (y/n):")


def test_at_the_deadline_the_last_failed_request_tells_why() -> None:
    out = lines(event("model.call_failure", statusCode=500, errorMessage='{"message":"Busy"}'))
    told = ended(-15, out, "Error executing prompt: Error: Cannot invoke native session\n", ended="deadline")
    assert verdict(COPILOT, told) == ("overloaded", "HTTP 500: Busy")


def test_its_own_retries_are_given_up_after_three_and_a_quota_at_once() -> None:
    def failed(number: int, words: str = "Busy") -> dict[str, Any]:
        return event(
            "model.call_failure", statusCode=429, retryAttempt=number, errorMessage=json.dumps({"message": words})
        )

    busy = watched(COPILOT, lines(*map(failed, range(4))))
    assert [p.hopeless and p.hopeless.kind for p in busy] == [None, None, None, "rate_limited"]
    assert [p.hopeless and p.hopeless.kind for p in watched(COPILOT, lines(failed(0, "insufficient_quota")))] == [
        "quota"
    ]


def test_a_person_sees_what_it_reads_and_how_much_it_writes() -> None:
    out = lines(
        event("tool.execution_start", toolName="view", arguments={"path": "a.py"}),
        event("assistant.message_start"),
        event("assistant.message_delta", deltaContent="abc"),
        event("assistant.message_delta", deltaContent="de"),
        message("abcde"),
        result(),
    )
    assert [p.activity for p in watched(COPILOT, out)][2:] == [
        *("writes (3 characters)", "writes (5 characters)", "writes (5 characters)", "writes (5 characters)"),
    ]
    assert watched(COPILOT, out)[0].activity == "reads a.py"
    assert watched(COPILOT, out)[-1].complete


def test_echoes_pieces_and_contents_of_files_are_not_kept() -> None:
    for kind in (
        "user.message",
        "assistant.message_delta",
        "tool.execution_complete",
        "session.background_tasks_changed",
    ):
        assert not COPILOT.keep(lines(event(kind)).encode())
    for kind in ("assistant.message", "session.error", "model.call_failure", "assistant.something_new"):
        assert COPILOT.keep(lines(event(kind)).encode())
    assert COPILOT.keep(b"Allow access? (y/n): ")
