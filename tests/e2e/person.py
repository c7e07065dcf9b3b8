"""A person at a shell, with a home, a project and some vendors' CLIs, real ones or small stand-ins, who runs `debate`."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.fakes.model_server import ModelServer
from tests.vendors.cli import program
from tests.vendors.conftest import installed

ROOT = Path(__file__).parents[2]
SPEAKER = ROOT / "tests/fakes/speaker.py"
COMMAND = (sys.executable, "-c", "import sys; sys.argv[0] = 'debate'; from orchestrator.doors.cli import main; main()")


@dataclass
class Person:
    """`environ` is what the person has set beside HOME and PATH; on PATH, `home/bin` comes first."""

    home: Path
    project: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def shelf(self) -> Path:
        return self.home / ".local/state/debate"

    def variables(self) -> dict[str, str]:
        own = {"HOME": str(self.home), "PATH": f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        return {**own, "LANG": "C.UTF-8", "TERM": "dumb", "PYTHONPATH": str(ROOT), **self.environ}

    def debate(self, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run the command to its end, in the project, without a terminal."""
        return subprocess.run(
            [*COMMAND, *words], cwd=self.project, env=self.variables(), stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=seconds, check=False,
        )  # fmt: skip

    def begins(self, *words: str) -> subprocess.Popen[str]:
        """Start the command as the leader of a session of its own, and go on."""
        return subprocess.Popen(
            [*COMMAND, *words], cwd=self.project, env=self.variables(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """The record of the last debate, from the disk; empty where there is none yet."""
        file = self.shelf / "last-debate.json"
        return json.loads(file.read_text("utf-8")) if file.exists() else {}

    def configure(self, settings: str) -> None:
        """Write the settings file."""
        file = self.home / ".config/debate/config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(settings)

    def left_running(self) -> list[str]:
        """Processes that still know this home: nothing of a debate may outlive it."""
        mark = f"HOME={self.home}\0".encode()
        return [pid.name for pid in Path("/proc").glob("[0-9]*") if mark in _environ_of(pid)]

    def left_lying(self) -> list[str]:
        """Private folders of calls that nobody removed."""
        return [str(path) for path in self.home.rglob("call-*")]


def descendants(pid: int) -> list[psutil.Process]:
    """The processes that this one has started, and theirs: children, their children, the guardian."""
    return psutil.Process(pid).children(recursive=True)


def alive(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; one that only waits to be collected does not."""
    return [process for process in processes if _runs(process)]


def with_real_tools(home: Path, project: Path, models: ModelServer, tools: tuple[str, ...]) -> Person:
    """Someone who has these real CLIs and no others, each of which asks the model server's route of its name."""
    programs = home / "bin"
    programs.mkdir(parents=True)
    environ: dict[str, str] = {}
    settings: list[str] = []
    for tool in tools:
        vendor = installed(tool)
        (programs / tool).symlink_to(str(program(tool)))
        environ |= vendor.env(models.url(tool))
        options = {"model": vendor.model, **vendor.options(models.url(tool))}
        settings += [f"[tools.{tool}]", *(f"{name} = {_toml(value)}" for name, value in options.items())]
    person = Person(home, project, environ)
    person.configure("\n".join(settings))
    return person


def with_stand_ins(home: Path, project: Path, *, more: tuple[str, ...] = ()) -> tuple[Person, Path]:
    """Someone whose claude, codex and `more` are `tests/fakes/speaker.py`; and the folder in which these note their calls."""
    programs, folder = home / "bin", home / "speakers"
    for made in (programs, folder, project):
        made.mkdir(parents=True, exist_ok=True)
    (project / "app.py").write_text("QUEUE = 'postgres'\n")
    for tool in ("claude", "codex", *more):
        script = programs / tool
        argv = shlex.join([sys.executable, "-I", str(SPEAKER), tool, str(folder)])
        script.write_text(f"#!/bin/sh\nexec {argv}\n")
        script.chmod(0o755)
    return Person(home, project), folder


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _environ_of(pid: Path) -> bytes:
    try:
        return (pid / "environ").read_bytes() if int(pid.name) != os.getpid() else b""
    except OSError:
        return b""


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
