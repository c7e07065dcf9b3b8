"""The reading tools: what they show of a folder, and that nothing leads out of it or hangs in it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adapters.openai import toolbox

SECRET = "the-secret-outside"


@pytest.fixture
def view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "view"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[core]")
    (folder / "src" / "queue.py").write_text("def take():\n    return 1\n")
    (folder / "src" / "deep" / "jobs.py").write_text("TAKE = 'a+b'\n")
    (folder / "README.md").write_text("take it\n")
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 3001)))
    (folder / "wide.txt").write_text("x" * 100_000)
    (folder / "picture.bin").write_bytes(b"\x89PNG\0\0take")
    (folder / "latin.txt").write_bytes(b"caf\xe9 take\n")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(toolbox.FILE_LIMIT + 1)
    os.mkfifo(folder / "pipe")
    (tmp_path / "outside.txt").write_text(SECRET)
    (tmp_path / "view-sibling").mkdir()
    (tmp_path / "view-sibling" / "s.txt").write_text(SECRET)
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "linked").symlink_to(tmp_path / "view-sibling")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("read", {"path": "src/queue.py"}, "1: def take():\n2:     return 1"),
        ("read", {"path": "./src/../src/queue.py", "offset": 2}, "2:     return 1"),
        ("read", {"path": "src/queue.py", "offset": 9}, "(src/queue.py has 2 lines)"),
        ("read", {"path": "long.txt", "offset": 3, "limit": 1}, "3: line 3\n(2997 more lines: read on with offset 4)"),
        ("read", {"path": "latin.txt"}, "1: caf\ufffd take"),
        ("glob", {"pattern": "src/**/*.py"}, "src/queue.py\nsrc/deep/jobs.py"),
        ("glob", {"pattern": "jobs.py"}, "src/deep/jobs.py"),
        ("glob", {"pattern": "*.nothing"}, "(no file matches)"),
        ("grep", {"pattern": "take", "glob": "*.py"}, "src/queue.py:1: def take():"),
        (
            "grep",
            {"pattern": "(?i)TAKE", "path": "src"},
            "src/queue.py:1: def take():\nsrc/deep/jobs.py:1: TAKE = 'a+b'",
        ),
        ("grep", {"pattern": "take", "path": "src/queue.py"}, "src/queue.py:1: def take():"),
        ("grep", {"pattern": "a+b'", "path": "src"}, "(nothing found)"),
        ("grep", {"pattern": "b'(", "path": "src"}, "(nothing found)"),
    ],
)
def test_what_is_there_is_shown(view: Path, name: str, arguments: dict[str, Any], expected: str):
    assert toolbox.run(name, arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("read", {"path": "../outside.txt"}, "outside the project"),
        ("read", {"path": "src/../../outside.txt"}, "outside the project"),
        ("read", {"path": "/etc/passwd"}, "outside the project"),
        ("read", {"path": "../view-sibling/s.txt"}, "outside the project"),
        ("read", {"path": "//etc/passwd"}, "outside the project"),
        ("read", {"path": "~/.netrc"}, "does not exist"),
        ("read", {"path": "link.txt"}, "is a link"),
        ("read", {"path": "linked/s.txt"}, "is a link"),
        ("read", {"path": "src"}, "is a folder"),
        ("read", {"path": "pipe"}, "no regular file"),
        ("read", {"path": "huge.txt"}, "larger than"),
        ("read", {"path": "picture.bin"}, "not text"),
        ("read", {"path": "a\0b"}, "no path"),
        ("read", {"path": "x" * 5000}, "no path"),
        ("read", {"path": 7}, "path is missing, or no text"),
        ("read", {}, "path is missing"),
        ("read", {"path": "README.md", "offset": -1}, "offset is a number"),
        ("read", {"path": "README.md", "limit": True}, "limit is a number"),
        ("glob", {"pattern": "../*"}, "outside the project"),
        ("glob", {"pattern": "/etc/*"}, "outside the project"),
        ("grep", {"pattern": "root", "path": "/etc"}, "outside the project"),
        ("grep", {"pattern": "secret", "path": "linked"}, "is a link"),
        ("grep", {"pattern": "secret", "path": ["src"]}, "path is missing, or no text"),
        ("write", {"path": "x"}, "there is no tool write"),
    ],
)
def test_what_leads_out_or_is_no_text_is_refused_with_words(
    view: Path, name: str, arguments: dict[str, Any], words: str
):
    result = toolbox.run(name, arguments)
    assert result.startswith("Error: ")
    assert words in result
    assert SECRET not in result


def test_searching_everything_meets_no_link_no_pipe_and_nothing_of_git(view: Path):
    found = toolbox.run("grep", {"pattern": "secret|core|take"})
    assert SECRET not in found
    assert ".git" not in found
    assert "README.md:1: take it" in found
    assert {"link.txt", "pipe", "linked/s.txt"}.isdisjoint(toolbox.run("glob", {"pattern": "**"}).splitlines())


def test_results_are_bounded(view: Path):
    assert len(toolbox.run("read", {"path": "wide.txt"})) < 500
    assert len(toolbox.run("read", {"path": "long.txt", "limit": 3000}).splitlines()) <= 3001
    assert "narrow the search" in toolbox.run("grep", {"pattern": "line", "path": "long.txt"})
    for number in range(toolbox.NAMES_LIMIT + 5):
        (view / "src" / f"many{number}.txt").touch()
    listed = toolbox.run("glob", {"pattern": "many*"}).splitlines()
    assert len(listed) == toolbox.NAMES_LIMIT + 1
    assert "narrow the pattern" in listed[-1]


def test_a_pattern_of_many_stars_takes_no_time(view: Path):
    began = time.monotonic()
    toolbox.run("glob", {"pattern": "*******a**b*c"})
    assert time.monotonic() - began < 2


def test_it_runs_as_a_program_without_our_packages(view: Path):
    asked = json.dumps({"name": "read", "arguments": {"path": "README.md"}}).encode()
    done = subprocess.run([sys.executable, "-I", "-S", toolbox.__file__], input=asked, capture_output=True, timeout=20)
    assert (done.stdout, done.stderr) == (b"1: take it", b"")
