"""Why a program could not be started: missing, a folder, no right, for another machine, or without its interpreter."""

import errno
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from state.failures import FailureKind
from state.models import Failure

K = FailureKind
_MISSING = {errno.ENOENT, errno.ENOTDIR}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
_COMMAND_NOT_FOUND = 127


def why_not_started(error: OSError | ValueError, program: str, cwd: Path) -> Failure:
    """The failure that an error of starting stands for. A missing interpreter is told apart from a missing program."""
    if not isinstance(error, OSError):
        return _failure(K.CRASHED, f"{program} cannot be given these arguments: {error}")
    if error.errno == errno.E2BIG:
        return _failure(K.TOO_LONG, f"the arguments and environment for {program} are longer than the system takes")
    if not cwd.is_dir() or not os.access(cwd, os.X_OK):
        return _failure(K.CRASHED, f"{program} cannot be started in {cwd}: no such folder, or no right to enter it")
    if error.errno in _MISSING:
        return _missing(program)
    if error.errno in _EXHAUSTED:
        return Failure(
            kind=K.CRASHED,
            message=f"{program} cannot be started: {error.strerror}",
            remedy="Close other programs, or raise the limits that `ulimit -a` shows; then resume.",
        )
    return _failure(K.NOT_RUNNABLE, f"{program} {_obstacle(error, program)}")


def missing_interpreter(program: str, env: Mapping[str, str]) -> str | None:
    """The interpreter that a script's first line names and this machine lacks, looked up as `env` does."""
    name = _interpreter(program)
    return name if name and not shutil.which(name, path=env.get("PATH", os.defpath)) else None


def no_interpreter(program: str, interpreter: str) -> Failure:
    """The failure of a script whose interpreter is missing."""
    return _failure(K.NOT_RUNNABLE, f"{program} is there, but its interpreter {interpreter} is not")


def blames_interpreter(exit_code: int | None, stdout: bytes) -> bool:
    """Whether a child ended as `/usr/bin/env` does when it does not find the interpreter."""
    return exit_code == _COMMAND_NOT_FOUND and not stdout


def _missing(program: str) -> Failure:
    if not Path(program).exists():
        broken_link = Path(program).is_symlink()
        return _failure(K.NOT_INSTALLED, f"{program} {'is a link to nothing' if broken_link else 'was not found'}")
    interpreter = _interpreter(program)
    return no_interpreter(program, interpreter or "(the loader of its binary format)")


def _obstacle(error: OSError, program: str) -> str:
    if Path(program).is_dir():
        return "is a folder, not a program"
    if error.errno in _FORBIDDEN and not os.access(program, os.X_OK):
        return "is not executable (chmod +x would make it so)"
    if error.errno == errno.ENOEXEC:
        return "is not a program for this machine: another architecture, damaged, or a script without a #! line"
    if error.errno == errno.ETXTBSY:
        return "is being written at this moment"
    return f"cannot be started: {error.strerror or error}"


def _interpreter(program: str) -> str | None:
    """The interpreter in a script's first line; behind `env` the program that env looks for."""
    try:
        with Path(program).open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if words and Path(words[0]).name == "env" and Path(words[0]).exists():
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words else None


def _failure(kind: FailureKind, message: str) -> Failure:
    return Failure(kind=kind, message=message)
