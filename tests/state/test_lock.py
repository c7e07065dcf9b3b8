"""The lock on a debate: one holder, let go with the process, whatever lies in the file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from state.lock import Held, Lock, is_held

HOLDER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from state.lock import Held, Lock
try:
    Lock(Path(sys.argv[2]))
except Held:
    print("held by another")
else:
    print("held")
sys.stdout.flush()
sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that takes the lock, or fails to, and lives until its stdin is closed."""
    argv = [sys.executable, "-c", HOLDER, str(Path(__file__).parents[2]), str(path)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_one_process_holds_it_and_the_others_are_told_who(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    other = holder(tmp_path / "lock")
    assert other.communicate(timeout=20)[0] == "held by another\n"
    with pytest.raises(Held) as held:
        Lock(tmp_path / "lock")
    assert held.value.pid == os.getpid()
    assert is_held(tmp_path / "lock")
    lock.release()
    assert not is_held(tmp_path / "lock")


def test_of_several_that_want_it_at_once_one_gets_it(tmp_path: Path) -> None:
    others = [holder(tmp_path / "lock") for _ in range(6)]
    said = [other.stdout.readline() for other in others if other.stdout]
    for other in others:
        other.communicate(timeout=20)
    assert sorted(said) == ["held\n", *["held by another\n"] * 5]


@pytest.mark.parametrize("left", [b"", b"4194303\n", b"no number", b"\0" * 50])
def test_what_a_dead_process_left_in_it_keeps_nobody_out(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(left)
    assert not is_held(tmp_path / "lock")
    lock = Lock(tmp_path / "lock")
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    other = holder(tmp_path / "lock")
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    assert is_held(tmp_path / "lock")
    other.kill()
    other.communicate(timeout=20)
    Lock(tmp_path / "lock").release()


def test_looking_makes_and_changes_nothing(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "lock")
    assert not is_held(tmp_path / "none" / "lock")
    assert os.listdir(tmp_path) == []


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match=r"[Ll]ink"):
        Lock(tmp_path / "lock")
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_lock_whose_file_was_taken_away_knows_it(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    assert lock.lies_at(tmp_path / "lock")
    (tmp_path / "lock").unlink()
    assert not lock.lies_at(tmp_path / "lock")
    (tmp_path / "lock").touch()
    assert not lock.lies_at(tmp_path / "lock")
    lock.release()
