"""Where codex's own program lies: its sandbox must be allowed to read it, or every command that the model runs fails."""

import platform
import sys
from dataclasses import dataclass
from pathlib import Path

_TOOLS = ("codex-path", "path")
"""Names of the folder beside the native program's that holds ripgrep."""


@dataclass(frozen=True)
class Native:
    """The native program, and the folder of the tools that it brings along, if there is one."""

    program: Path
    tools: Path | None


def native(program: Path) -> Native:
    """The native program behind `program`: npm installs a script that starts one; other installs have it on PATH itself."""
    real = program.resolve()
    found = (_of_npm(real.parent.parent) or real).resolve()
    beside = (found.parent.parent / name for name in _TOOLS)
    return Native(found, next((folder for folder in beside if folder.is_dir()), None))


def _of_npm(package: Path) -> Path | None:
    """The program for this machine in the package that npm chose for it: beside codex's own, inside it, or part of it."""
    ours = f"codex-{_system()}-{_machine()}"
    roots = (package.parent / ours, package / "node_modules" / "@openai" / ours, package)
    names = ("bin/codex", "bin/codex.exe", "codex/codex", "codex/codex.exe")
    places = (place for root in roots for name in names for place in sorted(root.glob(f"vendor/*/{name}")))
    return next((place for place in places if _fits(place)), None)


def _fits(place: Path) -> bool:
    """Whether the triple in the path (`x86_64-unknown-linux-musl`) is this machine's: one package may bring several."""
    triple = place.parent.parent.name
    system = {"linux": "linux", "darwin": "apple", "win32": "windows"}[_system()]
    return system in triple and triple.startswith({"x64": "x86_64", "arm64": "aarch64"}[_machine()])


def _system() -> str:
    return sys.platform if sys.platform in ("darwin", "win32") else "linux"


def _machine() -> str:
    return "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
