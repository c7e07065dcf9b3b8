"""Stopping: by Ctrl-C, by SIGTERM, by a terminal that is closed; in time, with the record saved, and with nothing left behind."""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.person import COMMAND, Person, with_stand_ins
from tests.e2e.test_crash import QUESTION, wait_until

SECONDS = 2.5
"""The contract's 2 s, and what a test machine may be late."""
DEAF_SECONDS = 5.5


def stopped(person: Person, folder: Path, number: int, *, at: str) -> tuple[subprocess.Popen[str], float, str, str]:
    """Start a debate, stop it as soon as this step was asked for: the process, the seconds it took, stdout and stderr."""
    debate = person.begins(*QUESTION)
    calls = folder / "calls"
    wait_until(lambda: calls.exists() and at in calls.read_text())
    began = time.monotonic()
    os.killpg(debate.pid, number)
    out, err = debate.communicate(timeout=30)
    return debate, time.monotonic() - began, out, err


@pytest.mark.parametrize(
    ("number", "at"),
    [
        (signal.SIGINT, "round-1 proposer"),
        (signal.SIGINT, "round-1 challenger"),
        (signal.SIGINT, "judge"),
        (signal.SIGTERM, "round-1 challenger"),
        (signal.SIGHUP, "judge"),
    ],
)
def test_a_signal_ends_everything_in_time_and_the_debate_can_be_resumed(
    number: signal.Signals, at: str, tmp_path: Path
) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "pause").write_text("0.3")
    debate, seconds, out, err = stopped(person, folder, number, at=at)
    assert seconds < SECONDS
    assert debate.returncode == 128 + number
    assert (person.record()["status"], "## Debate Summary" in out) == ("interrupted", True)
    assert f"Resume with: debate resume {person.record()['id']}" in err
    assert (person.left_running(), person.left_lying()) == ([], [])
    assert person.debate("resume", "last").returncode == 0


def test_children_that_ignore_signals_are_ended_too(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    debate, seconds, _, _ = stopped(person, folder, signal.SIGINT, at="round-1 proposer")
    assert seconds < DEAF_SECONDS
    assert debate.returncode == 130
    assert (person.left_running(), person.left_lying()) == ([], [])


def test_a_second_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    debate = person.begins(*QUESTION)
    wait_until((folder / "calls").exists)
    os.kill(debate.pid, signal.SIGINT)
    time.sleep(0.2)
    began = time.monotonic()
    os.kill(debate.pid, signal.SIGINT)
    debate.communicate(timeout=30)
    assert time.monotonic() - began < 1
    assert debate.returncode == 130
    wait_until(lambda: person.left_running() == [], seconds=5)


def test_debate_killed_while_a_deaf_child_runs_leaves_no_process(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    debate = person.begins(*QUESTION)
    wait_until((folder / "calls").exists)
    os.kill(debate.pid, signal.SIGKILL)
    debate.communicate(timeout=20)
    time.sleep(5)
    assert person.left_running() == []


@pytest.mark.parametrize("words", [QUESTION, (*QUESTION, "--json"), (*QUESTION, "--events")])
def test_a_reader_that_goes_away_costs_the_debate_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    debate = person.begins(*words)
    assert debate.stdout is not None
    debate.stdout.close()
    _, err = debate.communicate(timeout=60)
    assert person.record()["status"] == "completed"
    assert debate.returncode in (0, 5)
    assert "Traceback" not in err


def test_without_anyone_to_read_its_progress_it_goes_on(tmp_path: Path) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    debate = person.begins(*QUESTION)
    assert debate.stderr is not None
    debate.stderr.close()
    out, _ = debate.communicate(timeout=60)
    assert (debate.returncode, "### Verdict" in out) == (0, True)


def test_a_result_that_nobody_can_take_is_said_and_told_by_the_exit_code(tmp_path: Path) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    closed = shlex.join([*COMMAND, *QUESTION]) + " >&-"
    for script in (closed, closed.replace(">&-", "> /dev/full")):
        done = subprocess.run(
            ["/bin/sh", "-c", script], cwd=person.project, env=person.variables(), capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, person.record()["status"]) == (5, "completed")
        assert "[ERROR] The result could not be written: " in done.stderr
