"""What a model says and what a client asked, whichever of the four APIs carries it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
INPUT_TOKENS, OUTPUT_TOKENS = 11, 7


@dataclass(frozen=True)
class Call:
    """A tool call that the scripted model makes. Arguments that are a string make a free-form ("custom") call."""

    tool: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True)
class Say:
    """One turn of the model: a text, or a tool call with the number that it has in the script."""

    model: str
    text: str = ""
    call: Call | None = None
    number: int = 0

    @property
    def pieces(self) -> list[str]:
        """The text as a client sees it arrive: about twenty pieces at most."""
        size = max(8, len(self.text) // 20 + 1)
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]


@dataclass(frozen=True)
class Refusal:
    """An HTTP error. `quota`: the allowance is used up, not only the rate too high."""

    status: int
    message: str
    quota: bool = False


@dataclass(frozen=True)
class Event:
    """One server-sent event; `name` is left out where the API gives events no names."""

    data: Json | str
    name: str | None = None

    def encoded(self) -> bytes:
        data = self.data if isinstance(self.data, str) else json.dumps(self.data, ensure_ascii=False)
        name = f"event: {self.name}\n" if self.name else ""
        return f"{name}data: {data}\n\n".encode()


@dataclass(frozen=True)
class Dialect:
    """One model API as pure functions over request bodies and replies.

    `wanted` is the JSON Schema that the answer must meet, where the client asks for structured output.
    """

    name: str
    system: Callable[[Json], str]
    messages: Callable[[Json], list[tuple[str, str]]]
    results: Callable[[Json], list[str]]
    offered: Callable[[Json], list[str]]
    streamed: Callable[[Json], bool]
    wanted: Callable[[Json], Json | None]
    events: Callable[[Say], list[Event]]
    whole: Callable[[Say], Json]
    error: Callable[[Refusal], tuple[Json, dict[str, str]]]


def text(content: Any) -> str:
    """The text of a message's content: a string, or parts that carry `text`."""
    if isinstance(content, str):
        return content
    dicts = [part for part in content or [] if isinstance(part, dict)]
    return "\n".join(part["text"] for part in dicts if isinstance(part.get("text"), str))


def shown(content: Any) -> str:
    """A tool's result as the model would read it."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def part(value: Any, *path: str) -> Any:
    """The value at this path of keys, or None where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def parts(messages: list[Json], key: str = "content") -> Iterator[Json]:
    """Every part of every message whose content is a list."""
    for message in messages:
        content = message.get(key)
        yield from (part for part in content if isinstance(part, dict)) if isinstance(content, list) else ()
