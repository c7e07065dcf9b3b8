import json
import signal
from datetime import datetime, timedelta, timezone

import pytest

from adapters.failing import by_ending, by_exit, by_status, heard, last_seen, said, status_in, unparsable, words
from adapters.spec import Finished, Progress
from state.failures import FailureKind as K

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=timezone(timedelta(hours=1)))


def finished(**given):
    return Finished(**({"exit_code": 0, "stdout": b"", "stderr": b"", "duration_s": 10.2} | given))


@pytest.mark.parametrize(
    ("text", "status", "codes", "kind"),
    [
        ("Not logged in · Please run /login", None, ["authentication_failed"], K.NOT_LOGGED_IN),
        ("Invalid API key · Fix external API key", 401, [], K.NOT_LOGGED_IN),
        ("You've hit your session limit", 429, ["rate_limit"], K.QUOTA),
        ("Request rejected (429) · per-minute rate limit", 429, ["rate_limit"], K.RATE_LIMITED),
        ("Credit balance is too low", 400, ["billing_error"], K.QUOTA),
        ("Credit balance is too low", 400, ["invalid_request"], K.QUOTA),
        ("API Error: Repeated 529 Overloaded errors", None, [], K.OVERLOADED),
        ("API Error: 500 Internal server error", None, [], K.OVERLOADED),
        ("Unable to connect to API (ConnectionRefused)", None, [], K.NETWORK),
        ("The model `m` does not exist or you do not have access to it.", None, [], K.UNKNOWN_MODEL),
        ("unexpected status 404 Not Found: no such path", None, [], K.VENDOR_CONFIG),
        ("Incomplete response returned, reason: max_output_tokens", None, [], K.TRUNCATED),
        ("reason: content_filter", None, [], K.REFUSED),
        ("error: unknown option '--x'", None, [], K.UNSUPPORTED_FLAG),
        ("Error loading config.toml: unknown configuration field `x`", None, [], K.UNSUPPORTED_FLAG),
        ("Prompt is too long", 400, [], K.TOO_LONG),
        ("messages.0: bad", 400, [], K.CRASHED),
        ("something else", None, [None, "no_such_code"], K.CRASHED),
    ],
)
def test_codes_come_first_then_the_status_then_words(text, status, codes, kind):
    assert said(text, status=status, codes=codes).kind is kind


def test_a_language_that_we_do_not_know_is_judged_by_code_and_status_and_never_guessed():
    assert said("您今天的配额已用完", codes=["RESOURCE_EXHAUSTED"]).kind is K.RATE_LIMITED
    assert said("模型不存在", status=404).kind is K.UNKNOWN_MODEL
    assert said("错误：请先登录") == said("错误：请先登录", otherwise=K.CRASHED)
    assert said("错误：请先登录").message == "错误：请先登录"


def test_the_innermost_sentence_of_wrapped_errors_is_told():
    inner = {"type": "error", "status": 400, "error": {"type": "invalid_request_error", "message": "The 'x' model is not supported."}}
    text = json.dumps({"error": {"message": "API Error: " + json.dumps(inner)}})
    assert heard(text).text == "The 'x' model is not supported."
    assert (heard(text).status, heard(text).codes) == (400, ("invalid_request_error",))
    assert said(text).kind is K.UNKNOWN_MODEL


def test_endless_wrapping_ends():
    text = "innermost"
    for _ in range(12):
        text = json.dumps({"message": text})
    assert heard(text).text


@pytest.mark.parametrize(
    ("text", "status"),
    [("API Error: 529 overloaded", 529), ("last status: 429 Too Many", 429), ("rejected (429)", 429), ("took 500 ms", None), ("code 404", 404)],
)
def test_a_status_is_found_where_the_text_names_one(text, status):
    assert status_in(text) == status


def test_the_server_errors_are_all_alike():
    assert {by_status(s) for s in (500, 502, 503, 529)} == {K.OVERLOADED}
    assert by_status(200) is by_status(400) is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("AI usage limit reached|1749924000", "2025-06-14T18:00:00Z"),
        ("usage limit reached|1749924000123", "2025-06-14T18:00:00Z"),
        ("You've hit your session limit · resets Mar 17, 2030, 5:46pm (UTC)", "2030-03-17T17:46:00Z"),
        ("session limit · resets 3am (America/New_York)", "2026-12-01T08:00:00Z"),
        ("usage limit. Upgrade, or try again at 3:05 PM.", "2026-11-30T14:05:00Z"),
        ("usage limit, try again at 1:05 PM.", "2026-12-01T12:05:00Z"),
        ("usage limit, try again at Dec 3rd, 2026 3:05 PM", "2026-12-03T14:05:00Z"),
        ("usage limit, try again in 2 days 3 hours 5 minutes", "2026-12-02T16:05:00Z"),
        ("rate limit, please try again in 1m 30.5s.", "2026-11-30T13:01:30Z"),
        ("rate limit, retry after 30 seconds", "2026-11-30T13:00:30Z"),
        ("quota, resets Mar 99, 2030, 5:46pm (UTC)", None),
        ("quota, resets 5pm (Nowhere/X)", None),
        ("quota, try again in a moment", None),
        ("quota|9999999999999999", None),
    ],
)
def test_the_time_at_which_waiting_ends_is_read_from_the_vendors_words(text, time):
    assert said(text, now=NOW).retry_at == time


def test_without_a_clock_only_whole_times_are_told():
    assert said("usage limit, try again at 3:05 PM").retry_at is None
    assert said("usage limit reached|1749924000").retry_at == "2025-06-14T18:00:00Z"


def test_a_persons_words_have_no_codes_no_stack_no_epoch_and_no_repetition():
    text = "\x1b[31mBad key\x1b[0m\n    at retry (file:///x.js:1:1)\n    at async main (x.js)\nBad key\n{\n\nAsk Ann|1749924000\nthird"
    assert words(text) == "Bad key Ask Ann"
    assert len(words("x" * 1000)) == 300


def test_a_parse_error_names_what_was_seen_and_stays_short():
    failure = unparsable("no_result", "exit_0", ["system", "a\x1b\nb", 7, "system"])
    assert (failure.kind, failure.message) == (K.UNPARSABLE, "PARSE_ERROR:no_result:exit_0 (events seen: system, a??b, 7)")
    assert len(unparsable("no_result", "exit_0", map(str, range(500))).message) == 200


def test_the_way_a_call_was_ended_says_why_it_failed():
    assert by_ending(finished()) is None
    assert by_ending(finished(ended="cancelled")).kind is K.CANCELLED
    assert by_ending(finished(ended="too_much_output")).kind is K.TOO_MUCH_OUTPUT
    assert by_ending(finished(ended="deadline")).message == "no complete answer after 10 s; it printed nothing"
    given_up = said("no network", otherwise=K.NETWORK)
    assert by_ending(finished(ended="hopeless", progress=Progress(hopeless=given_up))) == given_up


def test_what_was_last_seen_is_quoted():
    assert last_seen(finished(stderr=b"one\n\x1b[1mlast words\x1b[0m\n\n")) == "last printed: last words"
    assert last_seen(finished(stdout=b'{"type": "init"}\n')) == "it printed no text"
    assert last_seen(finished(stderr=b"x", progress=Progress(activity="reads a.py"))) == "last seen: reads a.py"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (1, "ended with exit code 1; it printed nothing"),
        (-signal.SIGKILL, "killed by SIGKILL (9), perhaps out of memory; it printed nothing"),
        (143, "killed by SIGTERM (15); it printed nothing"),
        (None, "did not end; it printed nothing"),
        (145, "ended with exit code 145; it printed nothing"),
    ],
)
def test_a_bare_exit_says_how_the_process_ended(code, told):
    assert (by_exit(finished(exit_code=code)).kind, by_exit(finished(exit_code=code)).message) == (K.CRASHED, told)
