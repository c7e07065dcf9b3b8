"""The server: reads a request, notes it, and answers as the scenario of its route says."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.fakes.model_server.anthropic import ANTHROPIC
from tests.fakes.model_server.gemini import GEMINI
from tests.fakes.model_server.openai import CHAT, RESPONSES
from tests.fakes.model_server.scenario import Scenario
from tests.fakes.model_server.talk import Dialect, Event, Json

_BY_ENDING: dict[str, Dialect] = {
    "/messages": ANTHROPIC,
    "/responses": RESPONSES,
    "/chat/completions": CHAT,
    ":generateContent": GEMINI,
    ":streamGenerateContent": GEMINI,
}


@dataclass(frozen=True)
class Request:
    """What a client asked of the model."""

    route: str
    path: str
    dialect: Dialect
    headers: Mapping[str, str]
    body: Json

    @property
    def prompt(self) -> str:
        """What users said: the prompt, and what the client put around it."""
        return "\n".join(text for role, text in self.dialect.messages(self.body) if role == "user" and text)

    @property
    def model(self) -> str:
        return self.body.get("model") or self.path.rsplit("/", 1)[-1].partition(":")[0]

    @property
    def results(self) -> list[str]:
        """The results of the tool calls so far, in order."""
        return self.dialect.results(self.body)

    @property
    def offered(self) -> list[str]:
        """Names of the tools that the model may call."""
        return self.dialect.offered(self.body)

    @property
    def everything(self) -> str:
        """All that reached the model, for asserting what must not be in it."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass
class ModelServer:
    """A model server on loopback, for the time of a `with` block.

    The first part of a path names the route (`url("proposer")`), which chooses its scenario; `scenarios` may be changed
    while it runs. `requests` are all model calls in order; `others` are paths of requests that are none.
    """

    scenarios: dict[str, Scenario] = field(default_factory=dict)
    default: Scenario = field(default_factory=Scenario)
    log: Path | None = None
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self.closing = threading.Event()
        self._noting = threading.Lock()
        self._http = _Server(("127.0.0.1", self.port), _Handler)
        self._http.owner = self
        self.port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def url(self, route: str) -> str:
        """The base URL under which this route's model answers."""
        return f"http://127.0.0.1:{self.port}/{route}"

    def asked(self, route: str) -> list[Request]:
        """The model calls that this route got, in order."""
        return [request for request in self.requests if request.route == route]

    def note(self, request: Request) -> tuple[Scenario, bool]:
        """Remembers a request; its scenario, and whether the scenario's fault still holds."""
        with self._noting:
            scenario = self.scenarios.get(request.route, self.default)
            faulty = scenario.faulty(len(self.asked(request.route)))
            self.requests.append(request)
            if self.log:
                line = {"route": request.route, "path": request.path, "api": request.dialect.name, "body": request.body}
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return scenario, faulty


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up (killed CLIs) are no errors of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  the base class is not generic

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
        pass

    def do_HEAD(self) -> None:
        self._plain(200, "")

    def do_GET(self) -> None:
        self.server.owner.others.append(self.path)
        self._plain(200, json.dumps({"object": "list", "data": [], "models": []}))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        dialect = next((found for ending, found in _BY_ENDING.items() if path.endswith(ending)), None)
        if dialect is None:
            self.server.owner.others.append(self.path)
            counts = path.endswith((":countTokens", "/count_tokens"))
            self._plain(200 if counts else 404, json.dumps({"input_tokens": 11, "totalTokens": 11} if counts else {}))
            return
        body = json.loads(raw)
        if path.endswith(":streamGenerateContent"):
            body["stream"] = True
        self._answer(Request(path.split("/")[1], path, dialect, dict(self.headers), body))

    def _answer(self, request: Request) -> None:
        scenario, faulty = self.server.owner.note(request)
        fault = scenario.fault if faulty else None
        if scenario.refusal and faulty:
            body, headers = request.dialect.error(scenario.refusal)
            self._plain(scenario.refusal.status, json.dumps(body), **headers, **scenario.headers)
        elif fault == "hang":
            self.server.owner.closing.wait()
        elif fault == "html":
            self._plain(200, "<html><body>Sign in to the hotel's network</body></html>", "text/html")
        elif fault == "garbage":
            self._plain(200, "data: {not json\n\n\x00\x01", "text/event-stream")
        else:
            self._speak(request, scenario, fault)

    def _speak(self, request: Request, scenario: Scenario, fault: str | None) -> None:
        wanted = request.dialect.wanted(request.body)
        say = scenario.say(request.model, request.prompt, len(request.results), wanted)
        if request.dialect.streamed(request.body):
            self._stream(request.dialect.events(say), fault, scenario.pause_s)
        else:
            self._plain(200, json.dumps(request.dialect.whole(say), ensure_ascii=False))

    def _stream(self, events: list[Event], fault: str | None, pause_s: float) -> None:
        self._head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        broken = fault in ("cut", "hang_midstream")
        for event in events[: len(events) // 2] if broken else events:
            self._chunk(event.encoded())
            if fault == "slow":
                self.server.owner.closing.wait(pause_s)
        if fault == "hang_midstream":
            self.server.owner.closing.wait()
        if not broken:
            self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _plain(self, status: int, text: str, kind: str = "application/json", **headers: str) -> None:
        data = text.encode()
        self._head(status, {"content-type": kind, "content-length": str(len(data)), **headers})
        self.wfile.write(data)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in {**headers, "connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
