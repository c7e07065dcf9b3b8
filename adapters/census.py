"""Who is running on this machine: one row a process, read from /proc on Linux and by psutil elsewhere.

The guardian loads this file too, so it imports next to nothing (no typing, no dataclasses: each costs it 5 ms).
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator

ON_LINUX = sys.platform.startswith("linux")
_TICKS = os.sysconf("SC_CLK_TCK") if ON_LINUX else 1
_STAT_SIZE = 2048


class Row:
    """One process. `start`: when it began, on the clock of `now`; `group` and `session` are 0 where there are none."""

    __slots__ = ("group", "parent", "pid", "session", "start", "zombie")

    def __init__(self, pid: int, parent: int, group: int, session: int, start: float, *, zombie: bool) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.session = session
        self.start = start
        self.zombie = zombie


def now() -> float:
    """Seconds on the clock that processes' starts are told by.

    On Linux since the machine's start, in whole ticks (of 10 ms mostly); elsewhere the wall clock.
    """
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS) / _TICKS if ON_LINUX else time.time()


def rows() -> list[Row]:
    """Every process that we may see, zombies too."""
    return list(_from_proc() if ON_LINUX else _from_psutil())


def environment(pid: int) -> bytes:
    """The environment that a process was started with, entries ended by NUL; empty where we may not look."""
    if ON_LINUX:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            return file.readall()
        return b""
    return _environment_by_psutil(pid)


def _from_proc() -> Iterator[Row]:
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                    yield _row(int(name), file.read(_STAT_SIZE))


def _row(pid: int, stat: bytes) -> Row:
    # The program's name stands in parentheses and may hold blanks and parentheses itself (proc(5)).
    fields = stat[stat.rindex(b")") + 2 :].split()
    parent, group, session = map(int, fields[1:4])
    return Row(pid, parent, group, session, int(fields[19]) / _TICKS, zombie=fields[0] in b"ZX")


def _from_psutil() -> Iterator[Row]:
    import psutil

    for process in psutil.process_iter(["ppid", "create_time", "status"]):
        known = process.info
        group, session = _group_and_session(process.pid)
        dead = known["status"] == psutil.STATUS_ZOMBIE
        yield Row(process.pid, known["ppid"] or 0, group, session, known["create_time"] or 0.0, zombie=dead)


def _group_and_session(pid: int) -> tuple[int, int]:
    if sys.platform == "win32":
        return 0, 0
    with contextlib.suppress(OSError):
        return os.getpgid(pid), os.getsid(pid)
    return 0, 0


def _environment_by_psutil(pid: int) -> bytes:
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        entries = psutil.Process(pid).environ().items()
        return b"".join(os.fsencode(f"{name}={value}\0") for name, value in entries)
    return b""
