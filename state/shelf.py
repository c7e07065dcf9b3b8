"""The shelf of debates: listing, finding and deleting them. A broken file never hides the others."""

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from state.document import BadState, load
from state.record import Record
from state.files import read_text
from state.redact import secrets_of
from state.store import LAST, Store

CALLS = ".calls"
_ID = re.compile(r"[a-z]+-\d{8}T\d{6}Z-[0-9a-f]{4,}")
_HEAD_BYTES = 500
"""Within how many bytes a file of ours names its debate."""


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
    for path in sorted((folder / "history").glob("*.json"), reverse=True):
        try:
            yield Entry(path, read(path))
        except BadState as problem:
            yield Entry(path, None, problem)


def read(path: Path) -> Record:
    """The record in this file. Raises BadState."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadState(path, (error.strerror or str(error)).lower(), "See `debate list`.") from None
    return load(data, path)


def locate(name: str, folder: Path, cwd: Path) -> Path:
    """The file that `last`, an ID (as `debate list` shows it) or a path names. Raises BadState when there is none.

    `last` is the debate that was started last, wherever its file lies: of a debate kept by --state that is its copy's
    own note, else the file on the shelf.
    """
    if name == "last":
        return _last(folder)
    path = folder / "history" / f"{name}.json"
    if not (_ID.fullmatch(name) or (Path(name).name == name and path.exists())):
        return cwd / Path(name).expanduser()
    elsewhere = not path.exists() and f'"{name}"' in read_text(folder / LAST, _HEAD_BYTES)
    return _last(folder) if elsewhere else path


def _last(folder: Path) -> Path:
    copy = folder / LAST
    if not copy.exists():
        raise BadState(copy, "no debate was started yet", 'Start one: debate "your topic"')
    record = read(copy)
    kept = record.opened.state_file
    return Path(kept) if kept else folder / "history" / f"{record.id}.json"


def store_of(path: Path, folder: Path, environ: Mapping[str, str]) -> Store:
    """The place of a debate that exists, held by us. Raises InUse."""
    calls = calls_of(path, folder)
    calls.mkdir(mode=0o700, exist_ok=True)
    store = Store(path, calls, folder / LAST, secrets_of(environ), _is_new=False)
    store.hold()
    return store


def calls_of(path: Path, folder: Path) -> Path:
    """Where the calls of the debate in this file lie."""
    on_shelf = path.parent == folder / "history"
    return path.with_suffix(CALLS) if on_shelf else path.with_name(f"{path.name}{CALLS}")


def is_playing(path: Path, folder: Path) -> bool:
    """Whether a process holds this debate now. Nothing is made or changed for it: a shelf may be read-only."""
    from filelock import FileLock, Timeout

    lock = calls_of(path, folder) / "lock"
    if not lock.exists():
        return False
    try:
        with FileLock(lock, mode=0o600, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def forget(path: Path, folder: Path) -> str:
    """Delete a debate with its calls, and the copy of it; its ID. What is left of a broken one is deleted by its name.

    Raises InUse, OSError, and BadState for what is not there, or lies elsewhere and is no debate of ours.
    """
    ident = _ident(path, folder)
    store = store_of(path, folder, {})
    if f'"{ident}"' in read_text(store.last, _HEAD_BYTES):
        store.last.unlink()
    path.unlink(missing_ok=True)
    store.release()
    shutil.rmtree(store.calls)
    return ident


def _ident(path: Path, folder: Path) -> str:
    if path.parent != folder / "history":
        return read(path).id
    if not path.exists() and not calls_of(path, folder).exists():
        raise BadState(path, "there is no such debate", "See `debate list`.")
    return path.stem


def everything(folder: Path) -> list[Path]:
    """The file of each debate on the shelf, the oldest first, also of one that left nothing but its calls."""
    history = folder / "history"
    names = {path.stem for ending in (".json", CALLS) for path in history.glob(f"*{ending}")}
    return [history / f"{name}.json" for name in sorted(names)]


def older_than(folder: Path, age: timedelta) -> list[Path]:
    """The debates that were begun longer ago than this, by the time in their names."""
    limit = f"{datetime.now(UTC) - age:%Y%m%dT%H%M%SZ}"
    return [path for path in everything(folder) if _ID.fullmatch(path.stem) and path.stem.split("-")[1] < limit]
