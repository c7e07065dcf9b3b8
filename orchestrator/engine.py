"""The one loop that plays every format: what comes next -> ask (at the same time where the step says so) -> record -> save -> tell."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import anyio

from orchestrator.events import Activity, Happening, Retrying, Tell
from orchestrator.formats.spec import End, Format, Speech
from prompts import render
from state.failures import FailureKind
from state.models import Ended, Envelope, Failure, Key, TurnEnded, TurnStarted
from state.record import Record

Ask = Callable[[Speech, str, Callable[[Activity | Retrying], None]], Awaitable[Envelope]]
Save = Callable[[Record], None]
KeepPrompt = Callable[[Key, str], None]


def now() -> str:
    """The time as the record writes it: UTC, ISO 8601, milliseconds, `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Room:
    """What the engine is given: how to ask, to keep a prompt, to save and to tell. It touches nothing else.

    None of them raises for what can happen in the world: a failed call is an envelope, a failed save is told by its owner.
    """

    ask: Ask
    keep_prompt: KeepPrompt
    save: Save
    tell: Tell


async def play(record: Record, format_: Format, room: Room) -> Record:
    """Play from wherever the record stands to the end of the run, and return the record with its `Ended` event.

    A cancelled run is ended as `interrupted`, saved, and the cancellation goes on.
    """
    table = _Table(record, room)
    try:
        while not isinstance(step := format_.next_step(table.record), End):
            async with anyio.create_task_group() as group:
                for speech in step.speeches:
                    group.start_soon(table.hear, speech)
    except anyio.get_cancelled_exc_class():
        table.add(Ended(at=now(), status="interrupted", reason="Stopped before the end."))
        raise
    table.add(Ended(at=now(), status=step.status, reason=step.reason, verdict=step.verdict))
    return table.record


class _Table:
    """The record as it grows; speeches of one step are heard at the same time."""

    def __init__(self, record: Record, room: Room) -> None:
        self.record = record
        self._room = room

    def add(self, event: Any) -> None:
        """Record, save, tell: in this order. Neither `save` nor `tell` raises: what was paid for goes on."""
        self.record = self.record.after(event)
        self._room.save(self.record)
        self._tell(event)

    def _tell(self, happening: Happening) -> None:
        self._room.tell(self.record, happening)

    async def hear(self, speech: Speech) -> None:
        prompt = render(speech.template, **speech.values)
        self._room.keep_prompt(speech.key, prompt)
        data = prompt.encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()
        self.add(
            TurnStarted(
                at=now(),
                key=speech.key,
                seat=speech.seat,
                prompt_sha256=digest,
                prompt_bytes=len(data),
                continues=speech.continues,
            )
        )
        try:
            envelope = await self._room.ask(speech, prompt, self._tell)
        except anyio.get_cancelled_exc_class():
            stopped = Failure(kind=FailureKind.CANCELLED, message="stopped by you")
            seat = speech.seat
            failed = Envelope(tool=seat.tool, effort=seat.effort, transport=seat.transport, failure=stopped)
            self.add(TurnEnded(at=now(), key=speech.key, envelope=failed))
            raise
        self.add(TurnEnded(at=now(), key=speech.key, envelope=envelope))
