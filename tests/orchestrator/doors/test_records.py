"""`debate show`, `list`, `forget`, as a person runs them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from state.lock import Lock
from state.width import width
from tests.orchestrator.doors.household import Person

IDS = [f"debate-2026113{day}T215501Z-1a2b" for day in (0, 1, 2)]
TOPICS = ["要不要用空格缩进，还是继续使用制表符？" * 3, "👩‍👩‍👧 family emoji 🫠 and flags 🇨🇭 " * 4, "plain ascii topic"]


@contextmanager
def playing(person: Person) -> Iterator[None]:
    """The first debate is held by a process, as while it is played."""
    lock = Lock(person.history / f"{IDS[0]}.calls" / "lock")
    yield
    lock.release()


def shelve(person: Person) -> list[Path]:
    return [person.keeps(topic, ident) for topic, ident in zip(TOPICS, IDS, strict=True)]


@pytest.mark.parametrize("columns", [40, 60, 120, 200])
def test_no_line_of_a_list_is_wider_than_the_terminal_and_no_character_is_split(person: Person, columns: int):
    shelve(person)
    shown = person.debate("list", COLUMNS=str(columns)).stdout
    assert all(ident in shown for ident in IDS)
    assert "�" not in shown
    assert max(map(width, shown.splitlines())) <= columns
    assert not [line for line in shown.splitlines() if line.rstrip("…").endswith("\u200d")]


def test_the_columns_of_a_list_begin_at_the_same_cell_in_every_row(person: Person):
    shelve(person)
    rows = person.debate("list", COLUMNS="130").stdout.splitlines()
    assert len(rows) == 3
    assert len({row.index("claude vs gemini") for row in rows}) == 1
    assert all("2026-11-30 12:00 UTC  completed  claude vs gemini  " in row for row in rows)


def test_on_a_pipe_nothing_of_a_topic_is_cut(person: Person):
    shelve(person)
    assert all(topic.strip() in person.debate("list").stdout for topic in TOPICS)


def test_a_broken_file_is_listed_with_the_reason_and_hides_no_other(person: Person):
    good, other, _ = shelve(person)
    whole = good.read_bytes()
    other.write_bytes(whole[:900])
    (person.history / "empty.json").write_bytes(b"")
    (person.history / "newer.json").write_text('{"schema_version": 999}')
    (person.history / "folder.json").mkdir()
    result = person.debate("list")
    assert result.returncode == 0
    assert result.stdout.count("unreadable") == 4
    assert "not complete JSON" in result.stdout
    assert "newer debate (version 999" in result.stdout
    assert "corrupted" not in result.stdout
    assert good.stem in result.stdout
    listed = {d["id"]: d for d in json.loads(person.debate("list", "--json").stdout)["debates"]}
    assert listed["empty"]["problem"] == "it is empty"
    assert listed[good.stem]["winner"] == "gemini"


def test_a_run_that_nobody_plays_is_cut_off_and_one_that_is_played_is_running(person: Person):
    person.keeps("played", IDS[0], finished=False)
    person.keeps("dead", IDS[1], finished=False)
    with playing(person):
        rows = person.debate("list").stdout.splitlines()
    assert ["cut off" in row for row in rows] == [True, False]
    assert "running" in rows[1]
    assert not (person.history / f"{IDS[1]}.calls" / "lock").exists()


def test_terminal_codes_and_ci_commands_in_a_topic_reach_neither_list_nor_report(person: Person):
    person.keeps("\x1b]0;owned\x07Tabs \x9b31mor\u202e spaces?\n::set-env name=X::y", IDS[0])
    for arguments in (["list"], ["show"], ["show", "--format", "md"]):
        shown = person.debate(*arguments, GITHUB_ACTIONS="true").stdout
        assert not [c for c in shown if c in "\x1b\x07\u202e" or "\x80" <= c <= "\x9f"]
        assert "Tabs or spaces?" in shown
        assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_a_debate_is_shown_by_last_by_id_and_by_file(person: Person):
    path = person.keeps("Tabs or spaces?", IDS[0])
    reports = [person.debate("show", *name).stdout for name in ([], ["last"], [IDS[0]], [str(path)])]
    assert len(set(reports)) == 1
    assert "gemini had the stronger argument because: " in reports[0]
    assert json.loads(person.debate("show", IDS[0], "--format", "json").stdout) == json.loads(path.read_text())


def test_show_says_what_is_wrong_with_a_file_and_leaves_it_as_it_is(person: Person):
    path = person.keeps("Tabs or spaces?", IDS[0])
    cut = path.read_bytes()[:500]
    path.write_bytes(cut)
    result = person.debate("show", IDS[0])
    assert result.returncode == 2
    assert str(path) in result.stderr
    assert "at character" in result.stderr
    assert "Traceback" not in result.stderr
    assert path.read_bytes() == cut


def test_forget_deletes_the_record_its_calls_and_the_copy(person: Person):
    shelve(person)
    result = person.debate("forget", IDS[2], IDS[0])
    assert result.stdout.splitlines() == [f"Deleted {IDS[2]}", f"Deleted {IDS[0]}"]
    assert sorted(p.name for p in person.history.iterdir()) == [f"{IDS[1]}.calls", f"{IDS[1]}.json"]
    assert not (person.shelf / "last-debate.json").exists()


def test_forget_takes_the_copy_of_the_project_too(person: Person):
    person.keeps("Tabs or spaces?", IDS[0])
    view = person.shelf / "views" / IDS[0] / "view"
    view.mkdir(parents=True)
    (view / "secret.py").write_text("x")
    person.debate("forget", IDS[0])
    assert not view.parent.exists()


def test_forget_by_age_goes_by_when_a_debate_began(person: Person):
    old = person.keeps("old", "debate-20200101T000000Z-1a2b")
    new = person.keeps("new", "debate-29990101T000000Z-1a2b")
    result = person.debate("forget", "--older-than", "90d")
    assert (result.returncode, old.exists(), new.exists()) == (0, False, True)


@pytest.mark.parametrize("age", ["90", "d", "-1d", "1.5d", "٣d", "9999999999d"])
def test_an_age_that_is_none_is_refused(person: Person, age: str):
    path = person.keeps("old", "debate-20200101T000000Z-1a2b")
    result = person.debate("forget", f"--older-than={age}")
    assert result.returncode == 2
    assert "90d" in result.stderr
    assert path.exists()


def test_forget_all_needs_yes_where_nobody_can_be_asked(person: Person):
    shelve(person)
    refused = person.debate("forget", "--all", stdin="y\n")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    (person.history / "debate-20261130T215501Z-dead.calls").mkdir()
    assert person.debate("forget", "--all", "--yes").returncode == 0
    assert not list(person.history.iterdir())


def test_a_debate_that_is_being_played_is_not_forgotten_and_the_others_are(person: Person):
    played, other, _ = shelve(person)
    with playing(person):
        one = person.debate("forget", IDS[0])
        everything = person.debate("forget", "--all", "--yes")
    assert (one.returncode, everything.returncode) == (2, 2)
    assert "in use" in one.stderr
    assert (played.exists(), other.exists()) == (True, False)


@pytest.mark.parametrize("content", ["# notes", '{"a": 1}', "[]"])
def test_forget_deletes_no_file_that_is_no_debate_of_ours(person: Person, content: str):
    file = person.project / "notes.json"
    file.write_text(content)
    result = person.debate("forget", "notes.json")
    assert result.returncode == 2
    assert file.read_text() == content
    assert os.listdir(person.project) == ["notes.json"]


def test_a_debate_in_a_file_of_its_own_is_found_as_last_and_forgotten_with_its_calls(person: Person):
    person.debate("--rehearse", "Tabs or spaces?", "--rounds", "1", "--state", "mine.json")
    ident = json.loads((person.project / "mine.json").read_text())["id"]
    by_id = person.debate("show", ident)
    assert "Tabs or spaces?" in by_id.stdout
    assert person.debate("forget", "last").stdout == f"Deleted {ident}\n"
    assert os.listdir(person.project) == []
    assert not (person.shelf / "last-debate.json").exists()


def test_what_is_to_be_forgotten_is_named_in_one_way(person: Person):
    for arguments in ([], ["--all", "--older-than", "1d"], [IDS[0], "--all"]):
        assert person.debate("forget", *arguments).returncode == 2


def test_a_closed_pipe_is_no_traceback(person: Person):
    shelve(person)
    script = f'{sys.executable} -c "$0" "$@" | head -c 1'
    argv = ["bash", "-o", "pipefail", "-c", script, *person.argv("list")[2:]]
    result = subprocess.run(
        argv, env=person.variables(), cwd=person.project, capture_output=True, text=True, timeout=30
    )
    assert "Traceback" not in result.stderr
