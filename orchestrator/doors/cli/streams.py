"""The three standard streams, of which any may have been closed when we were started."""

import os
import sys


def open_closed_streams() -> None:
    """Open what was closed, so that no file of ours gets its number, and nobody need ask whether it is there.

    A closed stdin is empty and a closed stderr takes everything; a closed stdout takes nothing: writing to it fails, as
    a result that nobody can have must be told by the exit code.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest free number is this one
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8")
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
