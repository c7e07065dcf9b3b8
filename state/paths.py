"""Where state lies: the flag, AI_STATE_DIR, the host's own folder in the project, else the user's state folder (O9)."""

import os
from collections.abc import Mapping
from pathlib import Path

HOST_MARKS = {
    "CLAUDECODE": ".claude",
    "GEMINI_CLI": ".gemini",
    "OPENCODE": ".opencode",
    "CODEX_THREAD_ID": ".codex",
    "COPILOT_CLI": ".copilot",
}
"""The variable by which each host shows itself to what it starts, and the folder that is the host's in a project.

Seen in the environment of a command that the real CLI ran: codex 0.171.0, opencode 1.18.33, copilot 1.0.102; read in
the program: claude 2.1.197, gemini 0.61.0. Kiro documents none.
"""


def shelf_folder(project: Path, flag: str | None, environ: Mapping[str, str]) -> Path:
    """The shelf: `STATE/debate`."""
    return _state_folder(project, flag, environ) / "debate"


def _state_folder(project: Path, flag: str | None, environ: Mapping[str, str]) -> Path:
    chosen = flag or environ.get("AI_STATE_DIR")
    if chosen:
        return project / os.path.expanduser(chosen)
    host = next((folder for mark, folder in HOST_MARKS.items() if environ.get(mark, "0") not in ("", "0")), None)
    return project / host if host else _users(environ)


def _users(environ: Mapping[str, str]) -> Path:
    base = Path(environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():
        return base
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return (Path(home) if home else Path.home()) / ".local" / "state"


def inside_repository(folder: Path) -> bool:
    """Whether this folder lies inside a git repository."""
    return any((parent / ".git").exists() for parent in (folder, *folder.parents))
