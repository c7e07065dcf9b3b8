"""Prints a lot: `printer.py STREAM MEGABYTES long|short`, then ANSWER on stdout and exits with 0.

`long` is one single line, `short` are lines of 40 bytes.
"""

import os
import sys

STREAM, MEGABYTES, SHAPE = sys.argv[1:]
out = 1 if STREAM == "stdout" else 2
block = b"x" * (1 << 20) if SHAPE == "long" else (b"x" * 39 + b"\n") * 26215


def write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


for _ in range(int(MEGABYTES)):
    write(out, block)
write(out, b"\n")
write(1, b"ANSWER\n")
