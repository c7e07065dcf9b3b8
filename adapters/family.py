"""All processes that one call started, wherever they went, and how they are ended.

A process belongs to the call by its session, by its parent, or by the mark in its environment. Once seen it is
remembered, because its parent may die before it does. The guardian loads this file too: see census.py on imports.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Generator, Iterable, Iterator

from adapters import census
from adapters.census import Row

MARK = "DEBATE_CALL"
KILL_S = 2.0
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
_FIRST_LOOK_S, _LAST_LOOK_S = 0.005, 0.05


class Family:
    """The processes of one call: `root` is the one that we started (None until it runs), `mark` its DEBATE_CALL."""

    def __init__(self, mark: str, signals: tuple[int, ...], began: float | None = None) -> None:
        self.mark = mark
        self.signals = signals
        self.root: int | None = None
        self.began = census.now() if began is None else began
        self._seen: set[tuple[int, float]] = set()

    def left(self) -> list[Row]:
        """The members that are not gone yet.

        Those that died as our own adopted children are reaped on the way; the root is reaped by whoever waits for it.
        A zombie whose parent is a member is waited for: when that one dies it comes to us, or to init, whose affair it
        is then.
        """
        young = [row for row in census.rows() if row.start >= self.began and row.pid != os.getpid()]
        members = kin(young, {row.pid for row in young if self._owns(row)})
        self._seen.update((row.pid, row.start) for row in members)
        known = {row.pid for row in members}
        buried = {row.pid for row in young if row.zombie and (row.pid in known or self._later(row)) and _buried(row)}
        coming = known | {os.getpid()}
        gone = {row.pid for row in members if row.zombie and (row.pid == self.root or row.parent not in coming)}
        return [row for row in members if row.pid not in gone | buried]

    def send(self, number: int) -> None:
        """Sends a signal to every member, through its group where it has one."""
        members = self.left()
        groups = {row.group for row in members} - {0, _own_group()}
        for group in groups:
            with contextlib.suppress(OSError):
                os.killpg(group, number)
        for row in members:
            if row.group not in groups:
                with contextlib.suppress(OSError):
                    os.kill(row.pid, number)

    def _owns(self, row: Row) -> bool:
        if row.pid == self.root or (row.pid, row.start) in self._seen:
            return True
        if self.root is not None and row.session == self.root:
            return True
        if row.pid in _spared:
            return False
        environment = b"\0" + census.environment(row.pid)
        if b"\0%b=%b\0" % (MARK.encode(), self.mark.encode()) in environment:
            return True
        # A daemon that cleared its environment: it can only be ours while no other call runs.
        alone = running == {self} and self._later(row)
        return alone and _is_orphan(row) and b"\0%b=" % MARK.encode() not in environment

    def _later(self, row: Row) -> bool:
        """Whether it began surely after the call: what began in the same tick of the clock may be older."""
        return row.start > self.began


running: set[Family] = set()
_spared: set[int] = set()
_starts: list[None] = []


@contextlib.contextmanager
def start() -> Generator[None]:
    """While a child is being started its pid is not known yet: nobody may take it for an orphan and reap it."""
    _starts.append(None)
    try:
        yield
    finally:
        _starts.pop()


def spare(pid: int) -> None:
    """Declares a child of ours to be no call's orphan: the root of a call, the guardian, a detached worker."""
    _spared.add(pid)


def forget(pid: int) -> None:
    """Takes back `spare`, once the child has been waited for."""
    _spared.discard(pid)


def kin(rows: Iterable[Row], founders: set[int]) -> list[Row]:
    """The founders and all their descendants among these rows."""
    children: dict[int, list[Row]] = {}
    for row in rows:
        children.setdefault(row.parent, []).append(row)
    found = {row.pid: row for row in rows if row.pid in founders}
    waiting = list(found)
    while waiting:
        for row in children.get(waiting.pop(), ()):
            if row.pid not in found:
                found[row.pid] = row
                waiting.append(row.pid)
    return list(found.values())


def ending(family: Family, grace_s: float) -> Iterator[float]:
    """Ends a family: its signals in order, sharing the grace, then KILL until nobody is left (at most KILL_S).

    Yields the seconds to wait before it is asked again, so that the room awaits and the guardian sleeps between looks.
    """
    yield from _stages(family, grace_s)
    while _starts:
        yield _FIRST_LOOK_S
        family.left()


def _stages(family: Family, grace_s: float) -> Iterator[float]:
    for number in family.signals:
        if not family.left():
            return
        family.send(number)
        yield from _looks(family, grace_s / len(family.signals))
    for pause in _looks(family, KILL_S):
        family.send(_KILL)
        yield pause


def kill(family: Family) -> None:
    """KILL to every member at once, without waiting."""
    family.send(_KILL)


def _looks(family: Family, seconds: float) -> Iterator[float]:
    until, pause = time.monotonic() + seconds, _FIRST_LOOK_S
    while family.left() and time.monotonic() < until:
        yield pause
        pause = min(2 * pause, _LAST_LOOK_S)


def adopt_orphans() -> None:
    """Makes us, not init, the parent of descendants whose parent died (Linux), so that none leaves our sight."""
    if census.ON_LINUX:
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            set_child_subreaper = 36  # <linux/prctl.h>
            ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _buried(row: Row) -> bool:
    """Reaps a dead process that we adopted; not while a child is being started, whose pid we do not know yet."""
    if _starts or row.pid in _spared or not _is_orphan(row):
        return False
    with contextlib.suppress(OSError):
        os.waitpid(row.pid, os.WNOHANG)
    return True


def _is_orphan(row: Row) -> bool:
    """Whether we adopted it: what we start ourselves stays in our session, or is spared."""
    return sys.platform != "win32" and row.parent == os.getpid() and row.session not in (0, os.getsid(0))


def _own_group() -> int:
    return 0 if sys.platform == "win32" else os.getpgrp()
