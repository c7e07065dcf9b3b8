"""A person at a shell, with a home of their own and debates on the shelf: `debate` runs as a real process."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from state.document import encoded
from state.models import Opened
from state.record import Record
from tests.orchestrator.playing import opened, play

START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from orchestrator.doors.cli import main; main()"
ROOT = str(Path(__file__).parents[3])


@dataclass
class Person:
    """`home` is an empty folder; `environ` holds what is set beside HOME and PATH."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        folder = self.home / "project"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def shelf(self) -> Path:
        return self.home / "state" / "debate"

    @property
    def history(self) -> Path:
        folder = self.shelf / "history"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def variables(self, **more: str) -> dict[str, str]:
        own = {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state"), "PATH": os.defpath, "TZ": "UTC"}
        return {**own, "XDG_CONFIG_HOME": str(self.home / "config"), **self.environ, **more}

    def argv(self, *arguments: str) -> list[str]:
        return [sys.executable, "-c", START, ROOT, *arguments]

    def debate(self, *arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Run `debate` to its end, without a terminal."""
        return subprocess.run(
            self.argv(*arguments), input=stdin, env=self.variables(**more), cwd=self.project, capture_output=True,
            encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip

    def keeps(self, topic: str, ident: str, *, finished: bool = True) -> Path:
        """Put a debate on the shelf, as a run would leave it, and name it as the last one."""
        record = play(_named(opened(topic=topic), ident)) if finished else _named(opened(topic=topic), ident)
        path = self.history / f"{ident}.json"
        path.write_bytes(encoded(record))
        (self.history / f"{ident}.calls").mkdir()
        (self.history / f"{ident}.calls" / "round-1.proposer.0.prompt.md").write_text("the prompt")
        (self.shelf / "last-debate.json").write_bytes(encoded(record))
        return path


def _named(record: Record, ident: str) -> Record:
    opening = record.events[0]
    assert isinstance(opening, Opened)
    return Record(events=(opening.model_copy(update={"id": ident}), *record.events[1:]))
