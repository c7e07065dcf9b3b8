"""What a participant does at the moment, in words for a person."""

from collections.abc import Mapping
from typing import Any

from state.clean import without_terminal_codes

WIDTH = 400
"""Enough for the path of a file in the view, from which a person is shown only the end."""
_VERBS = {
    "read": "reads",
    "read_file": "reads",
    "view": "reads",
    "list": "lists",
    "list_directory": "lists",
    "grep": "searches for",
    "grep_search": "searches for",
    "glob": "looks for files",
    "command_execution": "runs",
}
_OBJECTS = ("filePath", "file_path", "pattern", "path", "dir_path", "command")


def using(tool: str, arguments: Any) -> str:
    """What calling this tool with these arguments looks like to a person: "reads src/queue.py"."""
    verb = _VERBS.get(tool)
    return _line(f"{verb} {_object(arguments)}" if verb else f"calls {tool}")


def writing(characters: int) -> str:
    """That the answer is being written, and how much of it is there."""
    return f"writes ({characters} characters)"


def telling(words: str) -> str:
    """What the program itself has to say, beside the answer."""
    return _line(words)


def _object(arguments: Any) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    return next((value for name in _OBJECTS if isinstance(value := arguments.get(name), str)), "")


def _line(text: str) -> str:
    """One short line: the words come from a model."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in without_terminal_codes(text)).split())
    return plain if len(plain) <= WIDTH else plain[: WIDTH - 1] + "…"
