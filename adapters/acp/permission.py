"""Permissions: a participant may read in its view and search there, and nothing else, whatever it asks for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

READING = ("read", "search")
"""The kinds of tool calls that only look."""
CANCELLED: Mapping[str, Any] = {"outcome": {"outcome": "cancelled"}}


class Decision(NamedTuple):
    """Whether the agent may, and what it is answered."""

    granted: bool
    answer: Mapping[str, Any]


def decide(asked: Mapping[str, Any], view: Path | None) -> Decision:
    """The answer to `session/request_permission`: what only looks, and names no place outside the view, is allowed once.

    An option is taken by its kind, never by its name or its place, and never one that holds for ever. Where none says
    no, the request is answered as cancelled.
    """
    call, options = asked.get("toolCall"), asked.get("options")
    offered = [option for option in options if isinstance(option, Mapping)] if isinstance(options, Sequence) else []
    granted = isinstance(call, Mapping) and _looks_inside(call, view)
    wanted = "allow_once" if granted else "reject_once"
    chosen = next((option.get("optionId") for option in offered if option.get("kind") == wanted), None)
    if not isinstance(chosen, str):
        return Decision(False, CANCELLED)
    return Decision(granted, {"outcome": {"outcome": "selected", "optionId": chosen}})


def _looks_inside(call: Mapping[str, Any], view: Path | None) -> bool:
    """Whether this tool call only looks, and names where, and all of that lies in the view."""
    places = [*_paths(call.get("locations")), *_paths(call.get("rawInput"))]
    return call.get("kind") in READING and view is not None and bool(places) and all(_is_in(p, view) for p in places)


def _paths(value: Any) -> list[str]:
    """Everything in there that is named a path."""
    if isinstance(value, Mapping):
        own = [inner for name, inner in value.items() if "path" in str(name).lower() and isinstance(inner, str)]
        return [*own, *(path for inner in value.values() for path in _paths(inner))]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [path for inner in value for path in _paths(inner)]
    return []


def _is_in(path: str, view: Path) -> bool:
    """Whether this path leads into the view. Views hold no links, so that names tell."""
    return "\x00" not in path and (view / path).resolve().is_relative_to(view.resolve())
