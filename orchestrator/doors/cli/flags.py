"""What the flags of several commands have in common."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

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
        from orchestrator.tools import TOOLS

        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{tool}") for tool in TOOLS if tool.startswith(last)]


SEAT = SeatType()
