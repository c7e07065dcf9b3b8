"""Writing results: stdout carries the result only, and a result that cannot be written is never silence."""

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from orchestrator import outcome
from state.clean import clean, for_ci


def write(text: str) -> int:
    """Write a result to stdout. The exit code: 0, or that of output that could not be written (closed pipe, full disk)."""
    problem = _put(sys.stdout, text)
    return not_written(problem) if problem else outcome.OK


def not_written(problem: str) -> int:
    """Give stdout up, and say why there is no result on it. The exit code for that."""
    _give_up(sys.stdout)
    say(f"[ERROR] The result could not be written: {problem}. Nothing that was saved is lost.")
    return outcome.NO_OUTPUT


def write_text(text: str, environ: Mapping[str, str]) -> int:
    """Write text for a person: nothing in it steers a terminal or a CI system."""
    return write(for_ci(clean(text)) if in_ci(environ) else clean(text))


def write_page(text: str, environ: Mapping[str, str]) -> int:
    """Write a text of long lines for a person: wrapped on a terminal, as it is elsewhere."""
    if not is_terminal(sys.stdout):
        return write_text(text, environ)
    from orchestrator.doors.wrapping import WIDEST, hanging

    limit = min(columns() or WIDEST, WIDEST)
    return write_text("\n".join(piece for line in clean(text).split("\n") for piece in hanging(line, limit)), environ)


def write_json(value: Any, *, indent: bool = True) -> int:
    """Write one JSON object and a newline."""
    import orjson

    return write(orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else 0).decode() + "\n")


def say(text: str) -> None:
    """Write one text and a newline to stderr, harmless; a stderr that is gone is not worth dying for."""
    _put(sys.stderr, f"{clean(text)}\n")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written there. A stream that was closed when we began is None."""
    return stream is not None and stream.isatty()


def show_cursor() -> None:
    """Give a terminal its cursor back where there is no time for more."""
    if is_terminal(sys.stderr):
        _put(sys.stderr, "\x1b[?25h\n")


CI_MARKS = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether a CI system runs us: its log may execute lines that look like commands."""
    return any(environ.get(mark) for mark in CI_MARKS)


def columns() -> int | None:
    """How wide stdout is: what COLUMNS says, else the terminal; None on a pipe or in a file."""
    if not (os.environ.get("COLUMNS", "").isdecimal() or is_terminal(sys.stdout)):
        return None
    return max(shutil.get_terminal_size().columns, 20)


def _put(stream: TextIO, text: str) -> str | None:
    """Write and flush; what went wrong, if something did. A stream that is broken is given up."""
    try:
        stream.buffer.write(text.encode("utf-8", "replace"))
        stream.buffer.flush()
    except (OSError, ValueError) as error:
        _give_up(stream)
        return str(getattr(error, "strerror", error))
    return None


def _give_up(stream: TextIO) -> None:
    """What is left of it goes nowhere: else Python would try to flush it again at its end, and exit with 120."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
