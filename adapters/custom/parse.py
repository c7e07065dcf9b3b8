"""Finding the answer in what an unknown CLI prints: `text`, `json:PATH` or `jsonl:TYPE:PATH`.

PATH is keys and list positions with dots between them: `result`, `-1.result`, `message.content.0.text`.
"""

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import orjson

from adapters.reading import text_of, values
from state.clean import without_terminal_codes

FORMS = 'parse is "text", "json:PATH" or "jsonl:TYPE:PATH"'
_PATH = re.compile(r"[^.:\s]+(?:\.[^.:\s]+)*")
_LIST = re.compile(r"^[ \t]*\[", re.MULTILINE)
_VAIN_LISTS = 20
"""How many lines that begin like a list are looked at: the words before the answer may hold some that are none."""
_DECODER = json.JSONDecoder(strict=False)
_BULLET = re.compile(r"\s*(?:> |• ?)")


@dataclass(frozen=True)
class Rule:
    """Where the answer stands."""

    form: Literal["text", "json", "jsonl"]
    type: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """The answer; `error` is what the program said in its place.

    `read` tells whether the output had the expected form, `held` whether there was anything, be it empty, at the path.
    """

    text: str = ""
    error: str = ""
    read: bool = False
    held: bool = False


def wrong_parse(rule: str) -> str | None:
    """Why this is no rule, or None."""
    match rule.split(":"):
        case ["text"]:
            return None
        case ["json", path] if _PATH.fullmatch(path):
            return None
        case ["jsonl", kind, path] if kind.strip() and _PATH.fullmatch(path):
            return None
        case _:
            return FORMS


def rule_of(text: str) -> Rule:
    """The rule that these words are; they have been checked."""
    match text.split(":"):
        case ["json", path]:
            return Rule("json", path=tuple(path.split(".")))
        case ["jsonl", kind, path]:
            return Rule("jsonl", kind.strip(), tuple(path.split(".")))
        case _:
            return Rule("text")


def found(rule: Rule, stdout: bytes) -> Found:
    """The answer in this output. Of several that fit, the last one counts."""
    if rule.form == "text":
        text = _BULLET.sub("", without_terminal_codes(stdout.decode("utf-8", "replace")), count=1).strip()
        return Found(text, read=bool(text), held=bool(text))
    candidates = _values(stdout) if rule.form == "json" else [v for v in values(stdout) if _type(v) == rule.type]
    held = [inner for value in candidates if (inner := at(value, rule.path)) is not None]
    texts = [text for inner in held if (text := text_of(inner)).strip()]
    errors = [error for value in candidates if (error := _error(value))]
    answer = texts[-1] if texts else ""
    told = errors[-1] if errors else ""
    return Found(answer if not told else "", told, read=bool(candidates), held=bool(held))


def at(value: Any, path: tuple[str, ...]) -> Any:
    """What stands at this path, or None."""
    for key in path:
        if isinstance(value, list) and re.fullmatch(r"-?\d{1,6}", key):
            value = value[int(key)] if -len(value) <= int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _values(stdout: bytes) -> list[Any]:
    """The whole output as one JSON value; else the first list that begins a line; else every object in it."""
    text = without_terminal_codes(stdout.decode("utf-8", "replace")).strip("\ufeff \t\r\n")
    try:
        return [orjson.loads(text)]
    except orjson.JSONDecodeError:
        first = next(
            (found for start in islice(_LIST.finditer(text), _VAIN_LISTS) if (found := _list(text, start.end() - 1))),
            None,
        )
        return list(values(stdout)) if first is None else [first]


def _list(text: str, start: int) -> list[Any] | None:
    try:
        found, _ = _DECODER.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError, ValueError):
        return None
    return found if any(isinstance(item, dict) for item in found) else None


def _type(value: dict[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _error(value: Any) -> str:
    """The error that a result declares itself to be."""
    last = value[-1] if isinstance(value, list) and value else value
    if not isinstance(last, dict):
        return ""
    error = last.get("error")
    words = text_of(error) or text_of(error.get("message") if isinstance(error, dict) else None)
    if words:
        return words
    if last.get("is_error") is True:
        return text_of(last.get("result")) or text_of(last.get("message")) or "it says is_error"
    return ""
