"""Views lie where nobody else can write, and those of dead runs go away."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.problem import Problem
from orchestrator.view.home import Lease, ViewsHome, hold, remove_view, sweep, views_home
from tests.repositories import write

HOLDER = """
import sys, time
from pathlib import Path
from orchestrator.view.home import hold
lease = hold(Path(sys.argv[1]), sys.argv[2])
(lease.folder / "view").mkdir()
print("held", flush=True)
time.sleep(60)
"""


def held(home: Path, name: str) -> Lease:
    lease = hold(home, name)
    assert isinstance(lease, Lease), lease
    return lease


def test_they_lie_below_the_users_state_folder_and_only_the_user_may_enter(tmp_path: Path) -> None:
    home = views_home({"HOME": str(tmp_path)})
    assert isinstance(home, ViewsHome)
    assert home.path == tmp_path / ".local" / "state" / "debate" / "views"
    assert home.path.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="needs a folder without open folders above it")
def test_a_home_with_an_open_folder_above_is_passed_over_for_a_private_one(tmp_path: Path) -> None:
    private = Path("/run/debate-test")
    try:
        assert views_home({"XDG_STATE_HOME": str(private)}) == ViewsHome(private / "debate" / "views", private=True)
        found = views_home({"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(private)})
        assert found == ViewsHome(private / "debate" / "views", private=True)
        private.chmod(0o1777)
        assert views_home({"XDG_STATE_HOME": str(private)}) == ViewsHome(private / "debate" / "views", private=False)
    finally:
        remove_view(private)


def test_without_a_usable_home_a_temporary_folder_serves(tmp_path: Path) -> None:
    write(tmp_path, {"file": ""})
    home = views_home({"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": "relative"})
    assert isinstance(home, ViewsHome)
    assert home.path.is_dir()


def test_a_folder_has_one_holder_at_a_time(tmp_path: Path) -> None:
    lease = held(tmp_path, "a")
    assert isinstance(hold(tmp_path, "a"), Problem)
    lease.release()
    held(tmp_path, "a").release()


def test_a_sweep_removes_what_a_killed_run_left_and_nothing_in_use_or_kept(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", HOLDER, str(tmp_path)]
    root = Path(__file__).parents[3]
    children = [
        subprocess.Popen([*argv, name], stdout=subprocess.PIPE, cwd=root) for name in ("killed", "kept", "living")
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == b"held\n"
        mine = held(tmp_path, "mine")
        assert sweep(tmp_path) == 0
        for child in children[:2]:
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert sweep(tmp_path, keep={"kept"}) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "living", "mine"]
        mine.release()
    finally:
        for child in children:
            child.kill()
            child.communicate()


def test_removal_overcomes_missing_rights_and_follows_no_link(tmp_path: Path) -> None:
    write(tmp_path, {"v/locked/deep/x": "", "outside/keep": ""})
    (tmp_path / "v" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "v" / "locked" / "deep").chmod(0)
    (tmp_path / "v" / "locked").chmod(0o500)
    assert remove_view(tmp_path / "v")
    assert (tmp_path / "outside" / "keep").exists()
    assert remove_view(tmp_path / "never-there")


def test_a_sweep_of_nothing_is_no_error(tmp_path: Path) -> None:
    assert sweep(tmp_path / "none") == 0
