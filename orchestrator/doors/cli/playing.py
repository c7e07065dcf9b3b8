"""Playing a run in the foreground: signals stop it, listeners show it, and what comes out is a record and a signal."""

import os
import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from anyio.abc import TaskStatus

from adapters.process import kill_all
from orchestrator.doors.cli.output import show_cursor
from orchestrator.doors.cli.stopping import heeded
from orchestrator.session import Session
from state.record import Record

T = TypeVar("T")


def play(session: Session, record: Record) -> tuple[Record, int | None]:
    """Play the record, and return it with the number of the signal that stopped the run, if one did."""
    played, number = run_stoppable(lambda: session.run(record))
    return played or session.record or record, number


def run_stoppable(work: Callable[[], Awaitable[T]]) -> tuple[T | None, int | None]:
    """Run `work` to its end, or until a signal stops it: its result, or None and the signal's number.

    The first Ctrl-C, SIGTERM or closed terminal stops everything; a second one ends us at once. They are heeded before
    `work` begins, and have their former effect again once it has ended.
    """
    return anyio.run(_run, work, heeded())


async def _run(work: Callable[[], Awaitable[T]], numbers: list[signal.Signals]) -> tuple[T | None, int | None]:
    stopped_by: list[int] = []
    result: T | None = None

    async def heed(scope: anyio.CancelScope, *, task_status: TaskStatus[None]) -> None:
        former = {number: signal.getsignal(number) for number in numbers}
        try:
            with anyio.open_signal_receiver(*numbers) as signals:
                task_status.started()
                async for number in signals:
                    if stopped_by:
                        _end_at_once(number)
                    stopped_by.append(number)
                    scope.cancel()
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    async with anyio.create_task_group() as watching:
        scope = anyio.CancelScope()
        if numbers:
            await watching.start(heed, scope)
        with scope:
            result = await work()
        watching.cancel_scope.cancel()
    return result, next(iter(stopped_by), None)


def _end_at_once(number: int) -> None:
    kill_all()
    show_cursor()
    os._exit(128 + number)
