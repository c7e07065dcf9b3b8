"""Whether this machine can start a file, told from its first bytes: a program for another machine, a script whose
interpreter is missing, an empty file. Without this the first call fails with "No such file" or "Exec format error".
"""

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

_HEAD_BYTES = 4096
_SHEBANG_BYTES = 256  # what Linux reads of it

# What each machine runs, as its kernel is named: ELF's machine numbers.
_ELF_MACHINES = {
    "x86_64": (62, 3),
    "amd64": (62, 3),
    "i686": (3,),
    "aarch64": (183, 40),
    "arm64": (183, 40),
    "armv7l": (40,),
    "riscv64": (243,),
}
_ELF_NAMES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_ELF, _ELF_HEADER, _ELF_64, _PT_INTERP = b"\x7fELF", 20, 2, 3
_WINDOWS = b"MZ"


def why_not_runnable(
    path: Path, path_env: str, *, machine: str | None = None, system: str = sys.platform
) -> str | None:
    """Why this file cannot be started here, or None. `path_env` is the PATH that a script's interpreter is sought on.

    What cannot be told (a file that may be run but not read) counts as runnable.
    """
    reason = _why_no_program(path, system)
    if reason or system == "win32":
        return reason
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return None
    return _why_not_this(head, path_env, machine or os.uname().machine, system)


def _why_no_program(path: Path, system: str) -> str | None:
    """What the file system alone tells."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return f"is a link to a missing file ({os.readlink(path)})" if path.is_symlink() else "does not exist"
    except OSError as error:
        return f"cannot be reached ({error.strerror})"
    if stat.S_ISDIR(status.st_mode):
        return "is a folder"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_size == 0:
        return "is empty"
    return None if system == "win32" or os.access(path, os.X_OK) else "may not be executed (no run permission)"


def _why_not_this(head: bytes, path_env: str, machine: str, system: str) -> str | None:
    if head.startswith(b"#!"):
        return _why_no_script(head, path_env)
    if head.startswith(_ELF):
        return "is a Linux program, not one for macOS" if system == "darwin" else _why_no_elf(head, machine)
    if head.startswith(_MACH_O):
        return None if system == "darwin" else "is a macOS program"
    if head.startswith(_WINDOWS):
        return "is a Windows program"
    return "is neither a program nor a script with a #! line"


def _why_no_script(head: bytes, path_env: str) -> str | None:
    line = head[2:_SHEBANG_BYTES].partition(b"\n")[0]
    if line.endswith(b"\r"):
        return "is a script with Windows line ends, so its interpreter is not found"
    interpreter, *words = os.fsdecode(line).split() or [""]
    if not os.path.isabs(interpreter):
        return "is a script whose #! line names no absolute interpreter"
    if not _is_program(interpreter):
        return f"needs the interpreter {interpreter}, which is missing"
    return _why_not_by_env(words, path_env) if os.path.basename(interpreter) == "env" else None


def _why_not_by_env(words: Iterable[str], path_env: str) -> str | None:
    """`env NAME` seeks the interpreter on PATH; options and assignments stand before the name."""
    name = next((w for w in words if not w.startswith("-") and "=" not in w), None)
    if name is None or os.path.isabs(name):
        return None if name is None or _is_program(name) else f"needs the interpreter {name}, which is missing"
    folders = path_env.split(os.pathsep)
    if any(_is_program(os.path.join(folder, name)) for folder in folders if os.path.isabs(folder)):
        return None
    return f"needs the interpreter {name}, which is not on PATH"


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _why_no_elf(head: bytes, machine: str) -> str | None:
    order = {1: "little", 2: "big"}.get(head[5] if len(head) >= _ELF_HEADER else 0)
    if order is None:
        return "is not a complete program"
    number = _number(head, 18, 2, order)
    known = _ELF_MACHINES.get(machine.lower())
    if known and number not in known:
        return f"is a program for another machine ({_ELF_NAMES.get(number, 'unknown')}, this one is {machine})"
    loader = _loader(head, order)
    return (
        f"needs the loader {loader}, which is missing (built for another C library)"
        if loader and not _is_program(loader)
        else None
    )


def _loader(head: bytes, order: str) -> str | None:
    """The dynamic loader that an ELF program names, if its headers lie in what was read."""
    wide = head[4] == _ELF_64
    table, size, count = (
        (_number(head, 32, 8, order), _number(head, 54, 2, order), _number(head, 56, 2, order))
        if wide
        else (_number(head, 28, 4, order), _number(head, 42, 2, order), _number(head, 44, 2, order))
    )
    for at in range(table, min(table + size * count, len(head) - size + 1), size or 1):
        if _number(head, at, 4, order) == _PT_INTERP:
            start, length = (
                (_number(head, at + 8, 8, order), _number(head, at + 32, 8, order))
                if wide
                else (
                    _number(head, at + 4, 4, order),
                    _number(head, at + 16, 4, order),
                )
            )
            return os.fsdecode(head[start : start + length].rstrip(b"\0")) or None
    return None


def _number(data: bytes, at: int, size: int, order: str) -> int:
    return int.from_bytes(data[at : at + size], "big" if order == "big" else "little")
