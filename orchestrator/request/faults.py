"""Saying what is wrong with a setting: one sentence, the wrong value, the key and the line where it stands."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from orchestrator.usage import UsageError, did_you_mean

Loc = tuple[int | str, ...]

_SENTENCES = {
    "rounds": "Rounds must be 1-5. Got: {}",
    "effort": "Effort must be low, medium, high or max. Got: {}",
    "timeout": "A timeout is a number of seconds above 0. Got: {}",
    "context": "Context must be none, diff or file=PATH. Got: {}",
    "transport": "Transport must be auto, cli or acp. Got: {}",
    "pass_env": "pass_env takes names of environment variables. Got: {}",
}


def fault(error: ErrorDetails, model: type[BaseModel]) -> str:
    """The sentence for what pydantic found wrong in a value for `model`."""
    *path, key = (part for part in error["loc"] if isinstance(part, str))
    if error["type"] == "own":
        slip = did_you_mean(key, _keys(model, path)) if path == ["tools"] else ""
        is_meant = isinstance(error["input"], Mapping) and {"command", "base_url"} & set(error["input"])
        return f"Unknown setting: {key}.{slip}" if slip and not is_meant else f"{error['msg']}.{slip}"
    if error["type"] == "extra_forbidden":
        known = _keys(model, path)
        return f"Unknown setting: {key}." + (did_you_mean(key, known) or f" Known here: {', '.join(known)}.")
    sentence = _SENTENCES.get(key) or f"{key}: {error['msg'].removeprefix('Input ')}. Got: {{}}"
    return sentence.format(_shown(error["input"], quoted=error["type"].endswith("_type")))


def parsed(data: bytes, path: Path) -> tuple[str, Mapping[str, Any]]:
    """The text of a TOML file (a byte order mark is left out) and its values. UsageError when it is not one."""
    import tomllib  # most debates have no settings file

    try:
        text = data.decode("utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"The settings file is not UTF-8 text at byte {error.start}: {path}") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The settings file is not valid TOML: {path}: {error}") from None


def line_of(text: str, loc: Loc) -> str:
    """`line N: ` for the deepest part of the key that the text has a line for, or nothing."""
    wanted = tuple(part for part in loc if isinstance(part, str))
    best, number = 0, 0
    table: tuple[str, ...] = ()
    for at, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.match(line), _KEY.match(line)
        table = _names(header[1]) if header else table
        here = table if header else (*table, *_names(key[1])) if key else ()
        if len(here) > best and wanted[: len(here)] == here:
            best, number = len(here), at
    return f"line {number}: " if number else ""


_SHOWN = 80
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w\-.\"' ]+?)\s*=")


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip(" \"'") for part in dotted.split("."))


def _keys(model: type[BaseModel], path: list[str]) -> list[str]:
    """The keys that the table at this path may have."""
    for part in path:
        field = model.model_fields.get(part)
        known = _types(field.annotation if field else model.__annotations__["__pydantic_extra__"])
        model = next(t for t in known if isinstance(t, type) and issubclass(t, BaseModel))
    return [info.alias or name for name, info in model.model_fields.items()]


def _types(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) or (annotation,)


def _shown(value: object, *, quoted: bool) -> str:
    """The value for a sentence; a text where a number belongs is shown with its quotes."""
    text = f'"{value}"' if quoted and isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
