"""A record that survives any crash: `debate` is killed at every event, and a resume repeats no finished call."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import COMMAND, Person, with_stand_ins

QUESTION = ("Postgres or Redis?", "--tools", "claude,codex", "--rounds", "1")


def wait_until(holds: Any, seconds: float = 20) -> None:
    """Look every few milliseconds; fail where it never comes true."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.004)


def finished(record: dict[str, Any]) -> set[str]:
    """The steps that had an answer on disk."""
    ended = (event for event in record["events"] if event["type"] == "turn_ended" and event["envelope"]["response"])
    return {f"{event['key']['step']} {event['key']['seat']}" for event in ended}


def calls(folder: Path) -> list[str]:
    """The calls that the stand-ins have had, in their order."""
    log = folder / "calls"
    return log.read_text().splitlines() if log.exists() else []


DRAWN = ("id", "timestamp", "cwd", "duration_ms", "order", "events")
"""What differs between two runs of one debate: names, times, places, and what is drawn by lot."""


def essence(value: Any) -> Any:
    """A record without what differs from run to run."""
    if isinstance(value, dict):
        kept = {name: essence(inner) for name, inner in value.items() if name not in DRAWN}
        return kept if "judge" not in kept else kept | {"winner": None}  # of one judge; of the debate it is compared
    return [essence(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same debate, left alone."""
    folder = tmp_path_factory.mktemp("undisturbed")
    person, _ = with_stand_ins(folder / "home", folder / "project")
    assert person.debate(*QUESTION).returncode == 0
    return person.record()


def killed_at(person: Person, folder: Path, events: int) -> dict[str, Any]:
    """Start the debate and kill it without warning as soon as its record holds so many events; that record."""
    (folder / "pause").write_text("0.12")
    debate = person.begins(*QUESTION)
    wait_until(lambda: len(person.record().get("events", ())) >= events)
    os.kill(debate.pid, signal.SIGKILL)
    debate.communicate(timeout=20)
    return person.record()


@pytest.mark.parametrize("events", range(1, 9))
def test_killed_at_any_event_a_resume_asks_only_for_what_is_missing(
    events: int, tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    at_death = killed_at(person, folder, events)
    assert at_death["status"] == "running"
    wait_until(lambda: person.left_running() == [], seconds=5)
    time.sleep(0.3)  # one that was just being started shows no environment for a moment
    assert person.left_running() == []
    before = len(calls(folder))
    (folder / "pause").unlink()
    again = person.debate("resume", "last")
    assert again.returncode == 0, again.stderr
    record = person.record()
    asked = calls(folder)[before:]
    assert not set(asked) & finished(at_death), "a finished call was repeated"
    assert asked.count("judge") == 2 - sum(" judge-" in step for step in finished(at_death))
    assert essence(record) == essence(undisturbed)
    assert person.left_lying() == []


def test_an_undisturbed_debate_has_the_events_at_which_it_is_killed(undisturbed: dict[str, Any]) -> None:
    kinds = [event["type"] for event in undisturbed["events"]]
    assert kinds == ["opened", *["turn_started", "turn_ended"] * 2, *["turn_started"] * 2, *["turn_ended"] * 2, "ended"]


def test_a_debate_that_another_process_plays_is_left_alone(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (folder / "pause").write_text("0.8")
    debate = person.begins(*QUESTION)
    wait_until((folder / "calls").exists)
    assert person.debate("resume", "last").returncode == 75
    assert person.debate("forget", "last").returncode == 2
    debate.communicate(timeout=30)
    assert debate.returncode == 0
    assert person.debate("resume", "last").returncode == 0
    assert len(calls(folder)) == 4


def test_no_participant_sees_where_the_debate_is_kept(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    (person.project / "old.md").write_text("an older report")
    kept = ("--state", "kept.json", "--report", "report.md")
    for words in ((*QUESTION, *kept), (*QUESTION, *kept)):
        assert person.debate(*words).returncode == 0
    seen = (folder / "seen").read_text().split()
    assert "app.py" in seen
    assert "old.md" in seen
    assert not {"kept.json", "kept.json.calls", "report.md"} & set(seen)


def broken(folder: Path, *steps: str) -> None:
    """From now on the stand-ins die in these steps, and in no others."""
    (folder / "fail").write_text("\n".join(steps))


def test_a_verdict_on_half_a_debate_is_superseded_once_the_rest_was_spoken(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    broken(folder, "round-2 challenger")
    assert person.debate("Postgres or Redis?", "--tools", "claude,codex").returncode == 3
    half, before = person.record(), calls(folder)
    broken(folder)
    assert person.debate("resume", "last").returncode == 0
    whole = person.record()
    assert calls(folder)[len(before) :] == ["round-2 challenger", "judge", "judge"]
    assert (whole["status"], whole["judging"]["superseded"]) == ("completed", [half["verdict"]])
    assert [failure["made_up_for"] for failure in whole["failures"]] == [True]
    assert whole["events"][: len(half["events"])] == half["events"]


def test_a_seat_that_is_replaced_speaks_from_there_on(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project", more=("gemini",))
    broken(folder, "round-1 challenger")
    assert person.debate(*QUESTION, "--judge", "none").returncode == 1
    broken(folder)
    before = len(calls(folder))
    again = person.debate("resume", "last", "--challenger", "gemini", "--timeout", "33")
    assert again.returncode == 0, again.stderr
    record = person.record()
    assert calls(folder)[before:] == ["round-1 challenger"]
    assert [exchange["tool"] for exchange in record["exchanges"]] == ["claude", "gemini"]
    assert record["challenger"]["tool"] == "gemini"
    [event] = [event for event in record["events"] if event["type"] == "resumed"]
    assert event["changes"] == ["--challenger gemini", "--timeout 33"]
    assert {seat["timeout_s"] for seat in event["seats"]} == {33}


def test_another_judge_may_be_named_when_the_first_has_failed(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project", more=("gemini",))
    broken(folder, "judge")
    assert person.debate(*QUESTION, "--judge", "gemini").returncode == 1
    assert person.record()["status"] == "failed"
    broken(folder)
    before = len(calls(folder))
    assert person.debate("resume", "last", "--judge", "codex").returncode == 0
    assert calls(folder)[before:] == ["judge"]
    assert [vote["judge"] for vote in person.record()["verdict"]["votes"]] == ["codex"]


def test_a_completed_debate_is_printed_and_stays_as_it_is(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    assert person.debate(*QUESTION, "--judge", "none").returncode == 0
    before = person.record()
    again = person.debate("resume", "last", "--judge", "codex", "--json")
    assert (again.returncode, json.loads(again.stdout)) == (0, before)
    assert (person.record(), len(calls(folder))) == (before, 2)


@pytest.mark.parametrize("fate", ["moved", "changed"])
@pytest.mark.parametrize("keeps_view", [True, False])
def test_later_speakers_see_the_project_as_it_was_or_are_told_that_it_changed(
    fate: str, keeps_view: bool, tmp_path: Path
) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    killed_at(person, folder, 3)
    (folder / "pause").unlink()
    (folder / "seen").unlink()
    if fate == "moved":
        person.project = person.project.rename(tmp_path / "elsewhere")
    else:
        (person.project / "new.py").write_text("QUEUE = 'redis'\n")
    if not keeps_view:
        shutil.rmtree(person.shelf / "views")
    again = person.debate("resume", "last", "--judge", "none")
    assert "Traceback" not in again.stderr
    seen = set((folder / "seen").read_text().split()) - {".git"} if (folder / "seen").exists() else set()
    if keeps_view:
        assert (again.returncode, seen, "[WARN]" in again.stderr) == (0, {"app.py"}, False)
    elif fate == "changed":
        assert (again.returncode, seen) == (0, {"app.py", "new.py"})
        assert "[WARN] The project has changed since this debate began" in again.stderr
    else:
        assert (again.returncode, str(tmp_path / "project") in again.stderr, person.record()["status"]) == (
            2,
            True,
            "running",
        )


@pytest.mark.parametrize("kilobytes", [1, 8])
def test_a_full_disk_costs_neither_the_answers_nor_the_last_good_file(kilobytes: int, tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    script = f"ulimit -f {kilobytes}; exec {shlex.join([*COMMAND, *QUESTION])}"
    environ = person.variables() | {"PYTHONDONTWRITEBYTECODE": "1"}  # else the limit would cut byte code short
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=person.project, env=environ, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert (done.returncode, "### Verdict" in done.stdout) == (4, True)
    assert done.stderr.count("[ERROR] The state could not be saved: ") == 1
    assert not list(person.shelf.rglob(".*.tmp"))
    on_disk = person.record()
    assert bool(on_disk) is (kilobytes > 1)
    if on_disk:
        before = len(calls(folder))
        assert person.debate("resume", "last").returncode == 0
        assert not set(calls(folder)[before:]) & finished(on_disk)
        assert person.record()["status"] == "completed"


def test_a_secret_that_a_speaker_blurts_out_is_nowhere_on_disk_or_screen(tmp_path: Path) -> None:
    person, folder = with_stand_ins(tmp_path / "home", tmp_path / "project")
    secret = "sk-ant-api03-" + "q7Zw2Lk9Xv4T" * 4
    person.environ = {"ANTHROPIC_API_KEY": secret}
    (folder / "blurt").write_text(secret)
    broken(folder, "round-2 challenger")
    done = person.debate("Postgres or Redis?", "--tools", "claude,codex", "--report", "report.md", "--judge", "none")
    assert "[WARN] Sensitive tokens were redacted from the response." in done.stderr
    places = [path for root in (person.shelf, person.project) for path in root.rglob("*") if path.is_file()]
    assert len(places) > 4
    assert not [path for path in places if secret.encode() in path.read_bytes()]
    assert secret not in done.stdout + done.stderr
