"""Finding the git repository that a folder belongs to, by reading files alone.

What lies in a repository is material: it may have been written to lead us into another, private repository. So nothing
here follows a link, and a `.git` file (worktrees, submodules) is believed only if what it points to points back.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

_SMALL = 1_000_000
_LARGE = 64_000_000
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs(?:/(?!\.)[^/\0\s\\]+)+")
_WORKTREE = re.compile(r'^\s*worktree\s*=\s*"?(.+?)"?\s*$', re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Repository:
    """`top`: the work tree's folder. `git_dir` holds HEAD and the index; `common` the objects, refs and settings."""

    top: Path
    git_dir: Path
    common: Path


def find_repository(folder: Path) -> Repository | None:
    """The repository whose work tree holds `folder`, or None: there is none, or it is not one that can be believed."""
    folder = folder.resolve()
    for top in (folder, *folder.parents):
        entry = _lstat(top / ".git")
        if entry is not None and (stat.S_ISREG(entry.st_mode) or stat.S_ISLNK(entry.st_mode)):
            return _behind_file(top)
        if _is_git_dir(top / ".git"):
            return Repository(top, top / ".git", top / ".git")
    return None


def head_commit(repository: Repository) -> str | None:
    """The id of the commit that HEAD names, or None before the first commit (or when it cannot be read)."""
    text = read_plain(repository.git_dir / "HEAD", _SMALL)
    for _ in range(5):
        text = text.strip()
        if _ID.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
        if not _REF.fullmatch(name):
            return None
        text = _loose(repository, name) or _packed(repository, name)
    return None


def is_plain_file(path: Path) -> bool:
    """Whether this is a regular file, not a link to one."""
    entry = _lstat(path)
    return entry is not None and stat.S_ISREG(entry.st_mode)


def read_plain(path: Path, limit: int = _SMALL) -> str:
    """The text of a regular file that is no link and not larger than `limit` bytes; empty for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        fits = stat.S_ISREG(found.st_mode) and found.st_size <= limit
        return os.fsdecode(file.read(limit)) if fits else ""


def _behind_file(top: Path) -> Repository | None:
    """The repository that a `.git` file names: a worktree's or a submodule's, if it names this folder in turn."""
    target = read_plain(top / ".git").strip()
    if not target.startswith("gitdir:"):
        return None
    git_dir = Path(os.path.realpath(top / target.removeprefix("gitdir:").strip()))
    if back := read_plain(git_dir / "gitdir").strip():
        common = git_dir.parent.parent
        believed = _same(git_dir / back, top / ".git") and git_dir.parent.name == "worktrees"
        return Repository(top, git_dir, common) if believed and _is_git_dir(common) else None
    settings = _WORKTREE.search(read_plain(git_dir / "config"))
    believed = settings is not None and _same(git_dir / settings[1], top)
    return Repository(top, git_dir, git_dir) if believed and _is_git_dir(git_dir) else None


def _is_git_dir(folder: Path) -> bool:
    inside = [_lstat(folder), _lstat(folder / "objects")]
    return all(e is not None and stat.S_ISDIR(e.st_mode) for e in inside) and bool(read_plain(folder / "HEAD"))


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (OSError, ValueError):
        return None


def _loose(repository: Repository, name: str) -> str:
    for folder in (repository.git_dir, repository.common):
        real = Path(os.path.realpath(folder), name)
        if os.path.realpath(folder / name) == str(real) and (text := read_plain(real)):
            return text
    return ""


def _packed(repository: Repository, name: str) -> str:
    lines = read_plain(repository.common / "packed-refs", _LARGE).splitlines()
    return next((line.split(" ", 1)[0] for line in lines if line.endswith(f" {name}")), "")
