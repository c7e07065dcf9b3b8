"""`debate doctor`: what is here, what would be used, what is wrong. The vendors' programs are small real ones."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrator.doors.household import Person

SPEAKS = """\
#!/bin/sh
case "$*" in
  --version) echo "2.1.197 (Claude Code)";;
  "auth status") echo '{{"loggedIn": {logged_in}}}';;
  *) cat > /dev/null; {answer};;
esac
"""
ANSWERS = """echo '{"type": "result", "subtype": "success", "is_error": false, "result": "OK", "session_id": "s"}'"""
REFUSES = """echo '{"type": "result", "subtype": "success", "is_error": true, "result": "Not logged in"}'; exit 1"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the vendors' stand-ins are shell scripts")


def program(folder: Path, name: str, text: str, mode: int = 0o755) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return path


def examined(person: Person, *words: str, **more: str) -> tuple[int, dict[str, Any]]:
    done = person.debate("doctor", "--json", *words, **more)
    return done.returncode, json.loads(done.stdout)


def path_of(person: Person) -> str:
    return f"{person.home / 'a'}:{person.home / 'b'}:{os.defpath}"


def test_it_tells_which_of_several_programs_is_used_and_why(person: Person) -> None:
    broken = program(person.home / "a", "claude", "not a program", 0o644)
    used = program(person.home / "b", "claude", SPEAKS.format(logged_in="true", answer=ANSWERS))
    code, found = examined(person, "claude", PATH=path_of(person))
    [claude] = found["tools"]
    assert (code, claude["state"], claude["program"]) == (0, "ready", str(used))
    assert (claude["version"], claude["logged_in"]) == ("2.1.197 (Claude Code)", "yes")
    assert str(broken) in " ".join(claude["notes"])


def test_a_tool_that_was_named_or_seated_must_be_usable(person: Person) -> None:
    program(person.home / "a", "claude", SPEAKS.format(logged_in="false", answer=REFUSES))
    path = path_of(person)
    assert examined(person, PATH=path)[0] == 0
    assert examined(person, "claude", PATH=path)[0] == 1
    assert examined(person, PATH=path, DEBATE_JUDGE="claude")[0] == 1
    assert examined(person, "codex", PATH=path)[0] == 1
    assert person.debate("doctor", "nosuchtool").returncode == 2


@pytest.mark.parametrize(
    ("answer", "state", "logged_in"), [(ANSWERS, "ready", "yes"), (REFUSES, "not logged in", "no")]
)
def test_a_tiny_question_is_the_sure_sign_of_a_login(person: Person, answer: str, state: str, logged_in: str) -> None:
    program(person.home / "a", "claude", SPEAKS.format(logged_in="null", answer=answer))
    _, found = examined(person, "claude", "--deep", PATH=path_of(person))
    [claude] = found["tools"]
    assert (claude["state"], claude["logged_in"]) == (state, logged_in)


def test_a_person_reads_what_is_missing_how_to_get_it_and_where_things_lie(person: Person) -> None:
    config = person.home / "config" / "debate"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[tools.claude]\nmodel = "opus"\n')
    program(person.home / "a", "claude", SPEAKS.format(logged_in="false", answer=REFUSES))
    program(person.home / "a", "opencode", "#!/bin/sh\necho 1.18.33\n")
    shown = person.debate("doctor", PATH=path_of(person)).stdout
    assert "claude: not logged in\n" in shown
    assert "log in with: claude auth login" in shown
    assert f"setting: tools.claude.model = opus ({config / 'config.toml'})" in shown
    assert "codex: not installed\n" in shown
    assert "install: npm install -g @openai/codex" in shown
    assert "opencode: not ready\n" in shown
    assert f"state: {person.shelf}" in shown
    assert "can be seated: none" in shown


def test_what_a_program_prints_of_its_version_never_steers_the_terminal(person: Person) -> None:
    program(person.home / "a", "gemini", "#!/bin/sh\nprintf '\\033]0;title\\007\\033[31m0.61.0\\033[0m\\n'\n")
    done = person.debate("doctor", "gemini", PATH=path_of(person))
    assert "version: 0.61.0" in done.stdout
    assert "\x1b" not in done.stdout
