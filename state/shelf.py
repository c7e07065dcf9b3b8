"""The shelf of debates: listing, finding and deleting them. A broken file never hides the others."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from state import document
from state.document import BadState
from state.lock import is_held
from state.record import Record
from state.redact import secrets_of
from state.store import HISTORY, LAST, Store, calls_of, clear

_ID = re.compile(r"[a-z]+-\d{8}T\d{6}Z-[0-9a-f]{4,}")


@dataclass(frozen=True)
class Entry:
    """A debate on the shelf; `record` is None and `problem` set where its file cannot be read."""

    path: Path
    record: Record | None
    problem: BadState | None = None

    @property
    def id(self) -> str:
        return self.path.stem


def entries(folder: Path) -> Iterator[Entry]:
    """Every debate on the shelf `folder` (STATE/debate), the newest first."""
    for path in sorted(_files(folder), key=_started, reverse=True):
        try:
            yield Entry(path, read(path))
        except BadState as problem:
            yield Entry(path, None, problem)


def read(path: Path) -> Record:
    """The record in this file. Raises BadState, which names a whole copy where there is one."""
    try:
        return document.read(path)
    except BadState as problem:
        copy = path.parent.parent / LAST
        if path.parent.name == HISTORY and _holds(copy, path.stem):
            raise BadState(path, problem.reason, f"A whole copy lies there, put it in place: {copy}") from None
        raise


def locate(name: str, folder: Path, cwd: Path) -> Path:
    """The file that `last`, an ID (as `debate list` shows it) or a path names. Raises BadState when there is none.

    `last` is the debate that was started last, wherever its file lies: of a debate kept by --state that is its copy's
    own note, else the file on the shelf. The path of the copy itself means the same.
    """
    if name == "last":
        return _last(folder)
    path = folder / HISTORY / f"{name}.json"
    if _ID.fullmatch(name) or (Path(name).name == name and path.exists()):
        return _last(folder) if not path.exists() and _holds(folder / LAST, name) else path
    path = Path(os.path.realpath(cwd / os.path.expanduser(name)))
    return _last(path.parent) if path.name == LAST and (path.parent / HISTORY).is_dir() else path


def _last(folder: Path) -> Path:
    copy = folder / LAST
    if not copy.exists():
        raise BadState(copy, "no debate was started yet", 'Start one: debate "your topic"')
    try:
        record = document.read(copy)
    except BadState:
        newest = max(_files(folder), key=_started, default=None)
        if newest is None:
            raise
        return newest
    kept = record.opened.state_file
    return Path(kept) if kept else folder / HISTORY / f"{record.id}.json"


def store_of(path: Path, folder: Path, environ: Mapping[str, str]) -> Store:
    """The place of a debate that exists, held by us. Raises BadState, InUse, NotSaved."""
    if not path.is_file():
        raise BadState(path, "there is no such file", "See `debate list`.")
    return _held(path, folder, environ)


def _held(path: Path, folder: Path, environ: Mapping[str, str]) -> Store:
    calls = calls_of(path)
    with suppress(OSError):
        calls.mkdir(mode=0o700, exist_ok=True)
    store = Store(path, calls, folder / LAST, secrets_of(environ), _is_new=False)
    store.hold()
    return store


def is_playing(path: Path) -> bool:
    """Whether a process holds this debate now."""
    return is_held(calls_of(path) / "lock")


def forget(path: Path, folder: Path) -> str:
    """Delete a debate with its calls, and the copy of it; its ID. What is left of a broken one goes by its name.

    Raises BadState for a file that is none of ours, InUse, NotSaved.
    """
    ident = path.stem if path.parent == folder / HISTORY else document.read(path).id
    only_calls = not path.exists() and calls_of(path).is_dir()
    store = _held(path, folder, {}) if only_calls else store_of(path, folder, {})
    copy = folder / LAST
    if _holds(copy, path.stem) or _is_kept_at(copy, path):
        copy.unlink(missing_ok=True)
    store.draft_of_copy(ident).unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    store.release()
    _remove(store.calls)
    return ident


def everything(folder: Path) -> list[Path]:
    """The file of each debate on the shelf, the oldest first, also of one that left nothing but its calls."""
    found = {*_files(folder), *(path.with_suffix(".json") for path in (folder / HISTORY).glob("*.calls"))}
    return sorted(found, key=_started)


def older_than(folder: Path, age: timedelta) -> list[Path]:
    """The debates that were opened longer ago than this, by their names: a file that cannot be read counts too."""
    limit = f"{datetime.now(UTC) - age:%Y%m%dT%H%M%SZ}"
    return [path for path in everything(folder) if _ID.fullmatch(path.stem) and _started(path) < limit]


def _files(folder: Path) -> list[Path]:
    return list((folder / HISTORY).glob("*.json"))


def _remove(calls: Path) -> None:
    """What is not ours stays, and the folder with it."""
    clear(calls)
    (calls / "lock").unlink(missing_ok=True)
    with suppress(OSError):
        calls.rmdir()


def _started(path: Path) -> str:
    """When the debate in this file was opened, as far as its name tells: sorts by time, whatever the format."""
    return path.stem.partition("-")[2]


def _holds(copy: Path, ident: str) -> bool:
    with suppress(BadState):
        return document.read(copy).id == ident
    return False


def _is_kept_at(copy: Path, path: Path) -> bool:
    with suppress(BadState):
        return document.read(copy).opened.state_file == str(path)
    return False
