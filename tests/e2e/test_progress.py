"""What a run tells while it runs: events for programs, plain lines for logs, and nothing where nothing is wanted."""

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.person import Person, with_stand_ins
from tests.e2e.test_crash import wait_until

QUESTION = ("Tabs or spaces?", "--tools", "claude,codex", "--rounds", "1")
WHOLE = [
    "opened",
    "turn_started", "turn_ended", "turn_started", "turn_ended", "round_ended",
    "judging_started", "turn_started", "turn_started", "turn_ended", "turn_ended",
    "vote", "vote", "verdict", "ended",
]  # fmt: skip


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return with_stand_ins(tmp_path / "home", tmp_path / "project")[0]


def says(person: Person, tool: str, words: str) -> None:
    """Let this tool say these words, whatever it is asked."""
    result = {"type": "result", "subtype": "success", "is_error": False, "result": words, "session_id": "s"}
    script = person.home / "bin" / tool
    script.write_text(f"#!{sys.executable} -I\nimport sys\nsys.stdin.read()\nprint({json.dumps(result)!r})\n")


def test_events_are_numbered_and_tell_the_whole_debate_in_order(person: Person) -> None:
    done = person.debate(*QUESTION, "--events", "--quiet")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["type"] for line in lines if line["type"] != "activity"] == WHOLE
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["v"] for line in lines} == {1}
    assert {line["debate_id"] for line in lines} == {person.record()["id"]}
    assert all(line["time"].endswith("Z") for line in lines)
    assert done.stderr == ""


def test_an_event_is_there_when_it_happens(person: Person, tmp_path: Path) -> None:
    (tmp_path / "home/speakers/hang").touch()
    debate = person.begins(*QUESTION, "--events")
    assert debate.stdout is not None
    types = [json.loads(debate.stdout.readline())["type"] for _ in range(2)]
    debate.terminate()
    rest, _ = debate.communicate(timeout=30)
    assert types == ["opened", "turn_started"]
    assert [json.loads(line)["type"] for line in rest.splitlines()][-2:] == ["turn_ended", "ended"]
    assert debate.returncode == 143


def test_a_reader_of_events_that_goes_away_stops_nothing(person: Person) -> None:
    debate = person.begins(*QUESTION, "--events")
    assert debate.stdout is not None
    debate.stdout.readline()
    debate.stdout.close()
    wait_until(lambda: person.record().get("status") == "completed")
    assert debate.wait(30) in {0, 5}
    assert debate.stderr is not None
    assert "Traceback" not in debate.stderr.read()
    debate.stderr.close()


def test_plain_lines_are_those_of_the_contract_and_the_result_stands_alone_on_stdout(person: Person) -> None:
    done = person.debate(*QUESTION)
    progress = [line for line in done.stderr.splitlines() if line.startswith(("[", "---"))]
    assert progress == [
        "[INFO] Plan: 2 speeches + 2 judging calls, at most 18 min; claude, codex speak; claude and codex judge",
        "[INFO] Running round 1 proposer (claude) - timeout 240s",
        "--- Round 1: claude (Proposer) ---",
        "[INFO] Running round 1 challenger (codex) - timeout 420s",
        "--- Round 1: codex (Challenger) ---",
        "[INFO] Judging: judge-1 (claude) - timeout 240s",
        "[INFO] Judging: judge-2 (codex) - timeout 420s",
        next(line for line in progress if line.startswith("[INFO] Saved: ")),
    ]
    assert done.stdout.startswith("## Debate Summary\n")
    assert "[INFO]" not in done.stdout


def test_quiet_tells_warnings_only_and_verbose_tells_all_activity(person: Person) -> None:
    assert person.debate(*QUESTION, "--quiet").stderr == ""
    assert "[INFO] codex: writes (" in person.debate(*QUESTION, "--verbose").stderr
    (person.home / "bin/codex").write_text("#!/bin/sh\ncat > /dev/null\necho Segmentation fault >&2\nexit 139\n")
    failed = person.debate(*QUESTION, "--quiet")
    assert "[WARN] challenger (codex) failed in round 1: crashed" in failed.stderr
    assert "[INFO]" not in failed.stderr


@pytest.mark.parametrize("mark", ["CI", "GITHUB_ACTIONS", "TF_BUILD"])
def test_no_word_of_a_model_is_a_command_for_a_ci_system(mark: str, person: Person) -> None:
    says(
        person,
        "claude",
        "fine\n::error file=a.py::broken\n  ::set-output name=x::1\n##vso[task.complete]\n##[error]bad",
    )
    person.environ = {**person.environ, mark: "true"}
    done = person.debate(*QUESTION, "--judge", "none")
    told = f"{done.stderr}\n{done.stdout}"
    assert "error file=a.py" in told
    assert not [line for line in told.splitlines() if line.lstrip().startswith(("::", "##[", "##vso"))]
    assert "##[" not in told
    assert "\n### Verdict\n" in done.stdout, "our own headings stay headings"
