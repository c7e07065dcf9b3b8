"""Reading an answer as it comes: server-sent events, and the pieces of one message folded together. No I/O."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from adapters.capture import Lines
from adapters.reading import count, part, text_of
from state.models import Usage

LINE_LIMIT = 4 * 1024 * 1024
TEXT_LIMIT = 16 * 1024 * 1024
CALLS_LIMIT = 32
ARGUMENTS_LIMIT = 256 * 1024

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)\s*", re.DOTALL)


class TooMuch(Exception):
    """The answer passed a limit; the text says which."""


class Unreadable(Exception):
    """What came is not what this API sends; the text shows a piece of it."""


@dataclass
class Call:
    """A tool call that the model asks for. `arguments` is JSON as the model wrote it."""

    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Reply:
    """One message of the model, so far. `finish` is its own word for why it ended, None while it has not."""

    parts: list[str] = field(default_factory=list)
    calls: dict[int, Call] = field(default_factory=dict)
    refusal: str = ""
    finish: str | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    error: dict[str, Any] | str | None = None
    thinks: bool = False
    written: int = 0

    @property
    def text(self) -> str:
        """The answer without the thoughts that some models write in front of it."""
        return _THOUGHT.sub("", "".join(self.parts), count=1)

    def fold(self, chunk: dict[str, Any]) -> None:
        """Takes one event, or a whole answer. TooMuch when a limit is passed."""
        self.model = text_of(chunk.get("model")) or self.model
        self.error = chunk.get("error") or self.error
        self.usage = _usage(chunk.get("usage")) or self.usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = part(choice, "delta") or part(choice, "message")
        self._say(text_of(part(message, "content")))
        self.refusal += text_of(part(message, "refusal"))
        self.thinks = bool(part(message, "reasoning_content") or part(message, "reasoning"))
        for position, call in enumerate(part(message, "tool_calls") or ()):
            self._call(position, call)
        reason = part(choice, "finish_reason")
        self.finish = reason if isinstance(reason, str) else self.finish

    def _say(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.written += len(text)
        if self.written > TEXT_LIMIT:
            raise TooMuch(f"the answer passed {TEXT_LIMIT:,} characters")

    def _call(self, position: int, piece: Any) -> None:
        """Pieces of a call carry its index; servers that send calls whole may leave it out."""
        index = count(part(piece, "index"))
        index = (position if part(piece, "id") is None else len(self.calls)) if index is None else index
        call = self.calls.setdefault(index, Call())
        call.id = text_of(part(piece, "id")) or call.id
        call.name += text_of(part(piece, "function", "name"))
        arguments = part(piece, "function", "arguments")
        call.arguments += orjson.dumps(arguments).decode() if isinstance(arguments, dict) else text_of(arguments)
        if len(self.calls) > CALLS_LIMIT or len(call.arguments) > ARGUMENTS_LIMIT:
            raise TooMuch("the model asked for too many tool calls at once")


class Events:
    """Splits a stream into the JSON of its events. TooMuch for an endless line."""

    def __init__(self) -> None:
        self._lines = Lines(LINE_LIMIT)
        self._data: list[bytes] = []
        self.done = False
        self.strange = b""

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The events that these bytes complete. Unreadable for data that is no JSON."""
        for line in self._lines.feed(chunk):
            yield from self._take(line.rstrip(b"\r"))
        if self._lines.cut:
            raise TooMuch(f"one line of the stream passed {LINE_LIMIT:,} bytes")

    def finish(self) -> Iterator[dict[str, Any]]:
        """The events that the end of the stream completes."""
        for line in self._lines.rest():
            yield from self._take(line.rstrip(b"\r"))
        yield from self._event()

    def _take(self, line: bytes) -> Iterator[dict[str, Any]]:
        if not line:
            yield from self._event()
        elif line.startswith(b"data:"):
            self._data.append(line[5:].strip())
            if sum(map(len, self._data)) > LINE_LIMIT:
                raise TooMuch(f"one event of the stream passed {LINE_LIMIT:,} bytes")
        elif not line.startswith((b":", b"event:", b"id:", b"retry:")):
            self.strange = self.strange or line[:200]

    def _event(self) -> Iterator[dict[str, Any]]:
        data, self._data = b"\n".join(self._data), []
        if data == b"[DONE]":
            self.done = True
        elif data:
            yield _object(data)


def whole(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is. Unreadable when it is none."""
    return _object(body.strip())


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unreadable(data[:200].decode("utf-8", "replace"))
    return found


def _usage(told: Any) -> Usage | None:
    if not isinstance(told, dict):
        return None
    return Usage(input_tokens=count(told.get("prompt_tokens")), output_tokens=count(told.get("completion_tokens")))
