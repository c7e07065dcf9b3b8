"""The live view as a person sees it: in a real terminal, driven by the recorded streams of the five vendors.

The screens are kept in `kept/`, so that a person can look at them; times are masked. After a change that is wanted:
`KEEP_SCREENS=1 bash check tests/screens`, and look at the difference.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.person import COMMAND, Person

KEPT = Path(__file__).parent / "kept"
TESTS = Path(__file__).parents[1]
CHINESE = "**队列**用 Postgres 👩‍👩‍👧：\n\n1. `任务` 不会丢失，而且每一次写入都与订单在同一个事务之中，因此一致。\n2. Redis 更快，但要另外维护 🫠。"
RECORDINGS = {
    "claude": ("partial", 6),
    "codex": ("t-multi", 5),
    "gemini": ("tool-stream-write", 4),
    "opencode": ("p-neutral", 5),
    "copilot": ("perm-available-read", 26),
}
"""For each vendor a recording, and the number of lines after which the screen is looked at."""


@dataclass
class Terminal:
    """A tmux session of so many columns. `folder` is where the players wait."""

    name: str
    columns: int
    folder: Path

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-L", self.name, *words], capture_output=True, text=True, timeout=20, check=True)
        return done.stdout

    def starts(self, person: Person, command: str) -> None:
        environ = " ".join(
            f"{name}={shlex.quote(value)}" for name, value in person.variables().items() if name != "TERM"
        )
        size = ("-x", str(self.columns), "-y", "40")
        shell = (
            f"env -i TERM=$TERM {environ} {command}; echo EXIT=$?; stty -a | grep -o '[-]*echo ' | head -1; exec cat"
        )
        self.tmux("-f", os.devnull, "new-session", "-d", *size, "-c", str(person.project), shell)

    def screen(self) -> str:
        shown = self.tmux("capture-pane", "-p", "-S", "-")
        return "\n".join(line.rstrip() for line in shown.splitlines()).rstrip() + "\n"

    def until(self, pattern: str, seconds: float = 20) -> str:
        """The screen, as soon as the pattern stands on it."""
        end = time.monotonic() + seconds
        while not re.search(pattern, shown := self.screen()):
            assert time.monotonic() < end, f"{pattern} never came:\n{shown}"
            time.sleep(0.05)
        return shown


@pytest.fixture(params=[40, 120])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("tmux is not installed")
    made = Terminal(f"debate-{time.time_ns()}", request.param, tmp_path)
    yield made
    subprocess.run(["tmux", "-L", made.name, "kill-server"], capture_output=True, timeout=20, check=False)


def seated(folder: Path, *tools: str) -> Person:
    """Someone whose tools play their recordings; `chinese` is a claude that says something in Chinese."""
    person = Person(folder / "home", folder / "project", {"COLORTERM": ""})
    for made in (person.home / "bin", person.project):
        made.mkdir(parents=True)
    said = {"type": "result", "subtype": "success", "is_error": False, "result": CHINESE, "session_id": "s"}
    (folder / "chinese.stdout").write_text(json.dumps(said) + "\n")
    for tool in tools:
        name, lines = RECORDINGS.get(tool, ("", 99))
        played = TESTS / f"recordings/{tool}/{name}.stdout" if name else folder / "chinese.stdout"
        argv = [sys.executable, "-I", str(TESTS / "fakes/player.py"), str(played), str(folder), tool, str(lines)]
        script = person.home / "bin" / tool.replace("chinese", "claude")
        script.write_text(f"#!/bin/sh\nexec {shlex.join(argv)}\n")
        script.chmod(0o755)
    person.configure('[tools.opencode]\nmodel = "lab/lab-model"\n')
    return person


def masked(screen: str) -> str:
    """The screen without times and places."""
    timeless = re.sub(r"\d+:\d\d (of|so far)", r"0:00 \1", screen)
    return re.sub(r"(?s)\[INFO\] Saved: .*?\n(?=EXIT)", "[INFO] Saved: ...\n", timeless)


def compare(name: str, terminal: Terminal, pattern: str) -> str:
    """Once the pattern stands on the screen, it is as it was kept; a moment in the midst of drawing is let pass."""
    shown, path = masked(terminal.until(pattern)), KEPT / f"{name}.txt"
    end = time.monotonic() + 5
    if os.environ.get("KEEP_SCREENS"):
        time.sleep(0.5)
        path.write_text(shown := masked(terminal.screen()))
    while shown != path.read_text() and time.monotonic() < end:
        time.sleep(0.1)
        shown = masked(terminal.screen())
    assert shown == path.read_text()
    return shown


@pytest.mark.parametrize("pair", [("claude", "codex"), ("gemini", "opencode"), ("copilot", "chinese")])
def test_the_screen_shows_who_speaks_and_what_it_does(pair: tuple[str, str], terminal: Terminal) -> None:
    person = seated(terminal.folder, *pair)
    seats = ",".join(pair).replace("chinese", "claude")
    words = ("Postgres 还是 Redis 👍?", "--tools", seats, "--rounds", "1", "--judge", "none")
    terminal.starts(person, shlex.join([*COMMAND, *words]) + " > result.md")
    for tool in pair:
        if tool in RECORDINGS:
            compare(f"{tool}-{terminal.columns}", terminal, MOMENTS[tool])
        (terminal.folder / f"go-{tool}").touch()
    end = compare(f"{'-'.join(pair)}-end-{terminal.columns}", terminal, r"(?m)^EXIT=\d+\n-?echo")
    assert "EXIT=0\necho\n" in end
    assert "## Debate Summary" in (person.project / "result.md").read_text()


MOMENTS = {
    "claude": r"writes \(8 characters\)",
    "codex": "runs cat hello.txt",
    "gemini": "calls write_file",
    "opencode": "searches for x",
    "copilot": "reads ",
}
"""What stands on the screen while each recording waits."""


def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    person = seated(terminal.folder, "claude", "codex")
    words = ("Tabs or spaces?", "--tools", "claude,codex", "--judge", "none")
    terminal.starts(person, shlex.join([*COMMAND, *words]))
    terminal.until(MOMENTS["claude"])
    terminal.tmux("send-keys", "C-c")
    screen = terminal.until(r"(?m)^EXIT=\d+\n-?echo")
    assert "EXIT=130\necho\n" in screen
    assert "Resume with: debate resume" in " ".join(screen.split())
    assert terminal.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1", "the cursor is still hidden"
    assert "writes (8 characters)" not in screen, "the live region was left on the screen"
    assert person.left_running() == []
