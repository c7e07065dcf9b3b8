"""What the flags of several commands have in common."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def options(*made: Callable[[F], F]) -> Callable[[F], F]:
    """Several options in the order in which they are named."""

    def apply(function: F) -> F:
        for option in reversed(made):
            function = option(function)
        return function

    return apply
