"""Frames: one JSON object a line. What stands between them (log lines, escape codes) is none of the conversation."""

import json
from typing import Any

from adapters.reading import value

METHOD_NOT_FOUND = -32601

Message = dict[str, Any]


def frame(message: Message) -> bytes:
    """The message as it goes over the wire."""
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def message(line: bytes) -> Message | None:
    """The message on this line, or None: a line may begin with codes for a terminal, or be no message at all."""
    found = value(line)
    return found if found is not None and ("method" in found or "id" in found) else None


def request(number: int, method: str, params: Message) -> bytes:
    """A request of ours."""
    return frame({"id": number, "method": method, "params": params})


def notification(method: str, params: Message) -> bytes:
    """Something that we tell and that is not answered."""
    return frame({"method": method, "params": params})


def result(asked: Message, value: Any) -> bytes:
    """Our answer to a request of the agent's."""
    return frame({"id": asked.get("id"), "result": value})


def refusal(asked: Message) -> bytes:
    """That we do not offer what the agent asks for."""
    told = f"{asked.get('method')} is not offered"
    return frame({"id": asked.get("id"), "error": {"code": METHOD_NOT_FOUND, "message": told}})
