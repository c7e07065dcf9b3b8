"""A real terminal of a given width, in which a person runs `debate`: a tmux session of its own."""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.person import COMMAND, Person

ENDED = r"(?m)^EXIT=\d+\n-?echo"
"""What stands on the screen when the command is over: its exit code, and whether what is typed is echoed."""


@dataclass
class Terminal:
    """A tmux session of so many columns. `folder` is where the players wait."""

    name: str
    columns: int
    folder: Path

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-L", self.name, *words], capture_output=True, text=True, timeout=20, check=True)
        return done.stdout

    def starts(
        self, person: Person, *words: str, first: str = "", then: str = "", setting: Mapping[str, str] | None = None
    ) -> None:
        """Run the command `first`, then `debate` with these words; `then` is added to the shell's line, `setting` to the environment."""
        command = f"{shlex.join([*COMMAND, *words])} {then}"
        variables = {**person.variables(), "TERM": "tmux-256color", **(setting or {})}
        environ = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        size = ("-x", str(self.columns), "-y", "40")
        shell = f"{first or ':'}; env -i {environ} {command}; echo EXIT=$?; stty -a | grep -o '[-]*echo ' | head -1; exec cat"
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

    def shows_cursor(self) -> bool:
        return self.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"
