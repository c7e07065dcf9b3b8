"""JSON objects amid prose: a model's answer may hold them anywhere, in code fences, or with full-width punctuation."""

import json
import re
from dataclasses import dataclass
from typing import Any

# A longer answer is searched in its last part only, and not more than so many openings: both bound the time.
LONGEST = 200_000
FRUITLESS_LIMIT = 200

_OPENING = re.compile(r"[{｛]\s*[\"“”＂]")
_WIDE = str.maketrans("：，｛｝［］", ":,{}[]")
_CLOSING = {'"': '"', "“": "”", "”": "”", "＂": "＂"}


@dataclass(frozen=True)
class Objects:
    """What was found: the outermost objects in order, where the last one ends, whether what follows it was cut off."""

    values: tuple[dict[str, Any], ...]
    end: int
    cut_off: bool


class _CutOff(ValueError):
    """The text ends inside an object."""


def objects(text: str) -> Objects:
    """Every JSON object in the text, wherever it stands. One that names a key twice is none: it says two things."""
    values: list[dict[str, Any]] = []
    at = end = max(0, len(text) - LONGEST)
    cut_off, fruitless = False, 0
    while (opening := _OPENING.search(text, at)) and fruitless < FRUITLESS_LIMIT:
        try:
            value, at = _decode(text, opening.start())
            values.append(value)
            end, cut_off = at, False
        except (ValueError, RecursionError) as error:
            at, fruitless = opening.start() + 1, fruitless + 1
            cut_off = cut_off or isinstance(error, _CutOff)
    return Objects(tuple(values), end, cut_off)


def _decode(text: str, start: int) -> tuple[dict[str, Any], int]:
    try:
        return _strict(text, start)
    except ValueError:
        straight, ends = _straightened(text, start)
        if straight == text[start : start + len(straight)]:
            raise
        value, length = _strict(straight, 0)
        return value, ends[length - 1]


def _strict(text: str, start: int) -> tuple[dict[str, Any], int]:
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        unfinished = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
        raise (_CutOff if unfinished else ValueError)(error.msg) from None


def _straightened(text: str, start: int) -> tuple[str, list[int]]:
    """The object from here with ASCII punctuation round its strings, and for each character where the original goes on."""
    written: list[str] = []
    ends: list[int] = []
    closing, escaped, depth = "", False, 0
    for index in range(start, len(text)):
        sign = text[index]
        if not closing:
            closing = _CLOSING.get(sign, "")
            plain = '"' if closing else sign.translate(_WIDE)
            depth += (plain == "{") - (plain == "}")
        elif escaped or sign != closing:
            plain = '\\"' if sign == '"' and not escaped else sign
            escaped = sign == "\\" and not escaped
        else:
            closing, plain = "", '"'
        written.append(plain)
        ends.extend([index + 1] * len(plain))
        if not depth:
            break
    return "".join(written), ends


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)
