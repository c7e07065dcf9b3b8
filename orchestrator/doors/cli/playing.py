"""Playing a run in the foreground: signals stop it, listeners show it, and what comes out is a record and a signal."""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from adapters.process import kill_all
from orchestrator.doors.cli.output import show_cursor
from orchestrator.session import Session
from state.record import Record

T = TypeVar("T")
_STOPPING = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]


def play(session: Session, record: Record) -> tuple[Record, int | None]:
    """Play the record, and return it with the number of the signal that stopped the run, if one did."""
    played, number = run_stoppable(lambda: session.run(record))
    return played or session.record or record, number


def run_stoppable(work: Callable[[], Awaitable[T]]) -> tuple[T | None, int | None]:
    """Run `work` to its end, or until a signal stops it: its result, or None and the signal's number.

    The first Ctrl-C, SIGTERM or closed terminal stops everything; a second one ends us at once. A signal that was ignored
    when we were started (nohup, a background job) stays without effect.
    """
    heeded = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    return anyio.run(_run, work, heeded)


async def _run(work: Callable[[], Awaitable[T]], heeded: list[signal.Signals]) -> tuple[T | None, int | None]:
    stopped_by: list[int] = []
    result: T | None = None

    async def heed(scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(*heeded) as signals:
            async for number in signals:
                if stopped_by:
                    _end_at_once(number)
                stopped_by.append(number)
                scope.cancel()

    async with anyio.create_task_group() as watching:
        scope = anyio.CancelScope()
        if heeded:
            watching.start_soon(heed, scope)
        with scope:
            result = await work()
        watching.cancel_scope.cancel()
    return result, next(iter(stopped_by), None)


def _end_at_once(number: int) -> None:
    kill_all()
    show_cursor()
    os._exit(128 + number)
