"""Finding what a vendor said in what its process printed: JSON values amid noise, counts and costs of doubtful type."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import orjson

_ESCAPES = re.compile(r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b")
"""Terminal codes that begin with ESC. JSON never holds a raw ESC, but may hold the raw C1 characters: those stay."""

_BLANK = re.compile(r"[\s\ufeff]*\Z")
_VAIN_TRIES = 8
"""How many braces of one line may turn out to begin no object of interest before the rest of the line is let be."""
_VAIN_READS = 300
"""How often reading an object over several lines may fail; after that, each line stands for itself."""
_WASTE = 4
"""Such reading in vain may go over this many times the length of the output."""


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else math.inf


_DECODER = json.JSONDecoder(strict=False, parse_int=_number)


def values(data: bytes) -> list[dict[str, Any]]:
    """Every JSON object in the output, in order: one a line, pretty-printed over many lines, or behind noise on its line.

    An object counts where its line begins (after blanks, terminal codes, another object), or where it ends its line;
    not in the middle of a text, nor inside another object. Byte-order marks, CRLF, terminal codes and broken UTF-8 do
    no harm; half a surrogate pair becomes U+FFFD. Never raises; time is linear in the length of the output.
    """
    text = data.decode("utf-8", "replace")
    return list(_Scan(_ESCAPES.sub("", text) if "\x1b" in text else text).objects())


def value(line: bytes) -> dict[str, Any] | None:
    """The JSON object that this line is, or None."""
    found = values(line)
    return found[0] if len(found) == 1 else None


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._reads = _VAIN_READS
        self._effort = _WASTE * len(text)

    def objects(self) -> Iterator[dict[str, Any]]:
        while (brace := self._text.find("{", self._at)) >= 0:
            start = max(self._at, self._text.rfind("\n", self._at, brace) + 1)
            end = self._text.find("\n", brace)
            self._at = len(self._text) if end < 0 else end
            yield from self._of_line(self._text[start : self._at], start)

    def _of_line(self, line: str, start: int) -> Iterator[dict[str, Any]]:
        try:
            found = orjson.loads(line.strip("\ufeff \t\r"))
        except orjson.JSONDecodeError:
            yield from self._amid_noise(line, start)
        else:
            if isinstance(found, dict):
                yield found

    def _amid_noise(self, line: str, start: int) -> Iterator[dict[str, Any]]:
        begin, vain, brace = 0, 0, line.find("{")
        while brace >= 0 and vain < _VAIN_TRIES:
            found = _decoded(line, brace)
            if isinstance(found, int):
                found = self._over_lines(start + brace) if _BLANK.match(line, found) else None
                if found:
                    yield found[0]
                    self._at = found[1]
                    return
            if found and (not line[begin:brace].strip("\ufeff \t\r") or _BLANK.match(line, found[1])):
                yield found[0]
                begin = found[1]
            else:
                vain += 1
            brace = line.find("{", found[1] if found else brace + 1)

    def _over_lines(self, start: int) -> tuple[dict[str, Any], int] | None:
        if self._reads <= 0 or self._effort <= 0:
            return None
        found = _decoded(self._text, start)
        if not isinstance(found, int):
            return found
        self._reads -= 1
        self._effort -= found - start
        return None


def _decoded(text: str, start: int) -> tuple[dict[str, Any], int] | int:
    """The object that begins at `start` and where it ends, or how far it could be read."""
    try:
        found, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return len(text) if error.msg.startswith("Unterminated") else error.pos
    except RecursionError:
        return len(text)
    return _mended(found), end


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def text_of(value: Any) -> str:
    """The text of a field that holds a string, a list of text parts, or something else (then empty)."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(part if isinstance(part, str) else _text_of_part(part) for part in value)
    return ""


def _text_of_part(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def part(value: Any, *path: str) -> Any:
    """The value at this path of keys, or None where the shape is another one."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count(value: Any) -> int | None:
    """A number of tokens, or None for what cannot be one (text, negative, a fraction, not finite, beyond 2^53)."""
    number = _sane(value)
    return int(number) if number is not None and number == int(number) else None


def cost(value: Any) -> float | None:
    """An amount of money, or None for what cannot be one."""
    number = _sane(value)
    return None if number is None else float(number)


def _sane(value: Any) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < 2**53 else None
