"""Finding what a vendor said in what its process printed: JSON values amid noise, counts and costs of doubtful type."""

import json
import math
from collections.abc import Iterator
from typing import Any

import orjson

from state.clean import without_terminal_codes

_DECODER = json.JSONDecoder(strict=False)
_FRUITLESS_LIMIT = 2000


def values(data: bytes) -> list[dict[str, Any]]:
    """Every JSON object in the output, in order: one a line, pretty-printed over many lines, or behind noise.

    Objects inside another object are not listed. Byte-order marks, CRLF, terminal codes and broken UTF-8 do no harm.
    """
    text = without_terminal_codes(data.decode("utf-8", "replace")).lstrip("\ufeff")
    return [v for v in _scan(text) if isinstance(v, dict)]


def value(line: bytes) -> dict[str, Any] | None:
    """The JSON object that this line is, or None."""
    found = values(line)
    return found[0] if len(found) == 1 else None


def _scan(text: str) -> Iterator[Any]:
    at, fruitless = 0, 0
    while (start := text.find("{", at)) >= 0 and fruitless < _FRUITLESS_LIMIT:
        line_start = text.rfind("\n", 0, start) + 1
        alone = not text[line_start:start].strip("\r\t \ufeff")
        found = _decode(text, start)
        if found and ((alone and start - line_start < 2) or _ends_line(text, found[1])):
            yield found[0]
            at = found[1]
        else:
            fruitless += 1
            at = start + 1


def _ends_line(text: str, end: int) -> bool:
    return not text[end : end + 2].strip() or text[end : end + 1] == "\n"


def _decode(text: str, start: int) -> tuple[Any, int] | None:
    line_end = text.find("\n", start)
    line = text[start:] if line_end < 0 else text[start:line_end]
    try:
        return orjson.loads(line), start + len(line)
    except orjson.JSONDecodeError:
        pass
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def text_of(value: Any) -> str:
    """The text of a field that holds a string, a list of text parts, or something else (then empty)."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(text_of(part.get("text") if isinstance(part, dict) else part) for part in value)
    return ""


def part(value: Any, *path: str) -> Any:
    """The value at this path of keys, or None where the shape is another one."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: Any) -> int | None:
    """A number of tokens, or None for what cannot be one (text, negative, not finite, beyond 2^53)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value) if 0 <= value < 2**53 and value == int(value) else None


def cost(value: Any) -> float | None:
    """An amount of money, or None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if value >= 0 else None
