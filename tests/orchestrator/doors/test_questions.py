"""Questions: asked only on a terminal, only for what is missing, once; driven through a real one."""

import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from tests.orchestrator.doors.household import Person

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@dataclass
class Terminal:
    """A command that runs on a terminal of its own; what it printed so far."""

    process: subprocess.Popen[bytes]
    master: int
    shown: str = ""

    def until(self, words: str, seconds: float = 20) -> None:
        """Read until these words stand there."""
        end = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < end, self.shown
            self.read()

    def read(self) -> bool:
        """Read what there is; False at the end."""
        if not select.select([self.master], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)

    def type(self, line: str) -> None:
        os.write(self.master, line.encode() + b"\n")

    def end(self) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + 30
        while self.read() and self.process.poll() is None:
            assert time.monotonic() < end, self.shown
        return self.process.wait(timeout=20)


def on_terminal(person: Person, *words: str) -> Terminal:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        person.argv(*words),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=person.variables(TERM="dumb"),
        cwd=person.project,
    )
    os.close(slave)
    return Terminal(process, master)


def test_what_is_missing_is_asked_in_order_with_the_defaults_preselected(person: Person) -> None:
    terminal = on_terminal(person, "--rehearse")
    terminal.until("What is the question?")
    terminal.type("Tabs or spaces?")
    terminal.until("Who is the proposer?")
    terminal.type("codex")
    terminal.until("Who is the challenger?")
    terminal.until("[claude]")
    terminal.type("")
    for question in ("Effort", "Rounds", "Context"):
        terminal.until(question)
        terminal.type("1" if question == "Rounds" else "")
    assert terminal.end() == 0
    assert "**Proposer**: codex" in terminal.shown
    assert "**Challenger**: claude" in terminal.shown
    assert "**Rounds**: 1" in terminal.shown


@pytest.mark.parametrize(
    "words",
    [
        ("--rehearse", "Tabs or spaces?"),
        ("--rehearse", "--tools", "claude,codex", "Tabs or spaces?"),
    ],
)
def test_where_nothing_is_missing_nothing_is_asked(person: Person, words: tuple[str, ...]) -> None:
    terminal = on_terminal(person, *words)
    assert terminal.end() == 0
    assert "Who is" not in terminal.shown


@pytest.mark.parametrize("words", [("--no-input",), ("--no-input", "--rehearse")])
def test_with_no_input_nothing_is_asked(person: Person, words: tuple[str, ...]) -> None:
    terminal = on_terminal(person, *words)
    assert terminal.end() == 2
    assert "Usage: debate" in terminal.shown
    assert person.debate(*words).returncode == 2


def test_ctrl_c_at_a_question_begins_nothing(person: Person) -> None:
    terminal = on_terminal(person, "--rehearse")
    terminal.until("What is the question?")
    while terminal.process.poll() is None:  # one that comes just before readline waits for a key is seen with the next
        terminal.process.send_signal(2)
        terminal.read()
    assert terminal.end() == 130
    assert not person.shelf.exists()


def test_with_a_single_tool_the_others_are_named_instead_of_asked_for(person: Person) -> None:
    program = person.home / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    person.environ = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    terminal = on_terminal(person, "Tabs or spaces?")
    terminal.until("Who is the proposer?")
    terminal.type("")
    assert terminal.end() == 2
    assert "Install codex with:" in terminal.shown
    assert "Traceback" not in terminal.shown
