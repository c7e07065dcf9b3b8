"""What a format is: a name, roles, and one pure function from the record to what comes next."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from state.models import Key, Seat, Status, Verdict
from state.record import Record


@dataclass(frozen=True)
class Speech:
    """Ask this seat now. The prompt is `template` (a name below prompts/templates) rendered with `values`.

    `continues` names the vendor's session to go on with; the prompt then holds only what is new since.
    """

    key: Key
    seat: Seat
    template: str
    values: Mapping[str, Any]
    continues: str | None = None


@dataclass(frozen=True)
class Step:
    """Ask these; several are asked at the same time."""

    speeches: tuple[Speech, ...]


@dataclass(frozen=True)
class End:
    """Nothing is left to ask."""

    status: Status
    reason: str | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Format:
    """A kind of deliberation."""

    name: str
    roles: tuple[str, ...]
    next_step: Callable[[Record], Step | End]
