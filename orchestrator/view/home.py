"""Where views lie, who uses them, and how they go away."""

import os
import shutil
import stat
import tempfile
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.problem import Problem
from state.lock import Held, Lock

_LOCK = "lock"


@dataclass(frozen=True)
class ViewsHome:
    """The folder that views lie in. `private`: nobody else can write to it or to any folder above it."""

    path: Path
    private: bool


@dataclass(frozen=True)
class Lease:
    """A private folder for the view of one run. It counts as in use until it is released or its process ends."""

    folder: Path
    lock: Lock

    def release(self) -> None:
        """Let go of the folder; what lies in it stays until it is swept."""
        self.lock.release()


def views_home(environ: Mapping[str, str]) -> ViewsHome | Problem:
    """The first private folder below the user's state, cache or runtime folder; else any usable one."""
    usable = None
    for path in _candidates(environ):
        home = _prepared(path)
        if home and home.private:
            return home
        usable = usable or home
    return usable or Problem("No folder for the participants' copy of the project can be written; set XDG_STATE_HOME.")


def hold(home: Path, name: str) -> Lease | Problem:
    """The folder `name` in `home` for this run alone, made if need be; a Problem when another run holds it."""
    folder = home / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = Lock(folder / _LOCK)
    except Held:
        return Problem(f"Another run uses {folder}.")
    except OSError as error:
        return Problem(f"The participants' private folder cannot be written: {error.strerror or error}: {folder}")
    if lock.lies_at(folder / _LOCK):
        return Lease(folder, lock)
    lock.release()
    return Problem(f"Another run uses {folder}.")


def remove_view(path: Path) -> bool:
    """Remove a folder and all below it, also where rights were taken away; whether it is gone. No link is followed."""
    shutil.rmtree(path, ignore_errors=True)
    if path.is_dir() and not path.is_symlink():
        path.chmod(0o700)
        for here, folders, files in os.walk(path):
            for name in folders + files:
                if not (below := Path(here, name)).is_symlink():
                    below.chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)
    return not path.exists()


def sweep(home: Path, keep: Container[str] = ()) -> int:
    """Remove the views that dead runs left behind, except those named in `keep`; how many were removed.

    To be called after a new view was made, not before: files are created slowly right after many were deleted.
    """
    return sum(_swept(folder) for folder in _folders(home) if folder.name not in keep)


def _swept(folder: Path) -> bool:
    lease = hold(folder.parent, folder.name)
    if isinstance(lease, Problem):
        return False
    # The lock file goes last, and on Windows only once it is closed.
    for part in _folders(folder):
        remove_view(part)
    if os.name != "nt":
        remove_view(folder)
    lease.release()
    return remove_view(folder)


def _folders(home: Path) -> list[Path]:
    try:
        with os.scandir(home) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _candidates(environ: Mapping[str, str]) -> list[Path]:
    user = environ.get("HOME") or environ.get("USERPROFILE") or ""
    bases = (
        environ.get("XDG_STATE_HOME") or (user and f"{user}/.local/state"),
        environ.get("XDG_CACHE_HOME") or (user and f"{user}/.cache"),
        environ.get("XDG_RUNTIME_DIR", ""),
        environ.get("LOCALAPPDATA", ""),
    )
    return [*(Path(base, "debate", "views") for base in bases if Path(base).is_absolute()), *_temporary()]


def _temporary() -> list[Path]:
    try:
        return [Path(tempfile.gettempdir(), f"debate-views-{os.getuid() if hasattr(os, 'getuid') else 0}")]
    except FileNotFoundError:  # nothing can be written anywhere
        return []


def _prepared(path: Path) -> ViewsHome | None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        real = Path(os.path.realpath(path))
        ours = real.stat().st_uid == os.getuid() if hasattr(os, "getuid") else True
        usable = ours and os.access(real, os.W_OK | os.X_OK)
        return ViewsHome(real, all(map(_is_private, (real, *real.parents)))) if usable else None
    except OSError:
        return None


def _is_private(folder: Path) -> bool:
    """Whether only its owner, who is us or root, can put something into it. A sticky `/tmp` is open to others."""
    if os.name == "nt":
        return True
    found = folder.stat()
    if found.st_uid not in {0, os.getuid()} or found.st_mode & stat.S_IWOTH:
        return False
    return not found.st_mode & stat.S_IWGRP or _is_users_own_group(found.st_gid)


def _is_users_own_group(number: int) -> bool:
    """Whether the group is the private one that many systems give each user: the user's name, and nobody else in it."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return number == user.pw_gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
