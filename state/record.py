"""The whole deliberation as a list of events, and what can be read off it."""

from collections.abc import Iterator
from typing import Any

from pydantic import ConfigDict

from state.models import (
    SCHEMA_VERSION,
    Ended,
    Event,
    Key,
    Opened,
    Resumed,
    Seat,
    Settings,
    Status,
    TurnEnded,
    TurnStarted,
    Value,
    Verdict,
)


class Record(Value):
    """A deliberation. `events` is the truth; everything else is read off it. Unknown keys of the file are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    schema_version: int = SCHEMA_VERSION
    events: tuple[Event, ...]

    def after(self, *events: Any) -> "Record":
        """The record with these events appended."""
        return self.model_copy(update={"events": (*self.events, *events)})

    @property
    def opened(self) -> Opened:
        """The opening; it is always the first event."""
        first = self.events[0]
        assert isinstance(first, Opened)
        return first

    def check(self) -> None:
        """Raise ValueError when the events are in no order that a run can write."""
        if not self.events or not isinstance(self.events[0], Opened):
            raise ValueError("its events do not begin with the opening")
        if sum(isinstance(event, Opened) for event in self.events) > 1:
            raise ValueError("its events hold more than one opening")
        if not self.seats:
            raise ValueError("it has no seats")
        begun = {_triple(event.key) for event in self.events if isinstance(event, TurnStarted)}
        lost = next((e.key for e in self.events if isinstance(e, TurnEnded) and _triple(e.key) not in begun), None)
        if lost:
            raise ValueError(f"its events end a call that none begins ({lost.step}, {lost.seat})")

    @property
    def id(self) -> str:
        return self.opened.id

    def _resumes(self) -> Iterator[Resumed]:
        return (e for e in reversed(self.events) if isinstance(e, Resumed))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats as they are now: the opening's, or those of the latest resume that changed them."""
        return next((r.seats for r in self._resumes() if r.seats is not None), self.opened.seats)

    @property
    def panels(self) -> tuple[tuple[Seat, ...], ...]:
        """The juries that may judge, in the order in which they are tried."""
        return next((r.panels for r in self._resumes() if r.panels is not None), self.opened.panels)

    @property
    def settings(self) -> Settings:
        return next((r.settings for r in self._resumes() if r.settings is not None), self.opened.settings)

    def seat(self, role: str) -> Seat:
        """The seat that plays this role."""
        return next(s for s in self.seats if s.role == role)

    @property
    def this_run(self) -> tuple[Event, ...]:
        """The events since the latest resume, it included: only their failures count."""
        for index in range(len(self.events) - 1, -1, -1):
            if isinstance(self.events[index], Resumed):
                return self.events[index:]
        return self.events

    def turn(self, step: str, seat: str) -> TurnEnded | None:
        """The turn that counts for this step and seat: an answer from any run, or a failure of this run."""
        of_this_run = True
        for event in reversed(self.events):
            if isinstance(event, Resumed):
                of_this_run = False
            if not isinstance(event, TurnEnded) or (event.key.step, event.key.seat) != (step, seat):
                continue
            if event.envelope.failure is None or of_this_run:
                return event
        return None

    def asked(self, key: Key) -> Seat:
        """The seat that was asked under this key, or would be."""
        begun = (e.seat for e in reversed(self.events) if isinstance(e, TurnStarted) and e.key == key)
        return next(begun, None) or self.seat(key.seat)

    def next_key(self, step: str, seat: str) -> Key:
        """The key for asking this seat in this step now: its attempt counts the earlier failures."""
        tries = sum(isinstance(e, TurnEnded) and e.key.step == step and e.key.seat == seat for e in self.events)
        return Key(step=step, seat=seat, attempt=tries)

    @property
    def ended(self) -> Ended | None:
        """How the latest run ended, or None while it plays (or was cut off)."""
        last = self.events[-1]
        return last if isinstance(last, Ended) else None

    @property
    def status(self) -> Status:
        return self.ended.status if self.ended else "running"

    @property
    def verdict(self) -> Verdict | None:
        return self.ended.verdict if self.ended else None


def _triple(key: Key) -> tuple[str, str, int]:
    return key.step, key.seat, key.attempt
