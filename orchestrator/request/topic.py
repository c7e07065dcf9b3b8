"""The topic as a file or a stream gives it: kept word for word, or refused with the place where it is no text."""

import codecs
import os
from pathlib import Path
from typing import BinaryIO

from orchestrator.usage import UsageError
from state.clean import clean

LIMIT_BYTES = 2_000_000
"""The largest topic that is taken. No vendor's model reads more, and every prompt carries it."""

STDIN = "standard input"

_MARKS = (  # the four-byte marks first: UTF-16's little-endian mark begins UTF-32's
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def read_topic(name: str, folder: Path, stdin: BinaryIO) -> str:
    """The topic that `--topic-file` names, relative to `folder`; `-` is standard input. UsageError when it is none."""
    if name == "-":
        return decoded(stdin.read(LIMIT_BYTES + 1), STDIN)
    path = folder / Path(name).expanduser()
    try:
        with path.open("rb") as file:
            return decoded(file.read(LIMIT_BYTES + 1), name)
    except FileNotFoundError:
        raise UsageError(f"Topic file not found: {name}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"Topic file cannot be read: {name} ({_words(error)})") from None


def decoded(data: bytes, name: str) -> str:
    """The text of these bytes: UTF-8, or what their byte order mark says. `name` is where they came from, for messages.

    Nothing is changed but line ends, which become line feeds. UsageError for a NUL, a broken or other
    encoding, blank or too much text; offsets count bytes from 0.
    """
    if len(data) > LIMIT_BYTES:
        raise UsageError(f"The topic in {name} is larger than {LIMIT_BYTES:,} bytes.", _AS_CONTEXT)
    mark, codec, encoding = next((m for m in _MARKS if data.startswith(m[0])), (b"", "utf-8", "UTF-8"))
    if encoding == "UTF-8":
        _refuse_nul(data, name)
    return checked(_decode(data, mark, codec, encoding, name), name)


def from_arguments(text: str) -> str:
    """The topic that stood in the arguments: their bytes are UTF-8 also where the locale says ASCII. UsageError as below."""
    try:
        return checked(os.fsencode(text).decode())
    except UnicodeError:
        return checked(text)


def checked(text: str, name: str = "the arguments") -> str:
    """The topic, its lines ended by line feeds. UsageError when nothing of it shows or it holds what no text holds."""
    if not clean(text).strip():
        raise UsageError(f"The topic in {name} is empty.", "Write what the debate is about.")
    if "\0" in text:
        raise UsageError(f"The topic in {name} holds a NUL character at offset {text.index(chr(0))}.", _AS_UTF8)
    half = next((at for at, letter in enumerate(text) if "\ud800" <= letter <= "\udfff"), None)
    if half is not None:
        raise UsageError(f"The topic in {name} is not UTF-8 text at offset {half}.", _AS_UTF8)
    return text.replace("\r\n", "\n").replace("\r", "\n")


_AS_UTF8 = "Save it as UTF-8 text, and name the file with --topic-file FILE."
_AS_CONTEXT = "Write the question as topic, and give the material with --context file=PATH."


def _refuse_nul(data: bytes, name: str) -> None:
    at = data.find(b"\0")
    if at < 0:
        return
    if _alternates(data):
        raise UsageError(f"The topic in {name} looks like UTF-16 without a byte order mark.", _AS_UTF8)
    raise UsageError(f"The topic in {name} is not text: NUL byte at offset {at}.", _AS_UTF8)


def _alternates(data: bytes) -> bool:
    """Whether a fair part of every second byte is NUL and none between: how most scripts look in UTF-16."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    return len(data) % 2 == 0 and min(even, odd) == 0 and max(even, odd) * 4 >= len(data) // 2


def _decode(data: bytes, mark: bytes, codec: str, encoding: str, name: str) -> str:
    try:
        return data[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        place = len(mark) + error.start
        message = f"The topic in {name} is not {encoding} text: byte 0x{data[place]:02x} at offset {place}."
        raise UsageError(message, _AS_UTF8) from None


def _words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
