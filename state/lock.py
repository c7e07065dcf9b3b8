"""A lock that one process holds on a debate. The system lets go of it when that process dies, however it dies."""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # a byte far behind the pid, so that others can still read the pid

    def _take(descriptor: int, *, shared: bool = False) -> None:  # noqa: ARG001  this system has no shared locks
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int, *, shared: bool = False) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


_TRIES = 3
_PAUSE_S = 0.01  # another one that only looks has it for less than this


class Held(Exception):
    """Another process has the lock. `pid` is its number, or 0 where it did not say."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"held by pid {pid}")
        self.pid = pid


class Lock:
    """A lock file that this process holds until `release`, or until it ends."""

    def __init__(self, path: Path) -> None:
        """Take the lock at once. Raises Held, and OSError where no file can be made."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        if not _taken(self._descriptor):
            pid = _pid(self._descriptor)
            os.close(self._descriptor)
            raise Held(pid)
        self._write(f"{os.getpid()}\n".encode())

    def lies_at(self, path: Path) -> bool:
        """Whether the locked file is still the one of this name: somebody may have removed it in between."""
        try:
            return os.path.samestat(path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go. The file stays: to remove it would let two processes hold two files of one name."""
        self._write(b"")
        os.close(self._descriptor)

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # on a full disk the lock holds all the same
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, data, 0) if hasattr(os, "pwrite") else os.write(self._descriptor, data)


def _taken(descriptor: int) -> bool:
    for _ in range(_TRIES):
        with suppress(OSError):
            _take(descriptor)
            return True
        time.sleep(_PAUSE_S)
    return False


def _pid(descriptor: int) -> int:
    os.lseek(descriptor, 0, os.SEEK_SET)
    said = os.read(descriptor, 20).strip()
    return int(said) if said.isdigit() else 0


def is_held(path: Path) -> bool:
    """Whether a process holds this lock now. Nothing is made or changed."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        _take(descriptor, shared=True)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
