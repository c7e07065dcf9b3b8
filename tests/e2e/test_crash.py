"""A record that survives any crash: `debate` is killed at every event, and a resume repeats no finished call."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.person import Person, with_stand_ins

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


def speeches(record: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(e["round"], e["tool"], e["response"]) for e in record["exchanges"]]


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
    before = len((folder / "calls").read_text().splitlines()) if (folder / "calls").exists() else 0
    (folder / "pause").unlink()
    again = person.debate("resume", "last")
    assert again.returncode == 0, again.stderr
    record = person.record()
    asked = (folder / "calls").read_text().splitlines()[before:]
    assert not set(asked) & finished(at_death), "a finished call was repeated"
    assert asked.count("judge") == 2 - sum(" judge-" in step for step in finished(at_death))
    assert (record["status"], speeches(record)) == ("completed", speeches(undisturbed))
    assert record["verdict"]["winner"] == undisturbed["verdict"]["winner"]
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
    assert len((folder / "calls").read_text().splitlines()) == 4


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
