"""The shelf of debates: listing, finding and deleting them. A broken file never hides the others."""

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from state.document import BadState, load
from state.record import Record
from state.redact import secrets_of
from state.store import LAST, InUse, Store

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
    """The file that `last`, an ID or a path names. Raises BadState when there is none.

    `last` is the debate that was started last, wherever its file lies: of a debate kept by --state that is its copy's
    own note, else the file on the shelf.
    """
    if name == "last":
        return _last(folder)
    if _ID.fullmatch(name):
        return folder / "history" / f"{name}.json"
    return cwd / Path(name).expanduser()


def _last(folder: Path) -> Path:
    copy = folder / LAST
    if not copy.exists():
        raise BadState(copy, "no debate was started yet", 'Start one: debate "your topic"')
    record = read(copy)
    kept = record.opened.state_file
    return Path(kept) if kept else folder / "history" / f"{record.id}.json"


def store_of(path: Path, folder: Path, environ: Mapping[str, str]) -> Store:
    """The place of a debate that exists, held by us. Raises InUse."""
    on_shelf = path.parent == folder / "history"
    calls = path.with_suffix(".calls") if on_shelf else path.with_name(f"{path.name}.calls")
    calls.mkdir(mode=0o700, exist_ok=True)
    store = Store(path, calls, folder / LAST, secrets_of(environ), _is_new=False)
    store.hold()
    return store


def is_playing(path: Path, folder: Path) -> bool:
    """Whether a process holds this debate now."""
    try:
        store_of(path, folder, {}).release()
    except (InUse, OSError):
        return True
    return False


def forget(path: Path, folder: Path) -> None:
    """Delete a debate with its calls, and the copy of it. Raises InUse, OSError."""
    store = store_of(path, folder, {})
    copy = folder / LAST
    if copy.exists() and f'"{path.stem}"' in copy.read_text("utf-8", "replace")[:500]:
        copy.unlink()
    path.unlink(missing_ok=True)
    store.release()
    shutil.rmtree(store.calls)


def older_than(folder: Path, age: timedelta) -> list[Path]:
    """The debates that were opened longer ago than this. A file that cannot be read counts by its name."""
    limit = f"{datetime.now(UTC) - age:%Y%m%dT%H%M%SZ}"
    found = [entry.path for entry in entries(folder)]
    return [path for path in found if (stamp := path.stem.split("-")[1:2]) and stamp[0] < limit]
