"""`debate ask`: one question to one tool, several times at once, or going on with a session that was kept."""

import json
import shlex
import stat
import sys
from pathlib import Path

import pytest

from tests.orchestrator.doors.household import Person

FAKE = Path(__file__).parents[2] / "fakes/remembering.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the vendors' stand-ins are shell scripts")


@pytest.fixture
def asking(person: Person) -> Person:
    """A person whose claude remembers its sessions."""
    program = person.home / "bin/claude"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-I", "-S", str(FAKE)])} "$@"\n')
    program.chmod(0o755)
    person.environ = {"PATH": f"{program.parent}:/usr/bin:/bin", "ANTHROPIC_API_KEY": "dummy-key-of-the-tests"}
    return person


def answer(asking: Person, *words: str) -> str:
    done = asking.debate("ask", "claude", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_kept_session_is_gone_on_with(asking: Person) -> None:
    assert answer(asking, "--keep", "one") == "heard 1: one\n"
    assert answer(asking, "--continue", "two") == "heard 2: one, two\n"
    assert answer(asking, "--continue", "three") == "heard 3: one, two, three\n"
    assert answer(asking, "four") == "heard 1: four\n"
    noted = asking.home / "state/ask/claude/last-session.json"
    assert stat.S_IMODE(noted.stat().st_mode) == 0o600
    assert json.loads(noted.read_text())["question"] == "three"


def test_a_named_session_is_gone_on_with_and_one_that_is_lost_is_told_as_such(asking: Person) -> None:
    envelope = json.loads(answer(asking, "--keep", "--json", "one"))
    assert envelope["continuable"] is True
    assert answer(asking, f"--continue={envelope['session_id']}", "two") == "heard 2: one, two\n"
    done = asking.debate("ask", "claude", "--continue=0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", "two")
    assert done.returncode == 1
    assert "session_lost" in done.stderr


@pytest.mark.parametrize("noted", ["", "{", "[]", '{"tool": "claude"}', '{"tool": "codex", "continuable": true}'])
def test_a_note_that_is_not_valid_builds_nothing(asking: Person, noted: str) -> None:
    file = asking.home / "state/ask/claude/last-session.json"
    file.parent.mkdir(parents=True)
    file.write_text(noted)
    done = asking.debate("ask", "claude", "--continue", "two")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--keep" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--continue=--help", "x"), "This is no session of claude"),
        (("--continue=a b", "x"), "This is no session of claude"),
        (("--keep", "--count", "2", "x"), "exclude --count"),
        (("--keep", "--view", ".", "x"), "exclude --view"),
        (("--count", "0", "x"), "0"),
        (("--count", "6", "x"), "6"),
    ],
)
def test_what_cannot_be_is_refused(asking: Person, words: tuple[str, ...], said: str) -> None:
    done = asking.debate("ask", "claude", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_several_answers_are_numbered(asking: Person) -> None:
    assert answer(asking, "--count", "2", "one").count("heard 1: one") == 2
    assert "--- Answer 2 of 2 (" in answer(asking, "--count", "2", "one")
    answers = json.loads(answer(asking, "--count", "3", "--json", "one"))["answers"]
    assert [envelope["response"] for envelope in answers] == ["heard 1: one"] * 3


def test_an_envelope_is_printed_also_for_a_failure(asking: Person) -> None:
    done = asking.debate("ask", "claude", "--json", "fail")
    assert done.returncode == 1
    assert json.loads(done.stdout)["failure"]["kind"] == "crashed"
