import json
from datetime import datetime, timedelta, timezone

import pytest

from adapters.failing import by_status, inner, judged, status_in, words
from state.failures import FailureKind as K

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=timezone(timedelta(hours=1)))


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
        ("407 Proxy Authentication Required", None, [], K.NETWORK),
        ("Error: unable to get local issuer certificate", None, [], K.NETWORK),
        ("code: CERT_HAS_EXPIRED", None, [], K.NETWORK),
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
    assert judged(text, status=status, codes=codes).kind is kind


def test_a_language_that_we_do_not_know_is_judged_by_code_and_status_and_never_guessed():
    assert judged("您今天的配额已用完", codes=["RESOURCE_EXHAUSTED"]).kind is K.RATE_LIMITED
    assert judged("模型不存在", status=404).kind is K.UNKNOWN_MODEL
    assert judged("错误：请先登录") == judged("错误：请先登录", otherwise=K.CRASHED)
    assert judged("错误：请先登录").message == "错误：请先登录"


def test_the_innermost_sentence_of_wrapped_errors_is_told():
    deepest = {
        "type": "error",
        "status": 400,
        "error": {"type": "invalid_request_error", "message": "The 'x' model is not supported."},
    }
    text = json.dumps({"error": {"message": "API Error: " + json.dumps(deepest)}})
    assert inner(text).text == "The 'x' model is not supported."
    assert (inner(text).status, inner(text).codes) == (400, ("invalid_request_error",))
    assert judged(text).kind is K.UNKNOWN_MODEL


def test_endless_wrapping_ends():
    text = "innermost"
    for _ in range(12):
        text = json.dumps({"message": text})
    assert inner(text).text


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("API Error: 529 overloaded", 529),
        ("last status: 429 Too Many", 429),
        ("rejected (429)", 429),
        ("took 500 ms", None),
        ("code 404", 404),
    ],
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
    assert judged(text, now=NOW).retry_at == time


def test_without_a_clock_only_whole_times_are_told():
    assert judged("usage limit, try again at 3:05 PM").retry_at is None
    assert judged("usage limit reached|1749924000").retry_at == "2025-06-14T18:00:00Z"


def test_a_persons_words_have_no_codes_no_stack_no_epoch_and_no_repetition():
    text = "\x1b[31mBad key\x1b[0m\n    at retry (file:///x.js:1:1)\n    at async main (x.js)\nBad key\n{\n\nAsk Ann|1749924000\nthird"
    assert words(text) == "Bad key Ask Ann"
    assert len(words("x" * 1000)) == 300
