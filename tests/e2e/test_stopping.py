"""Stopping: by Ctrl-C, by SIGTERM, by a terminal that is closed; in time, with the record saved, and with nothing left behind."""

import os
import pty
import shlex
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.e2e.person import COMMAND, Person, alive, descendants, with_stand_ins
from tests.e2e.test_crash import QUESTION, wait_until

SECONDS = 2.5
"""The contract's 2 s, and what a test machine may be late."""
DEAF_SECONDS = 5.5


def stopped(person: Person, folder: Path, number: int, *, at: str) -> tuple[int, float, str, str]:
    """Start a debate, stop it as soon as this step was asked for: the exit code, the seconds it took, stdout and stderr."""
    debate = person.begins(*QUESTION)
    calls = folder / "calls"
    wait_until(lambda: calls.exists() and at in calls.read_text())
    family = with_guardian(debate)
    began = time.monotonic()
    os.killpg(debate.pid, number)
    out, err = debate.communicate(timeout=30)
    seconds = time.monotonic() - began
    wait_until(lambda: alive(family) == [], seconds=1)
    assert (person.left_running(), person.left_lying()) == ([], [])
    return debate.returncode, seconds, out, err


def with_guardian(debate: subprocess.Popen[str]) -> list[psutil.Process]:
    """All that this debate has started, once its guardian is among them."""
    wait_until(lambda: any("guardian" in " ".join(process.cmdline()) for process in descendants(debate.pid)))
    return descendants(debate.pid)


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
    code, seconds, out, err = stopped(person, folder, number, at=at)
    assert (code, seconds < SECONDS) == (128 + number, True)
    assert (person.record()["status"], "## Debate Summary" in out) == ("interrupted", True)
    assert f"Resume with: debate resume {person.record()['id']}" in err
    (folder / "pause").unlink()
    assert person.debate("resume", "last").returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("made", ["debate/history", "debate/views/*/view", "debate/history/*.json"])
def test_a_signal_before_a_child_was_started_leaves_nothing_behind_or_a_debate_to_go_on_with(
    made: str, number: signal.Signals, tmp_path: Path
) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    state = person.shelf.parent
    debate = person.begins(*QUESTION)
    wait_until(lambda: any(state.glob(made)))
    os.killpg(debate.pid, number)
    _, err = debate.communicate(timeout=30)
    assert (debate.returncode, "Traceback" in err) == (128 + number, False)
    record, views = person.record(), [path.name for path in (person.shelf / "views").glob("*")]
    assert (record.get("status"), views) in [(None, []), ("interrupted", [record.get("id")])]
    assert ("Resume with: debate resume" in err) is bool(record)
    assert (person.left_running(), person.left_lying()) == ([], [])


def test_children_that_ignore_signals_are_ended_too(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    code, seconds, _, _ = stopped(person, folder, signal.SIGINT, at="round-1 proposer")
    assert (code, seconds < DEAF_SECONDS) == (130, True)


def test_a_second_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    debate = person.begins(*QUESTION)
    wait_until((folder / "calls").exists)
    family = with_guardian(debate)
    os.kill(debate.pid, signal.SIGINT)
    time.sleep(0.2)
    began = time.monotonic()
    os.kill(debate.pid, signal.SIGINT)
    debate.communicate(timeout=30)
    assert time.monotonic() - began < 1
    assert debate.returncode == 130
    wait_until(lambda: alive(family) == [], seconds=5)


def test_debate_killed_while_a_deaf_child_runs_leaves_no_process(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "hang").touch()
    debate = person.begins(*QUESTION)
    wait_until((folder / "calls").exists)
    family = with_guardian(debate)
    os.kill(debate.pid, signal.SIGKILL)
    debate.communicate(timeout=20)
    wait_until(lambda: alive(family) == [], seconds=5)
    assert person.left_running() == []


def test_a_terminal_that_is_closed_stops_it_as_a_signal_does(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "pause").write_text("5")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(person.project)
        os.execvpe(COMMAND[0], [*COMMAND, *QUESTION], person.variables() | {"TERM": "xterm"})
    wait_until((folder / "calls").exists)
    began = time.monotonic()
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert (os.waitstatus_to_exitcode(status), time.monotonic() - began < SECONDS) == (129, True)
    assert person.record()["status"] == "interrupted"
    assert (person.left_running(), person.left_lying()) == ([], [])


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


@pytest.mark.parametrize(
    ("redirection", "code"), [("2>&-", 0), ("<&-", 0), ("2>/dev/full", 0), ("<&- >&- 2>&-", 5), ("| head -1", 0)]
)
def test_a_stream_that_is_closed_from_the_start_stops_no_debate(redirection: str, code: int, tmp_path: Path) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join([*COMMAND, *QUESTION])} {redirection}"], cwd=person.project,
        env=person.variables(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, person.record()["status"]) == (code, "completed")
    assert ("## Debate Summary" in done.stdout) is (code == 0)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "redirection", "code"),
    [
        ("--help", ">&-", 5),
        ("--version", "> /dev/full", 5),
        ("resume --help", "> /dev/full", 5),
        ("list", ">&-", 0),
        ("list", "2>&-", 0),
        ("forget --all", "<&- 2>&-", 2),
    ],
)
def test_other_commands_bear_closed_streams_too(words: str, redirection: str, code: int, tmp_path: Path) -> None:
    person, _ = with_stand_ins(tmp_path / "home", tmp_path / "project")
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(COMMAND)} {words} {redirection}"], cwd=person.project, env=person.variables(),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
