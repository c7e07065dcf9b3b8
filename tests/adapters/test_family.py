"""Nothing that a call started is left when it returns: whichever way it ends, wherever its descendants went."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

from adapters.census import Row
from adapters.family import kin
from adapters.process import kill_all, run
from adapters.spec import Finished
from tests.adapters.helpers import alive, fake, python, vendor, zombies

TOGETHER = ("group", "session", "orphan")
ALONE = ("hidden",)
"""What cleared its environment can be told to be a call's only while no other call runs."""


def noted(pids: Path) -> int:
    return len(pids.read_text().split()) if pids.exists() else 0


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - other processes set no event
        await anyio.sleep(0.01)


@pytest.mark.parametrize("places", [TOGETHER, ALONE])
@pytest.mark.parametrize(
    ("how", "ended"),
    [
        ("hang", "deadline"),
        ("stubborn", "deadline"),
        ("exit", "exit"),
        ("answer", "answered"),
        ("hopeless", "hopeless"),
        ("flood", "too_much_output"),
    ],
)
def test_a_grandchild_that_holds_stdout_and_ignores_signals_is_gone(
    tmp_path: Path, how: str, ended: str, places: tuple[str, ...]
) -> None:
    async def one(where: str) -> None:
        pids = tmp_path / where
        began = anyio.current_time()
        finished = await run(fake("household", pids, how, where), vendor(signals=(15,)), seconds=0.8, grace_s=0.1)
        assert (finished.ended, noted(pids)) == (ended, 2)
        assert alive(pids) == []
        assert anyio.current_time() - began < 3.8

    async def side_by_side() -> None:
        async with anyio.create_task_group() as tasks:
            for where in places:
                tasks.start_soon(one, where)

    anyio.run(side_by_side)
    assert zombies() == []


@pytest.mark.parametrize("places", [TOGETHER, ALONE])
@pytest.mark.parametrize("how", ["hang", "stubborn"])
def test_a_cancelled_call_leaves_nothing_and_is_quick(tmp_path: Path, how: str, places: tuple[str, ...]) -> None:
    async def cancelled() -> float:
        async with anyio.create_task_group() as tasks:
            for where in places:
                tasks.start_soon(partial(run, fake("household", tmp_path / where, how, where), vendor(), seconds=60))
            await _until(lambda: all(noted(tmp_path / where) == 2 for where in places))
            began = anyio.current_time()
            tasks.cancel_scope.cancel()
        return anyio.current_time() - began

    assert anyio.run(cancelled) < 2
    assert ([alive(tmp_path / where) for where in places], zombies()) == ([[]] * len(places), [])


def test_signals_come_in_the_vendors_order_and_an_orderly_exit_is_waited_for(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    code = f"""
import signal, sys, time
def note(word): open({str(notes)!r}, 'a').write(word + ' ')
signal.signal(2, lambda *_: note('INT'))
def term(*_): note('TERM'); time.sleep(0.3); note('clean'); print('made up', flush=True); sys.exit(9)
signal.signal(15, term); print('ready', flush=True)
while True: time.sleep(1)
"""
    finished: Finished = anyio.run(partial(run, python(code), vendor(signals=(2, 15)), seconds=0.5))
    assert (notes.read_text(), finished.exit_code) == ("INT TERM clean ", 9)
    assert finished.stdout == b"ready\n", "what it prints because we stop it is none of its own words"


def test_the_whole_group_gets_the_signal_when_the_wrapper_dies_at_once(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    code = f"""
import os, signal, sys, time
if os.fork():
    os.wait()
def term(*_): time.sleep(0.2); open({str(notes)!r}, 'a').write('worker is done'); sys.exit(0)
signal.signal(15, term)
print('up', flush=True)
while True: time.sleep(1)
"""
    finished: Finished = anyio.run(partial(run, python(code), vendor(signals=(15,)), seconds=0.7))
    assert (finished.stdout, notes.read_text()) == (b"up\n", "worker is done")


def test_what_one_call_leaves_is_ended_while_another_call_goes_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def both() -> Finished:
        results: list[Finished] = []

        async def other() -> None:
            results.append(await run(python("import time; time.sleep(1.5); raise SystemExit(5)"), vendor(), seconds=9))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other)
            await anyio.sleep(0.2)
            await run(fake("household", pids, "exit", "orphan"), vendor(), seconds=9)
            assert alive(pids) == []
        return results[0]

    assert anyio.run(both).exit_code == 5


def test_neither_processes_of_ours_nor_of_others_are_taken_for_a_calls(tmp_path: Path) -> None:
    ours = subprocess.Popen(["sleep", "60"])
    apart = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        anyio.run(partial(run, fake("household", tmp_path / "pids", "exit", "hidden"), vendor(), seconds=9))
        assert (ours.poll(), apart.poll()) == (None, None)
    finally:
        for process in (ours, apart):
            process.kill()
            process.wait()


def test_a_pipe_that_a_stranger_holds_is_not_waited_for(tmp_path: Path) -> None:
    """The stranger gets our stdout through a socket, so nothing ties it to the call."""
    socket = tmp_path / "s"
    stranger = f"""
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind({str(socket)!r}); s.listen()
c = s.accept()[0]; kept = socket.recv_fds(c, 1, 9); c.send(b'x'); time.sleep(60)
"""
    code = f"""
import socket
c = socket.socket(socket.AF_UNIX); c.connect({str(socket)!r})
socket.send_fds(c, [b'x'], [0, 1, 2]); c.recv(1); print('bye')
"""
    holder = subprocess.Popen([sys.executable, "-c", stranger])
    try:
        while not socket.exists():
            time.sleep(0.01)
        finished: Finished = anyio.run(partial(run, python(code), vendor(), seconds=20))
        assert (finished.stdout, finished.ended, holder.poll()) == (b"bye\n", "exit", None)
        assert finished.duration_s < 2
    finally:
        holder.kill()
        holder.wait()


def test_a_child_that_forks_as_fast_as_it_can_is_ended() -> None:
    code = """
import os, signal, time
signal.signal(15, signal.SIG_IGN)
print('up', flush=True)
while True:
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    time.sleep(0.003)
"""
    finished: Finished = anyio.run(partial(run, python(code), vendor(signals=(15,)), seconds=0.4))
    assert (finished.ended, zombies()) == ("deadline", [])
    assert finished.duration_s < 4


def test_kill_all_ends_every_running_call_at_once(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(run, fake("household", pids, "stubborn", "orphan"), vendor(), seconds=60))
            await _until(lambda: noted(pids) == 2)
            kill_all()

    began = time.monotonic()
    anyio.run(main)
    assert alive(pids) == []
    assert time.monotonic() - began < 2


MANY = """
import os, sys
from functools import partial
import anyio
from adapters.process import run
from tests.adapters.helpers import python, vendor, zombies

async def one(number):
    finished = await run(python(f"raise SystemExit({number % 2 * 3})"), vendor(), seconds=9)
    assert finished.exit_code == number % 2 * 3, finished

async def cancelled():
    with anyio.move_on_after(0.02 + 0.001 * (os.getpid() % 7)):
        await run(python("pass"), vendor(), seconds=9)

async def main():
    before = 0
    for batch in range(12):
        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(one, number)
            tasks.start_soon(cancelled)
        before = before or len(os.listdir("/proc/self/fd"))
    print(len(os.listdir("/proc/self/fd")) - before, zombies())

anyio.run(main)
"""


def test_sixty_calls_leave_no_zombie_no_open_file_and_report_every_exit_code() -> None:
    done = _strict(MANY)
    assert (done.stdout, done.stderr, done.returncode) == ("0 []\n", "", 0)


RACES = """
import anyio
from adapters.process import run
from tests.adapters.helpers import vendor
from adapters.spec import Command
from pathlib import Path

async def main(delay):
    with anyio.move_on_after(delay):
        await run(Command(("/bin/true",), b"x" * 100000, {}, Path("/")), vendor(), seconds=9)

for step in range(60):
    anyio.run(main, step * 0.0004)
print("done")
"""


def test_children_that_end_just_as_they_are_cancelled_print_nothing_and_stop_nothing() -> None:
    done = _strict(RACES)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def _strict(code: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a Python of its own that prints every warning."""
    argv = [sys.executable, "-W", "always", "-c", code]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2], check=False)


def test_kin_are_the_founders_and_all_their_descendants_also_in_a_circle() -> None:
    rows = [
        Row(pid, parent, 0, 0, 0.0, zombie=False) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 1), (6, 7), (7, 6))
    ]
    assert {row.pid for row in kin(rows, {2})} == {2, 3, 4}
    assert {row.pid for row in kin(rows, {6, 99})} == {6, 7}
    assert os.getpid() not in {row.pid for row in kin(rows, set())}
