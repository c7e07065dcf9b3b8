"""The conversation as a pure state machine: what an agent says goes in, what we say to it comes out.

initialize -> session/new (or session/load) -> model, effort and mode by whatever the agent offers -> session/prompt -> updates -> the answer.
The state stands in `Progress.talk`, what is to be said next in `Progress.reply`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adapters.acp import wire
from adapters.acp.permission import decide
from adapters.activity import telling, using, writing
from adapters.reading import count, part, text_of
from adapters.spec import Progress
from state.models import Usage

PROTOCOL = 1
MODEL_IS_FIXED = "the agent does not let its model be chosen"
CLIENT = {"name": "debate", "version": "1"}
CAPABILITIES = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
_ASIDES_KEPT = 20
_NOTES_KEPT = 3
ANSWER_LIMIT = 16_000_000
"""So many characters of an answer are taken in."""

Ways = Callable[[wire.Message, "Question"], tuple["Wish", ...]]


@dataclass(frozen=True)
class Wish:
    """Something to set before the prompt: a request, and whether the call may go on where the agent refuses it."""

    method: str
    params: Mapping[str, Any]
    optional: bool = True


@dataclass(frozen=True)
class Question:
    """What is asked: the prompt, where the agent may look, which model and effort were wished for, and how to set them.

    `session`: the one to go on with. `aside` matches chunks that are the agent's own words and no part of the answer; its group `told` is what they say.
    """

    prompt: str
    cwd: Path
    view: Path | None
    model: str | None
    effort: str
    ways: Ways
    aside: re.Pattern[str] | None = None
    session: str | None = None


@dataclass(frozen=True)
class Talk:
    """How far the conversation is. `waiting` names the request that is to be answered next. `wishes` are what is
    still to be set, the first of them asked for already.

    `said` is the answer so far, `asides` what the agent told beside it; `error` and `stop` are how the agent ended the turn. `logins`
    are the ways to log in that it names.
    """

    question: Question
    waiting: str = "initialize"
    number: int = 0
    session: str | None = None
    wishes: tuple[Wish, ...] = ()
    said: "Said | None" = None
    asides: tuple[str, ...] = ()
    stop: str | None = None
    error: Mapping[str, Any] | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The answer so far."""
        chunks: list[str] = []
        said = self.said
        while said:
            chunks.append(said.chunk)
            said = said.before
        return "".join(reversed(chunks))


@dataclass(frozen=True)
class Said:
    """A chunk of the answer and what came before it: an answer of a thousand chunks is not copied a thousand times."""

    chunk: str
    before: "Said | None" = field(repr=False)


def begun(question: Question) -> Progress:
    """The conversation before the agent has said a word."""
    params = {"protocolVersion": PROTOCOL, "clientCapabilities": CAPABILITIES, "clientInfo": CLIENT}
    return Progress(activity="starts", talk=Talk(question), reply=wire.request(0, "initialize", params))


def farewell(progress: Progress) -> bytes:
    """What to say before the agent is stopped in the midst of a turn."""
    talk = progress.talk
    if not isinstance(talk, Talk) or talk.session is None or progress.complete:
        return b""
    return wire.notification("session/cancel", {"sessionId": talk.session})


def heard(progress: Progress, line: bytes) -> Progress:
    """Fold one line of the agent's stdout into the conversation."""
    talk, said = progress.talk, wire.message(line)
    if not isinstance(talk, Talk) or said is None or progress.complete:
        return progress
    if "method" not in said:
        return _answered(progress, talk, said) if said.get("id") == talk.number else progress
    if "id" in said:
        return _requested(progress, talk, said)
    ours = part(said, "params", "sessionId") == talk.session
    if said["method"] == "session/update" and talk.waiting == "session/prompt" and ours:
        return _updated(progress, talk, part(said, "params", "update"))
    return progress


def _requested(progress: Progress, talk: Talk, asked: wire.Message) -> Progress:
    """Our answer to a request of the agent's: a permission is decided, all else is not offered."""
    params = asked.get("params")
    if asked["method"] != "session/request_permission" or not isinstance(params, Mapping):
        return replace(progress, reply=wire.refusal(asked))
    decision = decide(params, talk.question.view)
    allowed = decision.granted
    wish = text_of(part(params, "toolCall", "title")) or text_of(part(params, "toolCall", "kind")) or "something"
    notes = talk.notes if allowed or len(talk.notes) >= _NOTES_KEPT else (*talk.notes, f"refused: {telling(wish)}")
    return replace(progress, talk=replace(talk, said=None, notes=notes), reply=wire.result(asked, decision.answer))


def _answered(progress: Progress, talk: Talk, said: wire.Message) -> Progress:
    error = said.get("error")
    if error is not None and not (talk.wishes and talk.wishes[0].optional):
        told = error if isinstance(error, Mapping) else {"message": str(error)}
        return replace(progress, talk=replace(talk, error=told), complete=True)
    value = said.get("result")
    result = value if isinstance(value, dict) else {}
    match talk.waiting:
        case "initialize":
            return _new_session(progress, replace(talk, logins=_names(result.get("authMethods"))))
        case "session/new":
            return _opened(progress, talk, result)
        case "session/load":
            return _opened(progress, talk, {**result, "sessionId": talk.question.session})
        case "session/prompt":
            return _ended(progress, talk, result)
        case refused:
            if error is None and not talk.wishes[0].optional:
                talk = replace(talk, model=talk.question.model)
            note = f"{refused} was refused: {text_of(part(error, 'message'))}" if error is not None else None
            return _next(progress, replace(talk, notes=(*talk.notes, note) if note else talk.notes), talk.wishes[1:])


def _new_session(progress: Progress, talk: Talk) -> Progress:
    """A new session, or the one to go on with; what it replays before our prompt is none of the answer."""
    params = {"cwd": str(talk.question.cwd), "mcpServers": []}
    if talk.question.session:
        return _ask(progress, talk, "session/load", {"sessionId": talk.question.session, **params})
    return _ask(progress, talk, "session/new", params)


def _opened(progress: Progress, talk: Talk, result: wire.Message) -> Progress:
    session = result.get("sessionId")
    if not isinstance(session, str):
        return replace(progress, talk=replace(talk, error={"message": "the agent opened no session"}), complete=True)
    wishes = talk.question.ways(result, talk.question)
    fixed = talk.question.model and talk.question.ways is usual_ways and not any(not w.optional for w in wishes)
    notes = (*talk.notes, MODEL_IS_FIXED) if fixed else talk.notes
    return _next(progress, replace(talk, session=session, model=_current_model(result), notes=notes), wishes)


def _next(progress: Progress, talk: Talk, wishes: tuple[Wish, ...]) -> Progress:
    """Send the next wish, or the prompt when there is none."""
    talk = replace(talk, wishes=wishes)
    if wishes:
        return _ask(progress, talk, wishes[0].method, {"sessionId": talk.session, **wishes[0].params})
    prompt = [{"type": "text", "text": talk.question.prompt}]
    return _ask(
        replace(progress, activity="thinks"), talk, "session/prompt", {"sessionId": talk.session, "prompt": prompt}
    )


def _ask(progress: Progress, talk: Talk, method: str, params: Mapping[str, Any]) -> Progress:
    number = talk.number + 1
    asked = replace(talk, waiting=method, number=number)
    return replace(progress, talk=asked, reply=wire.request(number, method, dict(params)))


def _ended(progress: Progress, talk: Talk, result: wire.Message) -> Progress:
    stop = result.get("stopReason")
    usage = _usage(result) or talk.usage
    model = _answering_model(result) or talk.model
    ended = replace(talk, stop=stop if isinstance(stop, str) else "end_turn", usage=usage, model=model)
    return replace(progress, talk=ended, complete=True)


def _updated(progress: Progress, talk: Talk, update: Any) -> Progress:
    match part(update, "sessionUpdate"):
        case "agent_message_chunk":
            return _spoken(progress, talk, text_of(part(update, "content", "text")))
        case "agent_thought_chunk":
            return replace(progress, activity="thinks")
        case "tool_call" | "tool_call_update" if part(update, "kind") or part(update, "title"):
            return _at_work(progress, talk, update)
        case "usage_update":
            cost = part(update, "cost", "amount")
            if not isinstance(cost, int | float) or part(update, "cost", "currency") != "USD":
                return progress
            return replace(progress, talk=replace(talk, usage=talk.usage.model_copy(update={"cost_usd": float(cost)})))
        case _:
            return progress


def _spoken(progress: Progress, talk: Talk, chunk: str) -> Progress:
    """More of the answer, or a word of the agent's own beside it."""
    aside = talk.question.aside.fullmatch(chunk) if talk.question.aside else None
    if aside:
        told = replace(talk, asides=(*talk.asides, aside["told"])[-_ASIDES_KEPT:])
        return replace(progress, talk=told, activity=telling(aside["told"]))
    written = progress.written + len(chunk)
    if not chunk or written > ANSWER_LIMIT:
        return progress
    return replace(
        progress, talk=replace(talk, said=Said(chunk, talk.said)), written=written, activity=writing(written)
    )


def _at_work(progress: Progress, talk: Talk, update: Any) -> Progress:
    """A tool call. What an agent said before one is narration; its answer is what it says after the last."""
    talk = replace(talk, said=None) if part(update, "sessionUpdate") == "tool_call" else talk
    return replace(progress, talk=talk, written=0 if talk.said is None else progress.written, activity=_doing(update))


def _doing(update: Any) -> str:
    kind, title = text_of(part(update, "kind")), text_of(part(update, "title"))
    tool = {"read": "read", "search": "grep"}.get(kind)
    arguments = part(update, "rawInput") or {"path": _first(part(update, "locations"), "path")}
    return using(tool, arguments) if tool else using(title or kind, {})


def _first(rows: Any, name: str) -> str:
    return text_of(part(rows[0], name)) if isinstance(rows, list) and rows else ""


def _names(rows: Any) -> tuple[str, ...]:
    found = (text_of(part(row, "name")) for row in rows) if isinstance(rows, list) else ()
    return tuple(telling(name) for name in found if name)


def _usage(result: wire.Message) -> Usage | None:
    """What the turn cost, wherever this agent says it."""
    plain, counted = result.get("usage"), part(result, "_meta", "quota", "token_count")
    if isinstance(plain, Mapping):
        tokens = (count(plain.get("inputTokens")), count(plain.get("outputTokens")))
    elif isinstance(counted, Mapping):
        tokens = (count(counted.get("input_tokens")), count(counted.get("output_tokens")))
    else:
        return None
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1])


def _current_model(result: wire.Message) -> str | None:
    """The model that the new session begins with."""
    told = part(result, "models", "currentModelId") or _option(result, "model").get("currentValue")
    return told if isinstance(told, str) and told not in ("default", "auto") else None


def _answering_model(result: wire.Message) -> str | None:
    return _first(part(result, "_meta", "quota", "model_usage"), "model") or None


def _option(result: wire.Message, name: str) -> Mapping[str, Any]:
    """The configuration option of this name or category, or an empty one."""
    options = result.get("configOptions")
    rows = [row for row in options if isinstance(row, Mapping)] if isinstance(options, list) else []
    return next((row for row in rows if name in (row.get("id"), row.get("category"))), {})


def usual_ways(result: wire.Message, question: Question) -> tuple[Wish, ...]:
    """Model and effort by whatever the agent offers: configuration options, or `session/set_model`."""
    wishes: list[Wish] = []
    model, effort = _option(result, "model"), _option(result, "thought_level") or _option(result, "effort")
    if question.model and model:
        wishes.append(_configured(model, question.model, optional=False))
    elif question.model and isinstance(result.get("models"), Mapping):
        wishes.append(Wish("session/set_model", {"modelId": question.model}, optional=False))
    if word := _effort_word(effort, question.effort):
        wishes.append(_configured(effort, word, optional=True))
    return tuple(wishes)


def _configured(option: Mapping[str, Any], value: str, *, optional: bool) -> Wish:
    return Wish("session/set_config_option", {"configId": option.get("id"), "value": value}, optional=optional)


def _effort_word(option: Mapping[str, Any], effort: str) -> str | None:
    """The agent's word for this effort: its own, or the nearest lower one that it offers."""
    offered = {row.get("value") for row in option.get("options") or () if isinstance(row, Mapping)}
    order = ("max", "xhigh", "high", "medium", "low")
    wanted = order[order.index(effort) :] if effort in order else ()
    return next((word for word in wanted if word in offered), None)
