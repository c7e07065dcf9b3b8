"""A small process that outlives us: when we are killed by `kill -9`, it ends the calls that were running.

It holds the reading end of a pipe. Our death, however it comes, closes the writing end. It knows each running call from
lines in that pipe: `start MARK BEGAN SIGNALS`, `root MARK PID`, `over MARK`. An orderly end leaves no call, so then it
just exits.
"""

import contextlib
import os
import signal
import sys
import time

TYPE_CHECKING = False  # typing costs the guardian 5 ms
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

if __name__ == "__main__":
    # The package itself would import every vendor; a bare stand-in gives access to its files alone.
    _package = type(sys)("adapters")
    _package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules["adapters"] = _package
    sys.path.extend(sys.argv[1:])

from adapters import census
from adapters import family as families
from adapters.family import Family

GRACE_S = 1.5
_PAUSE_S = 0.03


class Guardian:
    """Our side: starts the guardian and tells it which calls run. Whatever goes wrong here, no call fails by it."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._process: subprocess.Popen[bytes] | None = None

    def expect(self, family: Family) -> None:
        """To be called before a child is started: from then on it is known by its mark."""
        self._tell("start", family.mark, repr(family.began), ",".join(map(str, map(int, family.signals))))

    def enlist(self, family: Family) -> None:
        """To be called once the child runs. The first time starts the guardian: beside its child, not before it."""
        self._tell("root", family.mark, str(family.root))
        if self._process is None:
            self._start()

    def dismiss(self, family: Family) -> None:
        """The call is over and nothing of it is left."""
        self._tell("over", family.mark)

    def lost(self) -> bool:
        """Whether it was started and has died."""
        return self._process is not None and self._process.poll() is not None

    def close(self) -> None:
        """Lets the guardian go and waits for it, so that not even it is left behind us."""
        os.close(self._writer)
        if self._process is None:
            os.close(self._reader)
            return
        with contextlib.suppress(Exception):
            self._process.wait(1)
        families.forget(self._process.pid)

    def _tell(self, *words: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._writer, " ".join(words).encode() + b"\n")

    def _start(self) -> None:
        import subprocess

        argv = [sys.executable, "-I", "-S", os.path.abspath(__file__), *_psutil_folder()]
        silent = subprocess.DEVNULL
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                argv,
                stdin=self._reader,
                stdout=silent,
                stderr=silent,
                cwd=os.sep,
                env=_environment(),
                start_new_session=True,
            )
            os.close(self._reader)
            families.spare(self._process.pid)


def _psutil_folder() -> list[str]:
    """Where the guardian finds psutil, which it needs beside Linux only: `-S` hides installed packages from it."""
    if census.ON_LINUX:
        return []
    from importlib.util import find_spec

    spec = find_spec("psutil")
    return [os.path.dirname(os.path.dirname(spec.origin))] if spec and spec.origin else []


def _environment() -> dict[str, str]:
    """What an interpreter may need to start at all; no keys, no marks."""
    wanted = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
    return {name: os.environ[name] for name in wanted if name in os.environ}


def _main() -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _end_all(list(_calls_at_our_parents_death().values()))
    os._exit(0)


def _calls_at_our_parents_death() -> dict[str, Family]:
    calls: dict[str, Family] = {}
    for line in _lines():
        verb, mark, *rest = line.decode().split(" ")
        if verb == "start":
            calls[mark] = Family(mark, tuple(map(int, filter(None, rest[1].split(",")))), float(rest[0]))
        elif verb == "root" and mark in calls:
            calls[mark].root = int(rest[0])
        elif verb == "over":
            calls.pop(mark, None)
    return calls


def _lines() -> "Iterator[bytes]":
    pending = b""
    while chunk := os.read(0, 65536):
        *whole, pending = (pending + chunk).split(b"\n")
        yield from whole


def _end_all(calls: list[Family]) -> None:
    """Ends all of them side by side, so that many calls take no longer than one."""
    rounds = [families.ending(call, GRACE_S) for call in calls]
    while rounds := [one for one in rounds if next(one, None) is not None]:
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    _main()
