"""Anthropic's messages API."""

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
    parts,
    shown,
    text,
)

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_USED_UP = {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": "1900000000",
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
}


def _results(body: Json) -> list[str]:
    return [shown(part.get("content")) for part in parts(body["messages"]) if part.get("type") == "tool_result"]


def _block(say: Say) -> Json:
    if say.call is None:
        return {"type": "text", "text": say.text}
    return {"type": "tool_use", "id": f"toolu_{say.number:04}", "name": say.call.tool, "input": say.call.arguments}


def _message(say: Say, content: list[Json], stop: str | None, output: int) -> Json:
    usage = {"input_tokens": INPUT_TOKENS, "output_tokens": output}
    return {
        "id": f"msg_{say.number:04}",
        "type": "message",
        "role": "assistant",
        "model": say.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _stop(say: Say) -> str:
    return "tool_use" if say.call else "end_turn"


def _deltas(say: Say) -> list[Json]:
    if say.call is not None:
        return [{"type": "input_json_delta", "partial_json": json.dumps(say.call.arguments)}]
    return [{"type": "text_delta", "text": piece} for piece in say.pieces]


def _events(say: Say) -> list[Event]:
    empty = {"type": "text", "text": ""} if say.call is None else _block(say) | {"input": {}}
    filled = [
        {"type": "content_block_start", "index": 0, "content_block": empty},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in _deltas(say)),
        {"type": "content_block_stop", "index": 0},
    ]
    data: list[Json] = [
        {"type": "message_start", "message": _message(say, [], None, 1)},
        *(filled if say.text or say.call else []),
        {
            "type": "message_delta",
            "delta": {"stop_reason": _stop(say), "stop_sequence": None},
            "usage": {"output_tokens": OUTPUT_TOKENS},
        },
        {"type": "message_stop"},
    ]
    return [Event(one, one["type"]) for one in data]


def _error(refusal: Refusal) -> tuple[Json, dict[str, str]]:
    kind = _TYPES.get(refusal.status, "api_error")
    body = {"type": "error", "error": {"type": kind, "message": refusal.message}}
    return body, _USED_UP if refusal.quota else {}


ANTHROPIC = Dialect(
    name="anthropic",
    system=lambda body: text(body.get("system")),
    messages=lambda body: [(message["role"], text(message["content"])) for message in body["messages"]],
    results=_results,
    offered=lambda body: [tool["name"] for tool in body.get("tools", [])],
    streamed=lambda body: bool(body.get("stream")),
    wanted=lambda body: part(body, "output_config", "format", "schema"),
    events=_events,
    whole=lambda say: _message(say, [_block(say)] if say.text or say.call else [], _stop(say), OUTPUT_TOKENS),
    error=_error,
)
