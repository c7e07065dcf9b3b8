"""What servers say when they refuse, and where keys may go."""

from datetime import UTC, datetime

import pytest

from adapters.openai.address import address, is_loopback, variables, wrong_header, wrong_url
from adapters.openai.fault import in_reply, narrowed, refused
from adapters.openai.stream import Reply
from adapters.spec import Ask
from state.failures import FailureKind as K
from state.models import Failure, Seat

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "http://127.0.0.1:1/v1/chat/completions"
LLAMA = b'{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}'
VLLM = b'{"object":"error","message":"This model\'s maximum context length is 4096 tokens.","type":"BadRequestError","code":400}'
OLLAMA = b'{"error":{"message":"model \\"nope\\" not found, try pulling it first","type":"api_error"}}'


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, b'{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}', K.NOT_LOGGED_IN),
        (403, b"forbidden", K.NOT_LOGGED_IN),
        (404, OLLAMA, K.UNKNOWN_MODEL),
        (404, b'{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}', K.UNKNOWN_MODEL),
        (404, b"404 page not found", K.VENDOR_CONFIG),
        (400, LLAMA, K.TOO_LONG),
        (400, VLLM, K.TOO_LONG),
        (413, b"", K.TOO_LONG),
        (429, b'{"error":{"message":"Rate limit","code":"rate_limit_exceeded"}}', K.RATE_LIMITED),
        (429, b'{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}', K.QUOTA),
        (500, b"oops", K.OVERLOADED),
        (502, b"<html><body>Bad gateway</body></html>", K.OVERLOADED),
        (503, b'{"error":{"message":"Loading model","type":"unavailable_error"}}', K.OVERLOADED),
        (400, b'{"error":"strange field"}', K.VENDOR_CONFIG),
        (302, b"", K.VENDOR_CONFIG),
    ],
)
def test_each_refusal_has_its_kind_and_names_its_status(status: int, body: bytes, kind: K):
    failed = refused(status, {}, body, NOW, URL)
    assert failed.kind == kind, failed
    assert str(status) in failed.message


@pytest.mark.parametrize(
    ("header", "until"),
    [
        ("30", "2026-11-30T12:00:30Z"),
        ("Mon, 30 Nov 2026 13:00:00 GMT", "2026-11-30T13:00:00Z"),
        ("soon", None),
        ("-5", None),
        ("1e99", None),
        ("", None),
    ],
)
def test_retry_after_is_told(header: str, until: str | None):
    assert refused(429, {"retry-after": header}, b"slow down", NOW, URL).retry_at == until


def test_a_redirect_is_refused_without_the_query_it_carries():
    failed = refused(307, {"location": "https://evil.example/x?key=abc"}, b"", NOW, URL)
    assert "https://evil.example/x" in failed.message
    assert "abc" not in failed.message


@pytest.mark.parametrize(
    ("status", "words", "lacking"),
    [
        (400, "registry.ollama.ai/library/x does not support tools", "tools"),
        (500, "tools param requires --jinja flag", "tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', "tools"),
        (404, "No endpoints found that support tool use", "tools"),
        (400, "Unknown field stream_options", "stream_options"),
        (400, "temperature is wrong", None),
        (401, "tools are for members", None),
        (400, "the tools made the prompt exceed the context window", None),
    ],
)
def test_a_server_that_lacks_tools_is_known_by_its_words(status: int, words: str, lacking: str | None):
    assert narrowed(status, words.encode()) == lacking


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(finish="content_filter"), K.REFUSED),
        (Reply(refusal="I cannot help with that."), K.REFUSED),
        (Reply(parts=["half"], finish="length"), K.TRUNCATED),
        (Reply(error={"message": "overloaded", "code": 503}), K.OVERLOADED),
        (Reply(error="maximum context length is 10"), K.TOO_LONG),
        (Reply(error={"message": "x", "code": "insufficient_quota"}), K.QUOTA),
        (Reply(parts=["whole"], finish="stop"), None),
    ],
)
def test_a_whole_reply_may_be_a_failure(reply: Reply, kind: K | None):
    failed = in_reply(reply, NOW)
    assert (failed and failed.kind) == kind


@pytest.mark.parametrize(
    ("options", "base", "names"),
    [
        ({}, "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
        ({}, "https://elsewhere.example/v1", ()),
        ({}, "http://127.0.0.1:11434/v1", ()),
        ({"base_url": "https://h.example/v1", "api_key_env": "H_KEY"}, "https://h.example/v1", ("H_KEY",)),
        ({"base_url": "https://h.example/v1", "api_key_env": "H_KEY"}, "https://h.example:444/v1", ()),
        ({"base_url": "https://h.example/v1", "api_key_env": "H_KEY"}, "http://h.example/v1", ()),
        ({"base_url": "https://h.example/v1"}, "https://h.example/v1", ()),
        ({"base_url": "https://h.example/v1", "headers": {"X-Key": "${A_KEY}"}}, "https://h.example/v2", ("A_KEY",)),
        ({"base_url": "https://h.example/v1", "headers": {"X-Key": "${A_KEY}"}}, "https://evil.example/v1", ()),
    ],
)
def test_a_key_goes_only_to_the_address_for_which_it_was_set_up(options, base: str, names):
    assert variables(options, base) == names


def test_own_headers_stay_at_home_too():
    options = {"base_url": "https://h.example/v1", "headers": {"X-Org": "acme"}, "model": "m"}
    at_home = address(Ask(Seat(role="p", tool="h"), "", options=options), {})
    away = address(Ask(Seat(role="p", tool="h", url="https://evil.example/v1"), "", options=options), {})
    assert not isinstance(at_home, Failure)
    assert not isinstance(away, Failure)
    assert (dict(at_home.headers), dict(away.headers)) == ({"X-Org": "acme"}, {})


@pytest.mark.parametrize(
    ("base", "environ", "kind"),
    [
        ("http://h.example/v1", {"H_KEY": "k"}, K.VENDOR_CONFIG),
        ("https://h.example/v1", {}, K.NOT_LOGGED_IN),
        ("https://h.example/v1", {"H_KEY": ""}, K.NOT_LOGGED_IN),
        ("https://h.example/v1", {"H_KEY": "k"}, None),
        ("http://192.168.1.5:8000/v1", {"H_KEY": "k"}, None),
        ("http://[::1]:8000/v1", {"H_KEY": "k"}, None),
    ],
)
def test_no_key_goes_in_the_clear_over_the_net(base: str, environ: dict[str, str], kind: K | None):
    options = {"base_url": base, "api_key_env": "H_KEY", "model": "m"}
    found = address(Ask(Seat(role="p", tool="h"), "", options=options), environ)
    assert (found.kind if isinstance(found, Failure) else None) == kind


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1:80", "localhost", "LOCALHOST.", "a.localhost", "[::1]:1"])
def test_this_machine_is_known(host: str):
    assert is_loopback(f"http://{host}/v1")


@pytest.mark.parametrize("host", ["127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "0x7f000001x"])
def test_others_are_not_this_machine(host: str):
    assert not is_loopback(f"http://{host}/v1")


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "x", "http://", "http://u:p@h/v1", "http://h/v1?key=1", "http://h/#a", "http://h:99999/", "http://h/a b"]
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str):
    assert wrong_url(url)


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("X-Org", "acme", False),
        ("X-Api-Key", "sk-abc", True),
        ("X-Api-Key", "${SOME_API_KEY}", False),
        ("X-Api-Key", "${PLAIN}", True),
        ("Authorization", "Bearer abc", True),
        ("Host", "x", True),
        ("X-A", "a\r\nX-B: c", True),
        ("X A", "a", True),
    ],
)
def test_headers_are_sendable_and_hold_no_secret_in_plain(name: str, value: str, wrong: bool):
    assert (wrong_header(name, value) is not None) == wrong
