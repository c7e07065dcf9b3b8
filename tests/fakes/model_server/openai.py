"""OpenAI's two APIs: responses and chat completions."""

import json

from tests.fakes.model_server.talk import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Dialect,
    Event,
    Json,
    Refusal,
    Say,
    part,
    shown,
    text,
)

_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_TOTAL = INPUT_TOKENS + OUTPUT_TOKENS


def _error(refusal: Refusal) -> tuple[Json, dict[str, str]]:
    code = "insufficient_quota" if refusal.quota else _CODES.get(refusal.status, "server_error")
    return {"error": {"message": refusal.message, "type": code, "code": code, "param": None}}, {}


def _input(body: Json) -> list[Json]:
    given = body["input"]
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _named(tools: list[Json]) -> list[str]:
    return [tool.get("name") or tool.get("function", {}).get("name") or tool["type"] for tool in tools]


def _offered(body: Json) -> list[str]:
    later = [tool for item in _input(body) if item.get("type") == "additional_tools" for tool in item.get("tools", [])]
    return _named([*body.get("tools", []), *later])


def _results(body: Json) -> list[str]:
    kinds = ("function_call_output", "custom_tool_call_output")
    return [shown(item.get("output")) for item in _input(body) if item.get("type") in kinds]


def _item(say: Say) -> Json:
    if say.call is None:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
    ids = {"id": f"fc_{say.number:04}", "call_id": f"call_{say.number:04}"}
    base = ids | {"name": say.call.tool, "status": "completed"}
    if isinstance(say.call.arguments, str):
        return base | {"type": "custom_tool_call", "input": say.call.arguments}
    return base | {"type": "function_call", "arguments": json.dumps(say.call.arguments)}


def _response(say: Say, *, done: bool) -> Json:
    usage = {
        "input_tokens": INPUT_TOKENS,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": OUTPUT_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": _TOTAL,
    }
    output = [_item(say)] if done and (say.text or say.call) else []
    state = {"status": "completed", "usage": usage} if done else {"status": "in_progress"}
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": say.model, "output": output, **state}


def _response_events(say: Say) -> list[Event]:
    item = _item(say)
    opened = item | {"status": "in_progress"} | ({"content": []} if say.call is None else {})
    where = {"output_index": 0, "item_id": item["id"], "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    texts: list[Json] = [
        {"type": "response.content_part.added", "part": part, **where},
        *({"type": "response.output_text.delta", "delta": piece, **where} for piece in say.pieces),
        {"type": "response.output_text.done", "text": say.text, **where},
        {"type": "response.content_part.done", "part": part | {"text": say.text}, **where},
    ]
    filled: list[Json] = [
        {"type": "response.output_item.added", "output_index": 0, "item": opened},
        *(texts if say.call is None else []),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    data: list[Json] = [
        {"type": "response.created", "response": _response(say, done=False)},
        *(filled if say.text or say.call else []),
        {"type": "response.completed", "response": _response(say, done=True)},
    ]
    return [Event(one | {"sequence_number": number}, one["type"]) for number, one in enumerate(data)]


RESPONSES = Dialect(
    name="responses",
    system=lambda body: body.get("instructions") or "",
    messages=lambda body: [(item["role"], text(item.get("content"))) for item in _input(body) if "role" in item],
    results=_results,
    offered=_offered,
    streamed=lambda body: bool(body.get("stream")),
    wanted=lambda body: part(body, "text", "format", "schema"),
    events=_response_events,
    whole=lambda say: _response(say, done=True),
    error=_error,
)


def _tool_call(say: Say) -> Json:
    assert say.call is not None
    arguments = {"name": say.call.tool, "arguments": json.dumps(say.call.arguments)}
    return {"index": 0, "id": f"call_{say.number:04}", "type": "function", "function": arguments}


def _completion(say: Say, kind: str, choices: list[Json], *, usage: bool) -> Json:
    counts = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": _TOTAL}
    base = {"id": "chatcmpl-1", "object": kind, "created": 1, "model": say.model, "choices": choices}
    return base | ({"usage": counts} if usage else {})


def _finish(say: Say) -> str:
    return "tool_calls" if say.call else "stop"


def _chat_events(say: Say) -> list[Event]:
    filled = [{"tool_calls": [_tool_call(say)]}] if say.call else [{"content": piece} for piece in say.pieces]
    deltas: list[tuple[Json, str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [(delta, None) for delta in filled] + [({}, _finish(say))]
    chunks = [[{"index": 0, "delta": delta, "finish_reason": reason}] for delta, reason in deltas]
    said = [Event(_completion(say, "chat.completion.chunk", chunk, usage=False)) for chunk in chunks]
    return [*said, Event(_completion(say, "chat.completion.chunk", [], usage=True)), Event("[DONE]")]


def _chat_whole(say: Say) -> Json:
    calls = {"tool_calls": [_tool_call(say)]} if say.call else {}
    message = {"role": "assistant", "content": say.text or None, **calls}
    choice = {"index": 0, "message": message, "finish_reason": _finish(say)}
    return _completion(say, "chat.completion", [choice], usage=True)


def _chat_system(body: Json) -> str:
    return "\n".join(text(m["content"]) for m in body["messages"] if m["role"] in ("system", "developer"))


CHAT = Dialect(
    name="chat",
    system=_chat_system,
    messages=lambda body: [(m["role"], text(m.get("content"))) for m in body["messages"]],
    results=lambda body: [shown(m.get("content")) for m in body["messages"] if m["role"] == "tool"],
    offered=lambda body: _named(body.get("tools", [])),
    streamed=lambda body: bool(body.get("stream")),
    wanted=lambda body: part(body, "response_format", "json_schema", "schema"),
    events=_chat_events,
    whole=_chat_whole,
    error=_error,
)
