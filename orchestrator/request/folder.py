"""The folder under debate."""

import os
from pathlib import Path

from orchestrator.usage import UsageError


def project_folder(chosen: str | None = None) -> Path:
    """The folder named by `--cwd`, else the current one, as a real path. UsageError when it does not exist."""
    try:
        here = Path(os.getcwd())
    except OSError:
        if chosen is None or not os.path.isabs(chosen):
            raise UsageError("The current folder no longer exists.", "Change to another one with cd.") from None
        here = Path(chosen)
    folder = here / Path(chosen or ".").expanduser()
    if not folder.is_dir():
        raise UsageError(f"Folder not found: {folder}", "Name an existing folder with --cwd DIR.")
    return folder.resolve()


def repository_of(folder: Path) -> Path | None:
    """The nearest folder, this one or above it, that is a git repository."""
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), None)
