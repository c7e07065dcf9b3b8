"""The one call over the network: sends what the conversation says, runs the reading tools, gives an envelope."""

import json
import ssl
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import anyio
import httpx

from adapters.activity import using, writing
from adapters.environment import child_environment
from adapters.failing import failure
from adapters.openai import conversation, fault
from adapters.openai.address import Address, address
from adapters.openai.conversation import Talk
from adapters.openai.stream import Call, Events, Reply, TooMuch, Unreadable, whole
from adapters.openai.tools import offered
from adapters.process import NotStarted, run
from adapters.spec import Adapter, Ask, Command, Conversed, Place, Progress
from state.failures import FailureKind as K
from state.models import Envelope, Failure
from state.tokens import estimate as tokens

CONNECT_S = 20.0
TOOL_S = 10.0
ERROR_LIMIT = 64 * 1024
WHOLE_LIMIT = 16 * 1024 * 1024
TOOLBOX = Path(__file__).with_name("toolbox.py")
_CHARACTERS_A_TOKEN = 3

Tell = Callable[[Progress], None]


class _Failed(Exception):
    """The call is over without an answer."""

    def __init__(self, failure: Failure, transcript: bytes = b"") -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.transcript = transcript


@dataclass(frozen=True)
class _Refused:
    """An answer with an HTTP status that is none of success."""

    status: int
    headers: httpx.Headers
    body: bytes


async def converse(ask: Ask, place: Place, seconds: float, tell: Tell) -> Conversed:
    """Ask and let the model use its tools until it answers, at most `seconds` in all. Cancelling it ends it at once."""
    began = anyio.current_time()
    where = address(ask, place.environ)
    if isinstance(where, Failure):
        return Conversed(_envelope(ask, where))
    call = _Talking(ask, place, where, tell)
    transcript = b""
    failed: Failure | None = None
    with anyio.move_on_after(seconds) as scope:
        try:
            await call.play()
        except _Failed as over:
            failed, transcript = over.failure, over.transcript
    if scope.cancelled_caught:
        failed = failure(K.TIMED_OUT, f"no complete answer after {seconds:.0f} s; {call.last_seen}")
    envelope = _envelope(ask, failed, call, duration_s=anyio.current_time() - began)
    return Conversed(envelope, where.url, transcript or call.reply.text.encode("utf-8", "replace"))


class _Talking:
    """One conversation with one server."""

    def __init__(self, ask: Ask, place: Place, where: Address, tell: Tell) -> None:
        self._ask = ask
        self._place = place
        self._where = where
        self._tell = tell
        self._progress = Progress()
        self.reply = Reply()
        self.talk = conversation.start(where.model, ask.prompt, self._tools(), self._room())

    @property
    def last_seen(self) -> str:
        """What was seen last of the model, for a call that ran out of time."""
        return f"last seen: {self._progress.activity}" if self._progress.activity else "nothing came"

    def _tools(self) -> tuple[str, ...]:
        reads = self._ask.view is not None and self._ask.options.get("research") != "off"
        return offered(self._ask.options.get("toolbox"), reads=reads)

    def _room(self) -> int:
        """Characters of results that fit into the model's context beside prompt and answer."""
        limit = self._ask.options.get("context_tokens")
        if limit is None:
            return conversation.RESULTS_LIMIT
        return max(0, int(limit * 0.75) - tokens(self._ask.prompt)) * _CHARACTERS_A_TOKEN

    async def play(self) -> None:
        """Talk until there is an answer. _Failed when there will be none."""
        self._refuse_long()
        async with _client(self._where) as client:
            while True:
                await self._one(client)
                self.talk, before = conversation.heard(self.talk, self.reply), self.talk
                if not conversation.wants_tools(before, self.reply):
                    return
                results = [await self._use(call) for call in conversation.asked_for(self.reply)]
                self.talk = conversation.told(self.talk, results)

    def _refuse_long(self) -> None:
        limit, size = self._ask.options.get("context_tokens"), tokens(self._ask.prompt)
        if limit is not None and size > limit:
            raise _Failed(failure(K.TOO_LONG, f"the prompt has about {size} tokens, context_tokens is {limit}"))

    async def _one(self, client: httpx.AsyncClient) -> None:
        """One request and its whole reply; a server that lacks tools or usage is asked again without them."""
        while True:
            self.reply = Reply()
            refused = await self._sent(client, self.talk)
            if refused is None:
                break
            lacking = fault.narrowed(refused.status, refused.body)
            narrower = conversation.without(self.talk, lacking) if lacking else None
            if narrower is None:
                now = datetime.now().astimezone()
                failed = fault.refused(refused.status, refused.headers, refused.body, now, self._where.url)
                raise _Failed(failed, refused.body)
            self.talk = narrower
        if failed := fault.in_reply(self.reply, datetime.now().astimezone()):
            raise _Failed(failed)

    async def _sent(self, client: httpx.AsyncClient, talk: Talk) -> _Refused | None:
        try:
            async with client.stream(
                "POST", self._where.url, json=talk.body(), headers=self._where.headers
            ) as response:
                if response.status_code != 200:
                    return _Refused(response.status_code, response.headers, await _start_of(response))
                await self._listen(response)
        except httpx.HTTPError as error:
            raise _Failed(self._broken(error)) from None
        except TooMuch as error:
            raise _Failed(failure(K.TOO_MUCH_OUTPUT, str(error))) from None
        except Unreadable as error:
            raise _Failed(fault.strange("unreadable data", str(error), self._where.url)) from None
        return None

    async def _listen(self, response: httpx.Response) -> None:
        kind = response.headers.get("content-type", "")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise Unreadable("it is compressed, which was not asked for")
        if "text/html" in kind:
            page = await _start_of(response)
            words = fault.plain(page.decode("utf-8", "replace"))
            raise _Failed(fault.strange("a web page", words, self._where.url), page)
        await (self._whole(response) if "application/json" in kind else self._events(response))
        if self.reply.finish is None and not self.reply.error:
            raise _Failed(failure(K.CRASHED, f"the stream broke off after {self.reply.written} characters"))

    async def _whole(self, response: httpx.Response) -> None:
        """The answer of a server that does not stream."""
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > WHOLE_LIMIT:
                raise TooMuch("the answer passed 16 MB")
        self.reply.fold(whole(bytes(body)))

    async def _events(self, response: httpx.Response) -> None:
        events = Events()
        async for chunk in response.aiter_raw():
            for event in events.feed(chunk):
                self._fold(event)
        for event in events.finish():
            self._fold(event)
        if events.done and self.reply.finish is None and self.reply.written:
            self.reply.finish = "stop"
        if events.strange and self.reply.finish is None and not self.reply.written:
            raise Unreadable(events.strange.decode("utf-8", "replace"))

    def _fold(self, event: dict[str, object]) -> None:
        self.reply.fold(event)
        doing = writing(self.reply.written) if self.reply.written else "thinks" if self.reply.thinks else None
        self._show(replace(self._progress, activity=doing or self._progress.activity, written=self.reply.written))

    def _show(self, progress: Progress) -> None:
        if progress == self._progress:
            return
        self._progress = progress
        try:
            self._tell(progress)
        except Exception:  # noqa: BLE001 - a door's fault is not the call's
            self._tell = _nobody

    def _broken(self, error: httpx.HTTPError) -> Failure:
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if self.reply.written or isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
            return failure(K.CRASHED, f"the stream broke off after {self.reply.written} characters ({words})")
        return failure(K.NETWORK, f"{self._where.url} was not reached ({words})")

    async def _use(self, call: Call) -> str:
        """The result of one tool call, or why there is none: the model is told either."""
        arguments = conversation.arguments_of(call)
        if arguments is None:
            return "Error: the arguments are not a JSON object"
        if call.name not in self.talk.tools or self._ask.view is None:
            return f"Error: there is no tool {call.name}. Tools: {', '.join(self.talk.tools)}."
        self._show(replace(self._progress, activity=using(call.name, arguments)))
        return await _result(call.name, arguments, self._ask.view, self._place)


def _nobody(_progress: Progress) -> None: ...


async def _result(name: str, arguments: dict[str, object], view: Path, place: Place) -> str:
    adapter = Adapter("toolbox", "", "", "")
    asked = json.dumps({"name": name, "arguments": arguments}).encode()
    argv = (sys.executable, "-I", "-S", "-B", str(TOOLBOX))
    keyless = replace(place, environ={key: place.environ[key] for key in ("PATH",) if key in place.environ})
    command = Command(argv, asked, child_environment(adapter, keyless), view)
    try:
        finished = await run(command, adapter, seconds=TOOL_S)
    except NotStarted as problem:
        return f"Error: the tool cannot be started ({problem.failure.message})"
    if finished.ended == "deadline":
        return f"Error: stopped after {TOOL_S:.0f} s; use a simpler pattern or a smaller folder"
    if finished.exit_code != 0:
        return "Error: the tool failed"
    return finished.stdout.decode("utf-8", "replace")


@asynccontextmanager
async def _client(where: Address) -> AsyncGenerator[httpx.AsyncClient]:
    """A client that follows no redirect; only what is not this machine is asked through the user's proxy."""
    try:
        client = httpx.AsyncClient(
            trust_env=not where.is_local,
            follow_redirects=False,
            verify=httpx.create_ssl_context(),
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            headers={"Accept": "text/event-stream, application/json", "Accept-Encoding": "identity"},
        )
    except (ImportError, ValueError, OSError, ssl.SSLError) as error:
        raise _Failed(failure(K.VENDOR_CONFIG, f"the proxy or certificate settings cannot be used: {error}")) from None
    async with client:
        yield client


async def _start_of(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) >= ERROR_LIMIT:
            break
    return bytes(body[:ERROR_LIMIT])


def _envelope(ask: Ask, failed: Failure | None, call: _Talking | None = None, *, duration_s: float = 0.0) -> Envelope:
    reply, talk = (call.reply, call.talk) if call else (Reply(), None)
    text = reply.text.strip()
    if failed is None and not text:
        failed = failure(K.EMPTY, "neither an error nor a text")
    return Envelope(
        tool=ask.seat.tool,
        model=reply.model,
        effort=ask.seat.effort,
        response=None if failed else text,
        failure=failed,
        transport="http",
        duration_ms=round(duration_s * 1000),
        usage=talk.spent if talk else Envelope(tool="").usage,
        notes=talk.notes if talk else (),
    )
