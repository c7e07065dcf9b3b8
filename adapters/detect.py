"""What is installed: executables on PATH, which of them can be started, its version, whether it is logged in."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from adapters.binary import why_not_runnable
from adapters.reading import values
from adapters.spec import Adapter
from state.clean import without_terminal_codes
from state.failures import FailureKind
from state.models import Failure

PROBE_SECONDS = 10.0
_SHIMS = ("", ".exe", ".cmd", ".bat", ".ps1")

LoggedIn = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class Found:
    """The executable to start. `notes` tell which others of its name were passed over, and why."""

    path: Path
    notes: tuple[str, ...] = ()


def endings(environ: Mapping[str, str], system: str = sys.platform) -> tuple[str, ...]:
    """What a program's file name may end in: PATHEXT on Windows, nothing elsewhere."""
    if system != "win32":
        return ("",)
    listed = environ.get("PATHEXT") or ".COM;.EXE;.BAT;.CMD"
    return tuple(ending.strip().lower() for ending in listed.split(";") if ending.strip())


def executables(name: str, path_env: str, suffixes: Sequence[str] = ("",)) -> list[Path]:
    """Everything of this name in the folders of PATH, best first, whether it can be started or not.

    Relative and empty entries of PATH are skipped: they mean the current folder, and nothing of a project ever runs.
    """
    ending = os.path.splitext(name)[1].lower()
    ends = ("",) if ending and ending in suffixes else suffixes
    candidates = (os.path.join(folder, name + end) for folder in _folders(path_env) for end in ends)
    return [Path(c) for c in dict.fromkeys(candidates) if os.path.lexists(c)]


def find(
    name: str, command: str | None, path_env: str, suffixes: Sequence[str] = ("",), system: str = sys.platform
) -> Found | Failure:
    """The executable to start for a vendor: `name` on PATH, or what the user's setting `command` says.

    A failure is `not_installed` or `not_runnable`; its message names what was found and why it cannot be started.
    """
    wanted = name if command is None else str(Path(command).expanduser()) if command.startswith("~") else command
    if os.path.dirname(wanted):
        return _configured(wanted, path_env, system)
    passed_over: list[str] = []
    for path in executables(wanted, path_env, suffixes):
        reason = why_not_runnable(path, path_env, system=system)
        if reason is None:
            return Found(path, tuple(passed_over))
        passed_over.append(f"{path} {reason}")
    if passed_over:
        return Failure(kind=FailureKind.NOT_RUNNABLE, message="; ".join(passed_over))
    return Failure(kind=FailureKind.NOT_INSTALLED, message=_sought(wanted, path_env, suffixes))


def version(program: Path, env: Mapping[str, str], seconds: float = PROBE_SECONDS) -> str | Failure:
    """What the program says about its version: one line. `env` is a child's environment, not ours.

    For `doctor` and after failures only: it costs up to 2 s with some vendors.
    """
    done = _probe((str(program), "--version"), env, seconds)
    if isinstance(done, Failure):
        return done
    lines = [line.strip() for line in without_terminal_codes(done.stdout).splitlines() if any(map(str.isdigit, line))]
    if lines:
        return lines[0]
    return Failure(kind=FailureKind.CRASHED, message=f"{program} --version named none (exit code {done.returncode})")


_LOGIN = {"claude": ("auth", "status"), "codex": ("login", "status")}
"""The commands that tell whether the user is logged in, without asking the vendor's service."""
_UNCOUNTED_KEYS = {"codex": "CODEX_API_KEY"}
"""Variables that log in but that the vendor's own status command leaves out."""


def logged_in(adapter: Adapter, program: Path, env: Mapping[str, str], seconds: float = PROBE_SECONDS) -> LoggedIn:
    """Whether the vendor's program has a login; `unknown` when it has no way to tell, or did not."""
    if env.get(_UNCOUNTED_KEYS.get(adapter.name, "")):
        return "yes"
    question = _LOGIN.get(adapter.name)
    done = _probe((str(program), *question), env, seconds) if question else None
    if done is None or isinstance(done, Failure):
        return "unknown"
    told = next((v["loggedIn"] for v in values(done.stdout.encode()) if isinstance(v.get("loggedIn"), bool)), None)
    if told is not None:
        return "yes" if told else "no"
    text = (done.stdout + done.stderr).lower()
    if "not logged in" in text:
        return "no"
    return "yes" if done.returncode == 0 and "logged in" in text else "unknown"


def _folders(path_env: str) -> list[str]:
    return [folder for folder in path_env.split(os.pathsep) if os.path.isabs(folder)]


def _configured(command: str, path_env: str, system: str) -> Found | Failure:
    path = Path(command)
    if not path.is_absolute():
        message = f"the command setting must be a name or an absolute path: {command}"
        return Failure(kind=FailureKind.NOT_RUNNABLE, message=message)
    reason = why_not_runnable(path, path_env, system=system)
    if reason is None:
        return Found(path)
    kind = FailureKind.NOT_RUNNABLE if os.path.lexists(path) else FailureKind.NOT_INSTALLED
    return Failure(kind=kind, message=f"{path} {reason} (from the command setting)")


def _sought(name: str, path_env: str, suffixes: Sequence[str]) -> str:
    """What was looked for and where, and files beside it that only another system or shell could start."""
    names = " or ".join(name + end for end in suffixes)
    seen = executables(name, path_env, _SHIMS)
    beside = f"; saw {', '.join(map(str, seen))}" if seen else ""
    return f"looked for {names} in {len(_folders(path_env))} folders of PATH{beside}"


def _probe(argv: Sequence[str], env: Mapping[str, str], seconds: float) -> subprocess.CompletedProcess[str] | Failure:
    """One short question to a program, in a process group of its own that is ended with it.

    It runs in a folder where nobody but the administrator can leave files: opencode runs modules that lie in its
    current folder or above.
    """
    try:
        child = subprocess.Popen(
            argv,
            env=dict(env),
            cwd=env.get("SYSTEMROOT", os.sep) if sys.platform == "win32" else os.sep,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Failure(kind=FailureKind.NOT_RUNNABLE, message=f"{argv[0]} cannot be started ({error.strerror})")
    try:
        out, err = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return Failure(kind=FailureKind.TIMED_OUT, message=f"{' '.join(argv)} gave no answer within {seconds:g} s")
    finally:
        if child.poll() is None:
            _end(child)
    return subprocess.CompletedProcess(argv, child.returncode, out, err)


def _end(child: subprocess.Popen[str]) -> None:
    """Kill the whole group; read nothing more, as a stranger may still hold the pipes."""
    with suppress(ProcessLookupError, PermissionError):
        child.kill() if sys.platform == "win32" else os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    child.wait()
    with suppress(OSError):  # orphans of its group that the system gave us
        while os.waitpid(-child.pid, 0):
            pass
