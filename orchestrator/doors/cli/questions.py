"""Asking a person for what the command line left open: once, on a terminal only, with the recommended answers preselected."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from orchestrator.request.request import Request, read_request

_RECOMMENDED = {"effort": "high", "rounds": "2", "context": "none"}
_OFFERED = {
    "effort": click.Choice(["low", "medium", "high", "max"]),
    "rounds": click.Choice(["2", "1", "3", "5"]),
    "context": click.Choice(["none", "diff", "file"]),
}


def completed(
    request: Request,
    words: Sequence[str],
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    source: Mapping[str, Any],
) -> Request:
    """The request with what a person answered, or as it is where nothing is missing or nobody can be asked.

    A rehearsal with a topic needs no answers: whoever tries the program for the first time wants to see it run.
    """
    missing = request.missing
    shown = request.choices.rehearse is not None and "topic" not in missing
    silent = shown or request.choices.no_input or not (sys.stdin.isatty() and sys.stderr.isatty())
    if not missing or silent:
        return request
    answers = _ask(missing, request, environ)
    topic = answers.pop("topic", None)
    words = [*words, topic] if topic else words
    return read_request(words, {**flags, **answers}, environ, sys.stdin.buffer, **source)


def _ask(missing: Sequence[str], request: Request, environ: Mapping[str, str]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for key in missing:
        match key:
            case "topic":
                answers[key] = click.prompt("What is the question?", err=True)
            case "proposer" | "challenger":
                answers[key] = _tool(key, answers.get("proposer") or request.choices.proposer, request, environ)
            case "context":
                answers[key] = _context()
            case _:
                kind = _OFFERED[key]
                answers[key] = click.prompt(key.capitalize(), type=kind, default=_RECOMMENDED[key], err=True)
    return answers


def _tool(role: str, other: str | None, request: Request, environ: Mapping[str, str]) -> str:
    """Who sits there: one of those that can be seated, the first of them preselected."""
    from orchestrator.seating import as_rehearsed, ready, too_few
    from orchestrator.vendors import look

    vendors, _ = look(request.settings, environ)
    vendors = vendors if request.choices.rehearse is None else as_rehearsed(vendors)
    taken = (other or "").partition(":")[0].partition("@")[0]
    offered = [name for name in ready(vendors) if role == "proposer" or name != taken]
    if not offered:
        raise too_few(vendors)
    return click.prompt(f"Who is the {role}?", type=click.Choice(offered), default=offered[0], err=True)


def _context() -> tuple[str, ...]:
    kind = click.prompt("Context", type=_OFFERED["context"], default=_RECOMMENDED["context"], err=True)
    return (f"file={click.prompt('Which file?', err=True)}",) if kind == "file" else (kind,)
