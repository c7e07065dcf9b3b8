"""What is wrong with a request, as a value: the person reads it after `[ERROR]`, and nothing has begun."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Why a request cannot be carried out: one line in plain words."""

    message: str
