"""Being stopped while nothing is being played: the command ends tidily, and its exit code names the signal."""

import signal
import sys
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else []))


class Stopped(BaseException):
    """A signal wants us to end; as KeyboardInterrupt, it is no error of what it breaks off."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.code = 128 + number


def heeded() -> list[signal.Signals]:
    """The signals that stop us. One that was ignored when we were started (nohup, a background job) is none of them."""
    return [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]


def stop_tidily() -> None:
    """From now on SIGTERM and a closed terminal raise `Stopped`, so that what is held is let go and cleared away."""
    for number in STOPPING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stopped(number)
