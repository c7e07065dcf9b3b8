"""What the process room costs: `python bench/process.py` from the repository's root.

overhead: run() of an instant child against subprocess.run of the same, medians; first child: from the interpreter's
start until the first child runs; memory: what a child that prints 500 MB adds to our peak.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
SET_UP = """
import resource, subprocess, sys, time
from functools import partial
from pathlib import Path
from statistics import median
import anyio
from adapters.process import run
from adapters.spec import Adapter, Command

vendor = Adapter("bench", "bench", "", "", None, None, lambda progress, line, stream: progress, lambda line: True)

def ask(*argv):
    return run(Command(argv, b"", {}, Path("/")), vendor, seconds=60)
"""
OVERHEAD = """
async def main():
    ours, bare = [], []
    for _ in range(40):
        began = time.perf_counter()
        await ask("/bin/true")
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        subprocess.run(["/bin/true"])
        bare.append(time.perf_counter() - began)
    ours, bare = median(ours) * 1000, median(bare) * 1000
    print(f"{ours - bare:.1f} ms (run {ours:.1f}, subprocess.run {bare:.1f})")

anyio.run(main)
"""
FIRST = "print(anyio.run(ask, '/bin/date', '+%s.%N').stdout.decode())"
MEMORY = """
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

anyio.run(ask, "/bin/true")
before = peak()
finished = anyio.run(ask, "/bin/sh", "-c", sys.argv[1])
print(f"{peak() - before:.0f} MB more, ended={finished.ended}, {finished.duration_s:.1f} s")
"""
FLOODS = {
    "one line on stdout": "/usr/bin/head -c 500000000 /dev/zero",
    "short lines on stdout": "/usr/bin/yes 'a line of forty characters, more or less' | /usr/bin/head -c 500000000",
    "on stderr": "/usr/bin/head -c 500000000 /dev/zero >&2",
}


def _child(code: str, *arguments: str) -> str:
    argv = [sys.executable, "-c", SET_UP + code, *arguments]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _first_child() -> float:
    began = time.time()
    return float(_child(FIRST)) - began


def main() -> None:
    """Prints all figures."""
    print("overhead of run():", _child(OVERHEAD))
    first = median(_first_child() for _ in range(7))
    print(f"first child runs: {first * 1000:.0f} ms after the interpreter was started")
    for name, script in FLOODS.items():
        print(f"500 MB, {name}: {_child(MEMORY, script)}")


if __name__ == "__main__":
    main()
