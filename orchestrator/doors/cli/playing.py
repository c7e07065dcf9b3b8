"""Playing a run in the foreground: signals stop it, listeners show it, and what comes out is a record and a signal."""

import os
import signal
import sys
from types import FrameType

import anyio

from adapters.process import kill_all
from orchestrator.session import Session
from state.record import Record

_STOPPING = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]


def play(session: Session, record: Record) -> tuple[Record, int | None]:
    """Play the record, and return it with the number of the signal that stopped the run, if one did.

    The first Ctrl-C, SIGTERM or closed terminal stops everything and saves; a second one ends us at once. A signal that
    was ignored when we were started (nohup, a background job) stays without effect.
    """
    heeded = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    return anyio.run(_play, session, record, heeded)


async def _play(session: Session, record: Record, heeded: list[signal.Signals]) -> tuple[Record, int | None]:
    stopped_by: list[int] = []

    async def heed(scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(*heeded) as signals:
            async for number in signals:
                if stopped_by:
                    _end_at_once(number, None)
                stopped_by.append(number)
                scope.cancel()

    async with anyio.create_task_group() as watching:
        scope = anyio.CancelScope()
        if heeded:
            watching.start_soon(heed, scope)
        with scope:
            record = await session.run(record)
        watching.cancel_scope.cancel()
    return session.record or record, next(iter(stopped_by), None)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    kill_all()
    os._exit(128 + number)
