"""Plays a recording as a vendor's program would: `player.py STDOUT FOLDER TOOL LINES`.

After so many lines it waits until FOLDER holds a file `go-TOOL`, so that a screen can be looked at in the meantime.
"""

import sys
import time
from pathlib import Path

RECORDING, FOLDER, TOOL, LINES = sys.argv[1:5]


def main() -> None:
    sys.stdin.buffer.read()
    for number, line in enumerate(Path(RECORDING).read_bytes().splitlines(keepends=True)):
        while number == int(LINES) and not Path(FOLDER, f"go-{TOOL}").exists():
            time.sleep(0.02)
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


main()
