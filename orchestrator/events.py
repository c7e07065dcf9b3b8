"""What the engine tells the doors beside the record's own events: things that pass and are not recorded."""

from collections.abc import Callable
from dataclasses import dataclass

from adapters.spec import Progress
from state.models import Event, Failure, Key
from state.record import Record


@dataclass(frozen=True)
class Activity:
    """A participant is at work; `progress` says how far."""

    key: Key
    progress: Progress


@dataclass(frozen=True)
class Retrying:
    """A call failed for a passing reason and is made again in `seconds`; `attempt` of at most `limit`."""

    key: Key
    failure: Failure
    seconds: float
    attempt: int
    limit: int


@dataclass(frozen=True)
class Warned:
    """Something the person should know that does not end the run. `grave`: something may be lost."""

    text: str
    grave: bool = False


Happening = Event | Activity | Retrying | Warned
Tell = Callable[[Record, Happening], None]
