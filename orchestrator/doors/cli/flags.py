"""What the flags of several commands have in common."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from orchestrator.tools import NETWORKED, TOOLS

F = TypeVar("F", bound=Callable[..., Any])


def options(*made: Callable[[F], F]) -> Callable[[F], F]:
    """Several options in the order in which they are named."""

    def apply(function: F) -> F:
        for option in reversed(made):
            function = option(function)
        return function

    return apply


class SeatType(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  generic in newer versions only
    """A seat as a person writes it; only the names of the tools are completed."""

    name = "seat"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del ctx, param
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{tool}") for tool in _tools() if tool.startswith(last)]


def _tools() -> tuple[str, ...]:
    """Every name of a tool, the person's own last; a settings file that is wrong is told elsewhere."""
    from orchestrator.request.settings import standing
    from orchestrator.usage import UsageError

    own: tuple[str, ...] = ()
    with suppress(UsageError, OSError):
        own = standing(os.environ, Path.cwd()).own_tools
    return (*TOOLS, NETWORKED, *own)


SEAT = SeatType()
