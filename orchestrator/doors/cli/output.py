"""Writing results: stdout carries the result only, and a result that cannot be written is never silence."""

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from orchestrator import outcome
from state.clean import clean, for_ci


def write(text: str) -> int:
    """Write a result to stdout. The exit code: 0, or that of output that could not be written (closed pipe, full disk)."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        say(f"[ERROR] The result could not be written: {error.strerror}. The state is saved.")
        _give_up_stdout()
        return outcome.NO_OUTPUT
    return outcome.OK


def write_text(text: str, environ: Mapping[str, str]) -> int:
    """Write text for a person: nothing in it steers a terminal or a CI system."""
    return write(for_ci(clean(text)) if in_ci(environ) else clean(text))


def write_json(value: Any, *, indent: bool = True) -> int:
    """Write one JSON object and a newline."""
    import orjson

    return write(orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else 0).decode() + "\n")


def say(text: str) -> None:
    """Write one text and a newline to stderr, harmless; a stderr that is gone is not worth dying for."""
    try:
        sys.stderr.buffer.write(clean(text).encode("utf-8", "replace") + b"\n")
        sys.stderr.buffer.flush()
    except (OSError, ValueError):
        return


CI_MARKS = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether a CI system runs us: its log may execute lines that look like commands."""
    return any(environ.get(mark) for mark in CI_MARKS)


def columns() -> int | None:
    """How wide stdout is: what COLUMNS says, else the terminal; None on a pipe or in a file."""
    if not (os.environ.get("COLUMNS", "").isdecimal() or sys.stdout.isatty()):
        return None
    return max(shutil.get_terminal_size().columns, 20)


def _give_up_stdout() -> None:
    """Keep Python from trying to flush the broken stdout again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
