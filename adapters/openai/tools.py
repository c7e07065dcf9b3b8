"""The reading tools that a model without a CLI gets: what it is told of them, and which of them a user wants."""

from collections.abc import Mapping, Sequence
from typing import Any

_PATH = {"type": "string", "description": "Relative to the project's folder."}


def _function(name: str, what: str, required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": what, "parameters": schema}}


DESCRIBED: Mapping[str, dict[str, Any]] = {
    "read": _function(
        "read",
        "Read a text file of the project, with line numbers.",
        ["path"],
        path=_PATH,
        offset={"type": "integer", "minimum": 1, "description": "First line (1)."},
        limit={"type": "integer", "minimum": 1, "description": "How many lines (1000)."},
    ),
    "glob": _function(
        "glob",
        "List files of the project by a pattern such as src/**/*.py.",
        ["pattern"],
        pattern={"type": "string", "description": "* and ? within a name, ** for any folders."},
    ),
    "grep": _function(
        "grep",
        "Search the project's text files for a Python regular expression; gives path:line: text.",
        ["pattern"],
        pattern={"type": "string"},
        path={"type": "string", "description": "Only in this file or folder."},
        glob={"type": "string", "description": "Only in files that match this pattern."},
    ),
}
NAMES = tuple(DESCRIBED)


def offered(wanted: Sequence[str] | None, *, reads: bool) -> tuple[str, ...]:
    """The tools for a call: all, or those of the user's list that exist; none without files. An empty list is none."""
    if not reads:
        return ()
    return tuple(name for name in NAMES if wanted is None or name in wanted)
