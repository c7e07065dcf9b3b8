"""Listing the files of a project: as git knows them, or else by walking the folders. Nothing of the project runs."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from adapters import worktree
from orchestrator.view import cleaning

HOME_LIMIT = 500
_TOO_WIDE = "everything: this is your home folder or one above it; start in a project's folder, or use --view PATH"
# Folders of packages, builds and caches that hold nothing of the project's own. They count where git does not vouch.
GENERATED = cleaning.words(
    """
    node_modules bower_components .venv venv __pycache__ __pypackages__ site-packages .tox .nox .eggs .mypy_cache
    .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .gradle .terraform .next .nuxt .svelte-kit .turbo
    .parcel-cache .cache .direnv .dart_tool .stack-work .bundle .yarn .pnpm-store
    """
)
# A file that marks its folder as a cache (bford.info/cachedir) or as a Python environment.
GENERATED_MARKS = ("CACHEDIR.TAG", "pyvenv.cfg")


@dataclass(frozen=True)
class Tree:
    """Relative names with `/`: `paths` in the order of importance, folder by folder.

    One that ends in `/` is a repository of its own. `left_out` says in words what was not even listed.
    """

    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def list_tree(root: Path, paths: Sequence[str], limit: int) -> Tree:
    """The files of the project in `root`, or of its parts `paths`; a walk stops after `limit` files.

    In a repository: the tracked ones, then those that are neither tracked nor ignored. A home folder, or one above it,
    is not a project: it is listed only when it is small, and without hidden files.
    """
    if not paths and _holds_home(root):
        return _home(root)
    listing = worktree.list_files(root, paths)
    if isinstance(listing, worktree.Listing):
        if listing.tracked or listing.untracked or listing.top == root:
            return _known_to_git(listing)
        return _walked(root, paths, limit, "the repository above knows no file of this folder")
    return _walked(root, paths, limit, f"git: {listing.message}" if listing else "")


def _known_to_git(listing: worktree.Listing) -> Tree:
    skipped = {p: s for p in listing.untracked if (s := GENERATED.intersection(p.split("/")[:-1]))}
    own = [p for p in listing.untracked if p not in skipped]
    ordered = dict.fromkeys([*sorted(listing.tracked, key=_by_folder), *sorted(own, key=_by_folder)])
    return Tree(tuple(ordered), _generated({name for names in skipped.values() for name in names}))


def _by_folder(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name


def _walked(root: Path, paths: Sequence[str], limit: int, why: str) -> Tree:
    walk = Walk(root)
    every = (path for start in paths or ("",) for path in walk.files(start))
    found = list(dict.fromkeys(islice(every, limit + 1)))
    unapplied = (f"nothing by ignore rules ({why})",) if why else ()
    stopped = (f"all after the first {limit} files (narrow it with --view PATH)",) if len(found) > limit else ()
    return Tree(tuple(found[:limit]), (*unapplied, *stopped, *_generated(walk.skipped)))


def _home(root: Path) -> Tree:
    found = tuple(islice(Walk(root, hidden=False).files(""), HOME_LIMIT + 1))
    return Tree((), (_TOO_WIDE,)) if len(found) > HOME_LIMIT else Tree(found, ("hidden files of a home folder",))


def _holds_home(root: Path) -> bool:
    try:
        return Path(os.path.realpath(Path.home())).is_relative_to(root)
    except RuntimeError:
        return root.parent == root


def _generated(names: set[str]) -> tuple[str, ...]:
    return (f"packages and caches: {', '.join(sorted(names))}",) if names else ()


class Walk:
    """Walks folders without following links. `skipped` gathers the names of generated folders that were passed by."""

    def __init__(self, root: Path, *, hidden: bool = True) -> None:
        self._root = root
        self._hidden = hidden
        self.skipped: set[str] = set()

    def files(self, start: str) -> Iterator[str]:
        """Relative names of everything that is no folder, and of folders that are cleaned away whole."""
        if start and not (self._root / start).is_dir():
            yield start
            return
        waiting = [start]
        while waiting:
            folders: list[str] = []
            for entry, path in self._seen(waiting.pop()):
                if not entry.is_dir(follow_symlinks=False) or cleaning.match(path):
                    yield path
                elif not self._is_generated(entry):
                    folders.append(path)
            waiting.extend(reversed(folders))

    def _seen(self, folder: str) -> "Iterator[tuple[os.DirEntry[str], str]]":
        for entry in _entries(self._root / folder):
            if self._hidden or not entry.name.startswith("."):
                yield entry, f"{folder}/{entry.name}" if folder else entry.name

    def _is_generated(self, entry: "os.DirEntry[str]") -> bool:
        marked = entry.name in GENERATED or any(os.path.lexists(f"{entry.path}/{mark}") for mark in GENERATED_MARKS)
        if marked:
            self.skipped.add(entry.name)
        return marked


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
