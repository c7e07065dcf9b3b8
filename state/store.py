"""One debate's place on disk: its file, written whole or not at all, its calls beside it, and the lock on both."""

import os
import re
import secrets
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from state.document import BadState, encoded, load
from state.files import private_folder, read_text, replace_file
from state.models import Key
from state.paths import inside_repository
from state.record import Record
from state.redact import redact, secrets_of

if TYPE_CHECKING:
    from filelock import BaseFileLock

OUTPUT_LIMIT = 64_000
"""How many bytes of a failed call's output are kept of each stream: the first and the last half."""
LAST = "last-debate.json"


class NotSaved(Exception):
    """The state could not be written. The last good file is as it was."""

    def __init__(self, path: Path, error: OSError, size: int = 0) -> None:
        why = (error.strerror or str(error)).lower()
        what = f" ({size:,} bytes to write)" if size else ""
        super().__init__(f"The state could not be saved: {path}: {why}{what}.")


class InUse(Exception):
    """Another process is playing this debate."""

    def __init__(self, path: Path, pid: str) -> None:
        super().__init__(f"{path} is in use by {f'pid {pid}' if pid else 'another process'}.")


@dataclass
class Store:
    """The place of one debate.

    `path`: its file. `calls`: the folder with prompts and the raw output of failed calls. `last`: where the copy of the
    debate that was started last lies. `hidden`: values that must never be written.
    """

    path: Path
    calls: Path
    last: Path
    hidden: tuple[str, ...] = ()
    _lock: "BaseFileLock | None" = field(default=None, repr=False)
    _is_new: bool = field(default=True, repr=False)

    def hold(self) -> None:
        """Take the lock until `release` or the end of the process. InUse when another process has it."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.calls / "lock", mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise InUse(self.path, read_text(self.calls / "pid").strip()) from None
        self._lock = lock
        with suppress(OSError):
            replace_file(self.calls / "pid", f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let go of the debate."""
        with suppress(OSError):
            (self.calls / "pid").unlink(missing_ok=True)
        if self._lock:
            self._lock.release()
            self._lock = None

    def save(self, record: Record) -> None:
        """Write the record, and the copy `last-debate.json` while no later debate was started. Raises NotSaved."""
        data = encoded(record)
        with _as_not_saved(self.path, len(data)):
            replace_file(self.path, data)
        with _as_not_saved(self.last, len(data)):
            if self._is_new or f'"{record.id}"' in read_text(self.last, 500):
                replace_file(self.last, data)
            self._is_new = False

    def keep_prompt(self, key: Key, prompt: str) -> None:
        """Keep what a participant was asked. Raises NotSaved."""
        self._keep(key, "prompt.md", prompt.encode("utf-8", "replace"))

    def keep_output(self, key: Key, argv: tuple[str, ...], stdout: bytes, stderr: bytes) -> str:
        """Keep what a failed call printed, shortened and redacted, and its command to be tried by hand.

        Returns the path that these files begin with. Raises NotSaved.
        """
        begin = self.calls / _name(key)
        by_hand = f"{shlex.join(argv)} < {shlex.quote(f'{begin}.prompt.md')}\n"
        self._keep(key, "command.sh", self._presentable(by_hand.encode("utf-8", "replace")))
        self._keep(key, "stdout", self._presentable(stdout))
        self._keep(key, "stderr", self._presentable(stderr))
        return str(begin)

    def _presentable(self, data: bytes) -> bytes:
        text, _ = redact(_shortened(data).decode("utf-8", "replace"), self.hidden)
        return text.encode("utf-8", "replace")

    def _keep(self, key: Key, ending: str, data: bytes) -> None:
        path = self.calls / f"{_name(key)}.{ending}"
        with _as_not_saved(path, len(data)):
            replace_file(path, data)


@contextmanager
def _as_not_saved(path: Path, size: int = 0) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotSaved(path, error, size) from None


def _name(key: Key) -> str:
    return re.sub(r"[^\w.+-]", "_", f"{key.step}.{key.seat}.{key.attempt}")


def _shortened(data: bytes) -> bytes:
    if len(data) <= OUTPUT_LIMIT:
        return data
    half = OUTPUT_LIMIT // 2
    return data[:half] + f"\n[... {len(data) - OUTPUT_LIMIT} bytes left out ...]\n".encode() + data[-half:]


def new_id(kind: str = "debate") -> str:
    """A name for a new deliberation: when it began, and four random digits."""
    return f"{kind}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def new_store(ident: str, folder: Path, environ: Mapping[str, str]) -> Store:
    """A place for a new debate on the shelf `folder` (STATE/debate), held by us. Raises NotSaved, also when it is taken."""
    history = folder / "history"
    with _as_not_saved(history):
        prepare(folder)
        (history / f"{ident}.calls").mkdir(mode=0o700)
    store = Store(history / f"{ident}.json", history / f"{ident}.calls", folder / LAST, secrets_of(environ))
    store.hold()
    return store


def file_store(file: Path, folder: Path, environ: Mapping[str, str]) -> Store:
    """A place for a new debate in the file that `--state` names, held by us.

    Raises BadState where that would destroy something, InUse when another debate is being played there, NotSaved.
    """
    _check_is_no_link(file)
    calls = file.with_name(f"{file.name}.calls")
    with _as_not_saved(calls):
        prepare(folder)
        private_folder(calls)
    store = Store(file, calls, folder / LAST, secrets_of(environ))
    store.hold()
    try:
        _check_is_replaceable(file)
    except BadState:
        store.release()
        raise
    _clear(calls)
    return store


def prepare(folder: Path) -> None:
    """Make the shelf; where it lies inside a repository, git is told to ignore it. Raises OSError."""
    private_folder(folder)
    private_folder(folder / "history")
    ignore = folder / ".gitignore"
    if inside_repository(folder) and not ignore.exists():
        replace_file(ignore, b"*\n")


def _check_is_no_link(file: Path) -> None:
    if file.is_symlink():
        raise BadState(file, "it is a link", "Name the file itself.")
    if not file.parent.is_dir():
        raise BadState(file, "its folder does not exist", f"Make it first: mkdir -p {file.parent}")
    if file.exists() and not file.is_file():
        raise BadState(file, "it is not a file", "Name a file.")


def _check_is_replaceable(file: Path) -> None:
    """A finished debate of ours may be replaced; nothing else may."""
    if not file.exists():
        return
    record = load(file.read_bytes(), file)
    if record.status not in ("completed", "abandoned", "aborted"):
        what = f"it holds a debate that is not finished ({record.status})"
        raise BadState(file, what, f"Go on with it: debate resume {file}, or name another file.")


def _clear(calls: Path) -> None:
    for path in calls.iterdir():
        if path.name not in ("lock", "pid"):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
