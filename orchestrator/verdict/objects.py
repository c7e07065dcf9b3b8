"""JSON objects amid prose: a model's answer may hold them anywhere, in code fences, or with full-width punctuation."""

import json
import re
from dataclasses import dataclass
from typing import Any

# These bound the time: how much of an answer is searched (its last part), how many openings that lead nowhere are
# tried, how long an object with full-width punctuation may be.
LONGEST = 200_000
FRUITLESS_LIMIT = 100
WIDE_LONGEST = 20_000

_OPENING = re.compile(r"[{｛]\s*[\"“”＂]")
_WIDE_SIGN = re.compile(r"[：，｛｝［］“”＂]")
_WIDE = str.maketrans("：，｛｝［］", ":,{}[]")
_CLOSING = {'"': '"', "“": "”", "”": "”", "＂": "＂"}


@dataclass(frozen=True)
class Objects:
    """What was found: complete objects by where they begin, and where one begins that the end of the text cuts off."""

    complete: dict[int, dict[str, Any]]
    cut_off: int | None


class _CutOffError(ValueError):
    """The text ends inside an object."""


def objects(text: str) -> Objects:
    """Every JSON object in the text, wherever it stands. One that names a key twice is none: it says two things."""
    complete: dict[int, dict[str, Any]] = {}
    at, cut_off, fruitless = max(0, len(text) - LONGEST), None, 0
    while (opening := _OPENING.search(text, at)) and fruitless < FRUITLESS_LIMIT:
        start = opening.start()
        try:
            complete[start], at = _decode(text, start)
        except (ValueError, RecursionError) as error:
            at, fruitless = start + 1, fruitless + 1
            if isinstance(error, _CutOffError) and cut_off is None:
                cut_off = start
    return Objects(complete, cut_off)


def _decode(text: str, start: int) -> tuple[dict[str, Any], int]:
    try:
        return _strict(text, start)
    except ValueError:
        if not _WIDE_SIGN.search(text, start):
            raise
        straight, ends = _straightened(text[start : start + WIDE_LONGEST])
        value, length = _strict(straight, 0)
        return value, start + ends[length - 1]


def _strict(text: str, start: int) -> tuple[dict[str, Any], int]:
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        unfinished = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
        raise (_CutOffError if unfinished else ValueError)(error.msg) from None


def _straightened(text: str) -> tuple[str, list[int]]:
    """The object that the text begins with, in ASCII punctuation; for each sign of it, where the original goes on."""
    written: list[str] = []
    ends: list[int] = []
    closing, escaped, depth = "", False, 0
    for index, sign in enumerate(text, 1):
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
        ends.extend([index] * len(plain))
        if not depth:
            break
    return "".join(written), ends


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands twice")
    return value


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)
