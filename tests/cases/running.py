"""Running a case of tests/fakes/cases: its own commands, against the real command, in a home and a folder of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/fakes/cases"
SECONDS = 120
"""So long may a case take before it counts as hanging: some run twenty debates, on a machine that may be busy."""
SETTINGS = """\
[tools.{tool}]
pass_env = ["FAKE_*", "FAKECLI_LIB"]
{more}"""


@dataclass(frozen=True)
class Outcome:
    """What running a case came to. `states` are all records that were left, `left` pids of fakes that still live.

    `planted` are files that only something forbidden can have made.
    """

    code: int
    seconds: float
    out: str
    err: str
    states: tuple[dict[str, Any], ...]
    left: tuple[int, ...]
    planted: tuple[str, ...]

    @property
    def said(self) -> str:
        return self.out + self.err

    @property
    def kinds(self) -> set[str]:
        """The kinds of failure on record."""
        return {failure["kind"] for state in self.states for failure in state.get("failures", ())}


def case(number: str) -> Path:
    """The folder of this case."""
    return next(CASES.glob(f"{number}-*"))


def script(folder: Path) -> str:
    """The commands with which a case says that it is reproduced."""
    block = re.search(r"## Reproduce.*?```bash\n(.*?)```", (folder / "case.md").read_text("utf-8"), re.DOTALL)
    assert block, folder
    text = "\n".join(line for line in block[1].splitlines() if not line.startswith("export BUGS"))
    return text.replace("acp:$CASE/bin/acp-agent --challenger gemini", "gemini --challenger copilot")


def run(number: str, home: Path, commands: str | None = None, **environ: str) -> Outcome:
    """Run a case, or other commands on its ground, to its end."""
    shutil.copytree(case(number), home / "case", symlinks=True)
    return play(home, commands or script(case(number)), case(number), **environ)


def run_with(programs: Mapping[str, str], home: Path, commands: str) -> Outcome:
    """Run commands with these programs on PATH (lines of Python that know `fakecli`), before healthy ones of each vendor."""
    (home / "case").mkdir()
    for tool, lines in programs.items():
        program = home / "bin" / tool
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            f"#!{sys.executable}\nimport sys; sys.path.insert(0, {str(CASES / '_lib')!r})\n{_FAKE}{lines}\n"
        )
        program.chmod(0o755)
    return play(home, f'export PATH="{home}/bin:$BUGS/_good:$PATH"\n{commands}', home)


_FAKE = "from fakecli import *\nstart()\n"


def play(home: Path, commands: str, ground: Path, **environ: str) -> Outcome:
    """Run commands in `home/case`; `ground` is what they know as CASE."""
    work = home / "case"
    _set_up(home, ground / "bin/acp-agent")
    log = home / "log.jsonl"
    own = {"HOME": str(home), "BUGS": str(CASES), "CASE": str(ground), "FAKE_LOG": str(log), "LANG": "C.UTF-8"}
    path = f"{home / 'debate-bin'}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=work, env={**own, "PATH": path, "TMPDIR": str(home / "tmp"), **environ}, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - began
    calls = tuple(map(json.loads, log.read_text("utf-8").splitlines())) if log.exists() else ()
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return Outcome(
        done.returncode, seconds, out, err, tuple(_states(home)), tuple(_alive(calls)), tuple(_planted(home))
    )


def _set_up(home: Path, agent: Path) -> None:
    """The command, and settings; where the case has an agent of its own, it sits in gemini's chair."""
    command = home / "debate-bin/debate"
    command.parent.mkdir()
    (home / "tmp").mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -c "{_START}" "$@"\n')
    command.chmod(0o755)
    config = home / ".config/debate/config.toml"
    config.parent.mkdir(parents=True)
    more = {"opencode": 'model = "lab/model"\n'}
    if agent.exists():
        more["gemini"] = f'command = "{agent}"\ntransport = "acp"\n'
    tools = ("claude", "codex", "gemini", "opencode", "copilot")
    config.write_text("".join(SETTINGS.format(tool=tool, more=more.get(tool, "")) for tool in tools))


_START = "import sys; sys.argv[0] = 'debate'; from orchestrator.doors.cli import main; main()"


def _states(home: Path) -> list[dict[str, Any]]:
    files = [*home.rglob("debate/history/*.json"), *home.glob("case/*.json")]
    return [value for path in files if isinstance(value := _json(path), dict) and "schema_version" in value]


def _planted(home: Path) -> list[str]:
    return [path.name for name in ("PWNED*", "CONSENT-GIVEN", "MCP-STARTED") for path in home.rglob(name)]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def _alive(calls: tuple[dict[str, Any], ...]) -> list[int]:
    """Processes that the fakes noted and that still live, 2 s after the end at the latest."""
    noted = {value for call in calls for name, value in call.items() if name == "pid" or name.endswith("_pid")}
    end = time.monotonic() + 2
    while (alive := [pid for pid in noted if _is_alive(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    return alive


def _is_alive(pid: Any) -> bool:
    try:
        os.kill(int(pid), 0)
    except (OSError, ValueError):
        return False
    return True
