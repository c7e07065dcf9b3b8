"""A person with some of the real CLIs, each pointed at the model server, who runs `debate` in a project."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.vendors.cli import VENDORS, environment, program
from tests.vendors.conftest import installed

COMMAND = (sys.executable, "-c", "import sys; sys.argv[0] = 'debate'; from orchestrator.doors.cli import main; main()")


@dataclass
class Person:
    """`tools` are the CLIs that this person has; nothing else is on PATH but what these need."""

    home: Path
    project: Path
    models: ModelServer
    tools: tuple[str, ...]
    more: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        programs = self.home / "bin"
        programs.mkdir(parents=True)
        for tool in self.tools:
            installed(tool)
            (programs / tool).symlink_to(str(program(tool)))
        settings = "".join(f"[tools.{tool}]\n{self._settings(tool)}" for tool in self.tools)
        file = self.home / ".config/debate/config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(settings)

    def _settings(self, tool: str) -> str:
        vendor = VENDORS[tool]
        options = {"model": vendor.model, **vendor.options(self.models.url(tool))}
        return "".join(f"{name} = {_toml(value)}\n" for name, value in options.items())

    @property
    def environ(self) -> dict[str, str]:
        ways = [VENDORS[tool].env(self.models.url(tool)) for tool in self.tools]
        path = f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {
            **environment(self.home),
            "PATH": path,
            **{name: value for way in ways for name, value in way.items()},
            **self.more,
        }

    @property
    def shelf(self) -> Path:
        return self.home / ".local/state/debate"

    def debate(self, *words: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run the command to its end, in the project, without a terminal."""
        environ = {**self.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        return subprocess.run(
            [*COMMAND, *words], cwd=self.project, env=environ, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", timeout=seconds, check=False,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """The record of the last debate, from the disk."""
        return json.loads((self.shelf / "last-debate.json").read_text("utf-8"))

    def left_running(self) -> list[str]:
        """Processes that still know this home: nothing of a debate may outlive it."""
        mark = f"HOME={self.home}\0".encode()
        return [pid.name for pid in Path("/proc").glob("[0-9]*") if mark in _environ_of(pid)]


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
