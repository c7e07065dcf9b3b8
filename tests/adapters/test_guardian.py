"""When we are killed with `kill -9`, the guardian ends what we had running; when we end in order, it goes silently."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from adapters import guardian
from tests.adapters.helpers import alive

ROOT = Path(__file__).parents[2]

CALLS = """
import sys
from functools import partial
from pathlib import Path
import anyio
from adapters.process import run
from tests.adapters.helpers import fake, vendor

async def main():
    async with anyio.create_task_group() as tasks:
        for how, where in (("stubborn", "group"), ("hang", "session"), ("stubborn", "orphan")):
            pids = Path(sys.argv[1], where)
            tasks.start_soon(partial(run, fake("household", pids, how, where), vendor(), seconds=60))

anyio.run(main)
"""


def python(*argv: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *argv], cwd=ROOT, **options)


def guardians_of(pid: int) -> list[psutil.Process]:
    return [child for child in psutil.Process(pid).children() if guardian.__file__ in child.cmdline()]


def still_running(pids: Path) -> list[str]:
    """Those that run; the dead wait for init, whose affair they are now that we are gone."""
    return [one for one in alive(pids) if not one.endswith(("Z", "gone"))]


def within(seconds: float, holds) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of ours with three calls that run."""
    process = python("-c", CALLS, str(tmp_path))
    assert within(9, lambda: sum(len(file.read_text().split()) for file in tmp_path.iterdir()) == 6)
    yield process
    process.kill()
    process.wait()


def test_after_kill_9_everything_is_gone_within_five_seconds(calls: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (watching,) = guardians_of(calls.pid)
    calls.kill()
    calls.wait()
    assert within(5, lambda: not any(still_running(file) for file in tmp_path.iterdir()))
    assert within(1, lambda: not watching.is_running() or watching.status() == psutil.STATUS_ZOMBIE)


def test_the_guardian_outlives_polite_signals_and_holds_none_of_our_streams(calls: subprocess.Popen[bytes]) -> None:
    (watching,) = guardians_of(calls.pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        watching.send_signal(number)
    time.sleep(0.1)
    assert watching.is_running()
    assert os.getsid(watching.pid) == watching.pid
    assert [Path(f"/proc/{watching.pid}/fd/{fd}").readlink() for fd in (1, 2)] == [Path("/dev/null")] * 2
    assert Path(f"/proc/{watching.pid}/cwd").readlink() == Path("/")
    assert b"DEBATE_CALL" not in Path(f"/proc/{watching.pid}/environ").read_bytes()


ONE_AFTER_ANOTHER = """
import os, signal
from functools import partial
import anyio, psutil
from adapters.process import run
from tests.adapters.helpers import python, vendor
from tests.adapters.test_guardian import guardians_of

def once():
    anyio.run(partial(run, python("pass"), vendor(), seconds=9))
    return [one.pid for one in guardians_of(os.getpid())]

first, second = once(), once()
os.kill(first[0], signal.SIGKILL)
while psutil.Process(first[0]).status() != psutil.STATUS_ZOMBIE:
    pass
third = once()
print(len(first), first == second, len(third), first != third, third[0])
"""


def test_there_is_one_guardian_for_all_calls_a_new_one_if_it_died_and_none_after_us() -> None:
    process = python("-W", "always", "-c", ONE_AFTER_ANOTHER, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=20)
    *facts, last = out.decode().split()
    assert (facts, err, process.returncode) == (["1", "True", "1", "True"], b"", 0)
    assert not psutil.pid_exists(int(last))


def test_the_guardian_imports_next_to_nothing_and_exits_at_once_when_nothing_runs() -> None:
    argv = [sys.executable, "-X", "importtime", "-I", "-S", guardian.__file__]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"typing", "dataclasses", "asyncio", "subprocess", "pydantic", "anyio", "psutil", "ctypes", "adapters.spec"}
    assert (imported & heavy, done.stdout) == (set(), "")
    assert "adapters.family" in imported
