"""Running the git program: found outside the repository, a small environment, a time limit, bounded output."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

TIMEOUT_S = 20
_PASSED = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP")
_USERS_CHOICE = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_BLANKED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}


@dataclass(frozen=True)
class GitTrouble:
    """Why git gave no answer, in words that fit after "git: "."""

    message: str


@dataclass(frozen=True)
class Git:
    """The git program, the environment and the folder it runs in, and the time by which all its runs must be over."""

    program: str
    environ: Mapping[str, str]
    cwd: Path
    deadline: float

    def having(self, **environ: str) -> "Git":
        """The same with these variables set."""
        return replace(self, environ={**self.environ, **environ})

    def run(self, *arguments: str, limit: int) -> bytes | GitTrouble:
        """What it prints, or why not: a bad exit, more than `limit` bytes, or no end within the time limit."""
        argv = [self.program, "--no-pager", "--literal-pathspecs", *arguments]
        return _output(argv, self, limit)


def find_git(avoid: Path, cwd: Path, environ: Mapping[str, str]) -> Git | GitTrouble:
    """The git on PATH that does not lie below `avoid`; it sees no settings of the user or the system."""
    folders = [f for f in environ.get("PATH", os.defpath).split(os.pathsep) if Path(f).is_absolute()]
    outside = os.pathsep.join(f for f in folders if not _below(f, avoid))
    program = shutil.which("git", path=outside) if outside else None
    if program is None or _below(program, avoid):
        return GitTrouble("it is not installed")
    passed = {name: environ[name] for name in _PASSED if name in environ}
    return Git(program, {**passed, "PATH": outside, "LC_ALL": "C", **_BLANKED}, cwd, time.monotonic() + TIMEOUT_S)


def with_users_settings(git: Git, environ: Mapping[str, str]) -> Git:
    """The same git, but it sees the user's and the system's own settings: for reading those."""
    kept = {name: value for name, value in git.environ.items() if name not in _USERS_CHOICE}
    return replace(git, environ={**kept, **{n: environ[n] for n in _USERS_CHOICE if n in environ}})


def _below(path: str, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _output(argv: list[str], git: Git, limit: int) -> bytes | GitTrouble:
    expired = threading.Event()
    with tempfile.TemporaryFile() as errors:
        try:
            child = subprocess.Popen(
                argv, cwd=git.cwd, env=git.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
        except (OSError, ValueError) as error:
            return GitTrouble(f"it cannot be started: {error}")
        alarm = threading.Timer(max(0, git.deadline - time.monotonic()), lambda: (expired.set(), child.kill()))
        alarm.daemon = True
        alarm.start()
        output = _drain(child, limit)
        alarm.cancel()
        if expired.is_set():
            return GitTrouble(f"no answer within {TIMEOUT_S} s")
        if len(output) > limit:
            return GitTrouble(f"it printed more than {limit // 1_000_000} MB")
        errors.seek(0)
        return output if child.returncode == 0 else GitTrouble(_words(errors.read(4096)))


def _drain(child: "subprocess.Popen[bytes]", limit: int) -> bytes:
    """All that the child prints; the child is ended once that is more than `limit`."""
    with child:
        assert child.stdout is not None
        output = child.stdout.read(limit + 1)
        if len(output) > limit:
            child.kill()
    return output


def _words(errors: bytes) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it failed without a word"
