"""Real calls to a real server on loopback, with each of its faults."""

import http.server
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapters import ask as port
from adapters.ask import Answered, Setting, Teller, ask
from adapters.openai import OPENAI, call
from adapters.spec import Ask, Progress
from state.failures import FailureKind as K
from state.models import Seat
from tests.fakes.model_server import SCENARIOS, Call, ModelServer, Scenario

KEY = "s3cret-Value-of-the-key"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(port, "FIRST_WAIT_S", 0.01)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def view(tmp_path: Path) -> Path:
    folder = tmp_path / "view"
    folder.mkdir()
    (folder / "queue.py").write_text("def take():\n    return 1\n")
    (folder / "evil.txt").write_text("a" * 40 + "\n")
    return folder


def question(
    url: str, view: Path | None = None, *, seconds: float = 20, prompt: str = "Which queue?", **options: Any
) -> Ask:
    seat = Seat(role="proposer", tool="openai", model="m", transport="http", timeout_s=seconds, url=url)
    return Ask(seat, prompt, view, options=options)


def answer(asked: Ask, tmp_path: Path, tell: Callable[[Progress], None] = lambda _p: None, **environ: str) -> Answered:
    setting = Setting(tmp_path, Path("/bin/false"), {"PATH": os.environ["PATH"], **environ})
    return anyio.run(ask, asked, OPENAI, setting, Teller(tell, lambda *_: None))


@contextmanager
def saying(status: int, body: bytes, *headers: tuple[str, str]) -> Iterator[str]:
    """A server that says one thing, and counts who asked in `asked`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


@pytest.mark.parametrize(
    ("scenario", "kind", "tries"),
    [
        ("401", K.NOT_LOGGED_IN, 1),
        ("403", K.NOT_LOGGED_IN, 1),
        ("404", K.UNKNOWN_MODEL, 1),
        ("429-long", K.RATE_LIMITED, 1),
        ("quota", K.QUOTA, 1),
        ("500", K.OVERLOADED, 3),
        ("529", K.OVERLOADED, 3),
        ("cut", K.CRASHED, 1),
        ("html", K.UNPARSABLE, 1),
        ("garbage", K.UNPARSABLE, 1),
        ("empty", K.EMPTY, 1),
    ],
)
def test_each_fault_of_a_server_has_its_kind(scenario: str, kind: K, tries: int, tmp_path: Path):
    with ModelServer(default=SCENARIOS[scenario]) as server:
        envelope = answer(question(server.url("seat")), tmp_path).envelope
    assert envelope.failure
    assert envelope.failure.kind == kind, envelope.failure
    assert envelope.failure.message
    assert envelope.failure.remedy
    assert len(server.requests) == tries
    assert envelope.transport == "http"


@pytest.mark.parametrize(("scenario", "seen"), [("hang", "nothing came"), ("hang-midstream", "writes")])
def test_a_server_that_stalls_is_left_at_the_deadline(scenario: str, seen: str, tmp_path: Path):
    with ModelServer(default=SCENARIOS[scenario]) as server:
        began = time.monotonic()
        failed = answer(question(server.url("seat"), seconds=0.6), tmp_path).envelope.failure
        assert time.monotonic() - began < 2
    assert failed
    assert failed.kind == K.TIMED_OUT
    assert seen in failed.message


def test_a_passing_fault_is_tried_again_and_a_named_time_is_waited_for(tmp_path: Path):
    busy = Scenario(refusal=SCENARIOS["429"].refusal, headers={"retry-after": "1"}, times=1)
    with ModelServer(default=busy) as server:
        envelope = answer(question(server.url("seat")), tmp_path).envelope
    assert envelope.response == "PONG from the scripted model."
    assert [attempt.failure.kind for attempt in envelope.attempts] == [K.RATE_LIMITED]


def test_nobody_there_is_the_network(tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        failed = answer(question(url, seconds=5), tmp_path).envelope.failure
    assert failed
    assert failed.kind == K.NETWORK
    assert url in failed.message


@pytest.mark.parametrize(
    ("finish", "delta", "kind"),
    [
        ("length", {"content": "half"}, K.TRUNCATED),
        ("content_filter", {"content": "half"}, K.REFUSED),
        ("stop", {"refusal": "I will not."}, K.REFUSED),
        (None, {"content": "half"}, K.CRASHED),
        ("stop", {"content": "<think>only thoughts"}, K.EMPTY),
        ("stop", {"content": "whole"}, None),
    ],
)
def test_how_a_stream_ends_tells_whether_it_is_an_answer(finish, delta, kind: K | None, tmp_path: Path):
    event = json.dumps({"choices": [{"delta": delta, "finish_reason": finish}]}).encode()
    with saying(200, b"data: %b\n\n" % event, ("content-type", "text/event-stream")) as url:
        failed = answer(question(url), tmp_path).envelope.failure
    assert (failed and failed.kind) == kind


def test_an_error_within_the_stream_is_a_failure(tmp_path: Path):
    events = b'data: {"choices":[{"delta":{"content":"ha"}}]}\n\ndata: {"error":{"message":"maximum context length","code":400}}\n\n'
    with saying(200, events, ("content-type", "text/event-stream")) as url:
        failed = answer(question(url), tmp_path).envelope.failure
    assert failed
    assert failed.kind == K.TOO_LONG


def test_a_server_that_does_not_stream_is_understood(tmp_path: Path):
    body = json.dumps(
        {"model": "big", "choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}
    ).encode()
    with saying(200, body, ("content-type", "application/json")) as url:
        envelope = answer(question(url), tmp_path).envelope
    assert (envelope.response, envelope.model) == ("whole", "big")


def test_a_key_does_not_follow_a_redirect_and_stands_in_no_message(tmp_path: Path):
    with (
        ModelServer() as elsewhere,
        saying(307, b"", ("location", elsewhere.url("steal") + "/v1/chat/completions")) as url,
    ):
        asked = question(url, base_url=url, api_key_env="MY_API_KEY")
        failed = answer(asked, tmp_path, MY_API_KEY=KEY).envelope.failure
    assert not elsewhere.requests
    assert failed
    assert failed.kind == K.VENDOR_CONFIG


def test_a_key_that_a_server_echoes_is_redacted_in_answers_and_failures(tmp_path: Path):
    with ModelServer(default=Scenario(answer=lambda _p: f"your key is {KEY}")) as server:
        base = server.url("seat")
        told = answer(question(base, base_url=base, api_key_env="MY_API_KEY"), tmp_path, MY_API_KEY=KEY).envelope
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in told.model_dump_json()
    with saying(401, f'{{"error":{{"message":"bad key {KEY}"}}}}'.encode()) as url:
        failed = answer(question(url, base_url=url, api_key_env="MY_API_KEY"), tmp_path, MY_API_KEY=KEY).envelope
    assert KEY not in failed.model_dump_json()


def test_loopback_is_never_asked_through_a_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with ModelServer() as server, saying(200, b"from the proxy") as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.removesuffix("/v1"))
        assert answer(question(server.url("seat")), tmp_path).envelope.response


def test_more_than_a_person_reads_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("adapters.openai.stream.TEXT_LIMIT", 100_000)
    with ModelServer(default=SCENARIOS["huge"]) as server:
        failed = answer(question(server.url("seat")), tmp_path).envelope.failure
    assert failed
    assert failed.kind == K.TOO_MUCH_OUTPUT


def test_compressed_data_is_refused_before_it_is_unpacked(tmp_path: Path):
    with saying(
        200, b"\x1f\x8b" + b"0" * 50, ("content-type", "text/event-stream"), ("content-encoding", "gzip")
    ) as url:
        failed = answer(question(url), tmp_path).envelope.failure
    assert failed
    assert failed.kind == K.UNPARSABLE


def test_a_prompt_beyond_the_models_context_is_not_even_sent(tmp_path: Path):
    with ModelServer() as server:
        asked = question(server.url("seat"), prompt="word " * 5000, context_tokens=1000)
        failed = answer(asked, tmp_path).envelope.failure
    assert failed
    assert failed.kind == K.TOO_LONG
    assert not server.requests


def test_the_model_reads_the_project_and_what_goes_wrong_is_told_to_it(view: Path, tmp_path: Path):
    calls = [
        ("read", {"path": "queue.py"}),
        ("grep", {"pattern": "tak."}),
        ("glob", {"pattern": "*.py"}),
        ("read", {"path": "/etc/passwd"}),
        ("read", "not json"),
        ("bash", {"command": "id"}),
    ]
    seen: list[str | None] = []
    with ModelServer(default=Scenario(script=tuple(Call(*made) for made in calls))) as server:
        envelope = answer(question(server.url("seat"), view), tmp_path, lambda p: seen.append(p.activity)).envelope
        *_, last = server.requests
    assert last.results[:3] == ["1: def take():\n2:     return 1", "queue.py:1: def take():", "queue.py"]
    assert [result.partition(" (")[0][:28] for result in last.results[3:]] == [
        "Error: /etc/passwd is outsid",
        "Error: the arguments are not",
        "Error: there is no tool bash",
    ]
    assert "reads queue.py" in seen
    assert envelope.response == "PONG from the scripted model."
    assert envelope.usage.input_tokens == 11 * 7


def test_an_endless_regular_expression_is_stopped_and_told(view: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(call, "TOOL_S", 0.7)
    with ModelServer(default=Scenario(script=(Call("grep", {"pattern": "(a+)+$|(a|aa)+b"}),))) as server:
        (view / "evil.txt").write_text("a" * 60 + "!")
        envelope = answer(question(server.url("seat"), view), tmp_path).envelope
        assert "stopped after" in server.requests[-1].results[0]
    assert envelope.response


@pytest.mark.parametrize(
    ("options", "offered"),
    [({}, ["read", "glob", "grep"]), ({"toolbox": ["grep", "web_search"]}, ["grep"]), ({"toolbox": []}, []), ({"research": "off"}, [])],
)  # fmt: skip
def test_the_tools_that_are_offered(options: dict[str, Any], offered: list[str], view: Path, tmp_path: Path):
    with ModelServer() as server:
        answer(question(server.url("seat"), view, **options), tmp_path)
        assert server.requests[0].offered == offered


def test_a_model_without_tools_is_asked_once_more_without_and_that_is_noted(view: Path, tmp_path: Path):
    lacking = Scenario(refusal=_refusal(400, "registry.example/x does not support tools"), times=1)
    with ModelServer(default=lacking) as server:
        envelope = answer(question(server.url("seat"), view), tmp_path).envelope
    assert envelope.response
    assert [request.offered for request in server.requests] == [["read", "glob", "grep"], []]
    assert "the model has no tools" in envelope.notes[0]
    assert not envelope.attempts


def test_a_server_that_never_stops_lacking_tools_is_asked_twice_and_no_more(view: Path, tmp_path: Path):
    with ModelServer(default=Scenario(refusal=_refusal(400, "no tools here"))) as server:
        assert answer(question(server.url("seat"), view), tmp_path).envelope.failure
        assert len(server.requests) == 2


def _refusal(status: int, words: str) -> Any:
    from tests.fakes.model_server.talk import Refusal

    return Refusal(status, words)


def test_cancelling_ends_a_call_at_once(view: Path, tmp_path: Path):
    async def cancelled() -> float:
        setting = Setting(tmp_path, Path("/bin/false"), {"PATH": os.environ["PATH"]})
        with anyio.move_on_after(0.5) as scope:
            await ask(question(server.url("seat"), view), OPENAI, setting, Teller(lambda _p: None, lambda *_: None))
        assert scope.cancelled_caught
        return anyio.current_time() - scope.deadline

    with ModelServer(default=SCENARIOS["hang-midstream"]) as server:
        assert anyio.run(cancelled) < 0.5
    assert not list(tmp_path.glob("call-*"))
