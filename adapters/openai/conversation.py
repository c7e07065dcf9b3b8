"""The loop of question, tool calls and answer as a state machine: what to send next, or that it is over. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from adapters.openai.stream import Call, Reply
from adapters.openai.tools import DESCRIBED
from state.models import Usage

ROUNDS = 24
"""How often the model may ask for tools before it must answer."""
CALLS = 80
RESULTS_LIMIT = 600_000
"""Characters of tool results in one call; with `context_tokens`, no more than fits."""
NO_TOOLS = "the model has no tools, so it could not read the project"
SPENT = "Nothing more can be read in this turn. Answer now from what you have."


@dataclass(frozen=True)
class Talk:
    """A conversation up to now. `tools` are offered while the allowance lasts; `room` counts characters of results."""

    model: str
    messages: tuple[dict[str, Any], ...]
    tools: tuple[str, ...] = ()
    room: int = RESULTS_LIMIT
    rounds: int = 0
    calls: int = 0
    usage: bool = True
    spent: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()

    @property
    def may_use_tools(self) -> bool:
        """Whether the next request still offers tools."""
        return bool(self.tools) and self.rounds < ROUNDS and self.calls < CALLS and self.room > 0

    def body(self) -> dict[str, Any]:
        """The next request."""
        made: dict[str, Any] = {"model": self.model, "messages": list(self.messages), "stream": True}
        if self.usage:
            made["stream_options"] = {"include_usage": True}
        if self.may_use_tools:
            made["tools"] = [DESCRIBED[name] for name in self.tools]
        return made


def start(model: str, prompt: str, tools: Sequence[str], room: int = RESULTS_LIMIT) -> Talk:
    """The conversation before the first request."""
    return Talk(model, ({"role": "user", "content": prompt},), tuple(tools), min(room, RESULTS_LIMIT))


def without(talk: Talk, lacking: str) -> Talk | None:
    """The conversation for a server that lacks `tools` or `stream_options`; None where they were not sent."""
    if lacking == "stream_options" and talk.usage:
        return replace(talk, usage=False)
    if lacking == "tools" and talk.may_use_tools and talk.rounds == 0:
        return replace(talk, tools=(), notes=(*talk.notes, NO_TOOLS))
    return None


def heard(talk: Talk, reply: Reply) -> Talk:
    """The conversation after this reply: what it cost, and the calls it asks for."""
    spent = Usage(
        input_tokens=_sum(talk.spent.input_tokens, reply.usage.input_tokens),
        output_tokens=_sum(talk.spent.output_tokens, reply.usage.output_tokens),
    )
    if not wants_tools(talk, reply):
        return replace(talk, spent=spent)
    calls = [_as_asked(call, number) for number, call in enumerate(asked_for(reply))]
    message = {"role": "assistant", "content": reply.text or None, "tool_calls": calls}
    rounds, count = talk.rounds + 1, talk.calls + len(calls)
    return replace(talk, spent=spent, messages=(*talk.messages, message), rounds=rounds, calls=count)


def wants_tools(talk: Talk, reply: Reply) -> bool:
    """Whether the reply is a request for tools rather than an answer."""
    return bool(reply.calls) and talk.may_use_tools


def asked_for(reply: Reply) -> list[Call]:
    """The calls in the order in which the model made them."""
    return [reply.calls[index] for index in sorted(reply.calls)]


def told(talk: Talk, results: Sequence[str]) -> Talk:
    """The conversation with the results of the last calls; when the allowance is used up, the model is told so."""
    calls = talk.messages[-1]["tool_calls"]
    messages = list(talk.messages)
    for call, result in zip(calls, results, strict=True):
        shown = result if len(result) <= talk.room else f"{result[: max(talk.room, 0)]}\n[the rest does not fit]"
        talk = replace(talk, room=talk.room - len(result))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": shown})
    if not talk.may_use_tools:
        messages.append({"role": "user", "content": SPENT})
    return replace(talk, messages=tuple(messages))


def arguments_of(call: Call) -> dict[str, Any] | None:
    """The arguments of a call, or None where they are no JSON object."""
    try:
        found = orjson.loads(call.arguments or "{}")
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _as_asked(call: Call, number: int) -> dict[str, Any]:
    arguments = call.arguments if arguments_of(call) is not None else "{}"
    return {
        "id": call.id or f"call_{number}",
        "type": "function",
        "function": {"name": call.name or "unnamed", "arguments": arguments or "{}"},
    }


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
