"""One debate's place on disk: its file, written whole or not at all, its calls beside it, and the lock on both."""

import re
import secrets
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from state.clean import visible
from state.document import BadState, encoded, read
from state.files import is_draft, private_folder, read_text, replace_file
from state.lock import Held, Lock
from state.models import Key, TurnStarted
from state.paths import inside_repository
from state.record import Record
from state.redact import redact, secrets_of

OUTPUT_LIMIT = 64_000
"""How many bytes of a failed call's output are kept of each stream: the first and the last half."""
_MARGIN = 8_000  # looked at beyond that, so that no secret is cut in half before it is found
LAST = "last-debate.json"
SHELF = "debate"
HISTORY = "history"
_PROMPT, _COMMAND, _STDOUT, _STDERR = _KEPT = (".prompt.md", ".command.sh", ".stdout", ".stderr")


class NotSaved(Exception):
    """The state could not be written. The last good file is as it was."""

    def __init__(self, path: Path, error: OSError, size: int = 0) -> None:
        why = (error.strerror or str(error)).lower()
        what = f" ({size:,} bytes to write)" if size else ""
        super().__init__(f"The state could not be saved: {path}: {why}{what}.")


class InUse(Exception):
    """Another process is playing this debate."""

    def __init__(self, path: Path, pid: int) -> None:
        super().__init__(f"{path} is in use by {f'pid {pid}' if pid else 'another process'}. Wait until it ends.")


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
    _lock: Lock | None = field(default=None, repr=False)
    _is_new: bool = field(default=True, repr=False)

    @property
    def places(self) -> tuple[Path, ...]:
        """Where this debate is kept: its file, its calls, the shelf. No participant gets to see them."""
        return self.path, self.calls, self.last.parent

    def hold(self) -> None:
        """Take the lock until `release` or the end of the process. Raises InUse, NotSaved."""
        try:
            with _as_not_saved(self.calls):
                self._lock = Lock(self.calls / "lock")
        except Held as other:
            raise InUse(self.path, other.pid) from None
        with suppress(OSError):
            _draft(self.path).unlink(missing_ok=True)  # of a process that died while saving

    def release(self) -> None:
        """Let go of the debate."""
        if self._lock:
            self._lock.release()
            self._lock = None

    def draft_of_copy(self, ident: str) -> Path:
        """What becomes `last-debate.json` when this debate is saved."""
        return self.last.with_name(f".{LAST}.{ident}.tmp")

    def save(self, record: Record) -> None:
        """Write the record, and the copy `last-debate.json` while no later debate was started. Raises NotSaved.

        What was paid for is on disk when this returns; that a call was begun need not be. The copy may fail: it only
        leads to the file, and is written again at the next event.
        """
        data = encoded(record)
        with _as_not_saved(self.path, len(data)):
            durable = not isinstance(record.events[-1], TurnStarted)
            replace_file(self.path, data, draft=_draft(self.path), durable=durable)
        with suppress(OSError):
            if self._is_new or not _is_later(read_text(self.last, 500), record.id):
                replace_file(self.last, data, draft=self.draft_of_copy(record.id), durable=False)
                self._is_new = False

    def keep_prompt(self, key: Key, prompt: str) -> None:
        """Keep what a participant was asked. Raises NotSaved."""
        self._keep(key, _PROMPT, prompt.encode("utf-8", "replace"))

    def keep_output(self, key: Key, argv: tuple[str, ...], stdout: bytes, stderr: bytes) -> str:
        """Keep what a failed call printed, shortened and redacted, and its command to be tried by hand.

        Returns the path that these files begin with. Raises NotSaved.
        """
        begin = self.calls / _name(key)
        by_hand = f"{shlex.join(argv)} < {shlex.quote(f'{begin}{_PROMPT}')}\n"
        self._keep(key, _COMMAND, self._presentable(by_hand.encode("utf-8", "replace")))
        self._keep(key, _STDOUT, self._presentable(stdout))
        self._keep(key, _STDERR, self._presentable(stderr))
        return str(begin)

    def _presentable(self, data: bytes) -> bytes:
        """The two ends of what was printed, without secrets, and with control characters shown as symbols."""
        half = OUTPUT_LIMIT // 2
        ends = [data] if len(data) <= OUTPUT_LIMIT else [data[: half + _MARGIN], data[-half - _MARGIN :]]
        texts = [visible(redact(end.decode("utf-8", "replace"), self.hidden)[0]) for end in ends]
        if len(texts) > 1:
            left_out = f"\n[... {len(data) - OUTPUT_LIMIT} bytes left out ...]\n"
            texts = [texts[0][:half], left_out, texts[1][-half:]]
        return "".join(texts).encode("utf-8", "replace")

    def _keep(self, key: Key, ending: str, data: bytes) -> None:
        path = self.calls / f"{_name(key)}{ending}"
        with _as_not_saved(path, len(data)):
            replace_file(path, data, durable=False)


@contextmanager
def _as_not_saved(path: Path, size: int = 0) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise NotSaved(path, error, size) from None


def _name(key: Key) -> str:
    return re.sub(r"[^\w.+-]", "_", f"{key.step}.{key.seat}.{key.attempt}")


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp")


def _is_later(head: str, ident: str) -> bool:
    """Whether the file that begins like this holds a debate that was started after this one."""
    found = re.search(r'"id": "\w+-([^"]+)"', head)
    return bool(found) and found[1] > ident.partition("-")[2]


def new_id(kind: str = "debate") -> str:
    """A name for a new deliberation: when it began, and four random digits."""
    return f"{kind}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def new_store(ident: str, folder: Path, environ: Mapping[str, str]) -> Store:
    """A place for a new debate on the shelf `folder` (STATE/debate), held by us. Raises NotSaved, also when it is taken."""
    history = folder / HISTORY
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
    _check_is_a_place(file)
    calls = calls_of(file)
    if not calls.exists():
        _check_is_replaceable(file)  # refused before anything is made
    with suppress(OSError):
        prepare(folder)  # only the copy lies there
    with _as_not_saved(calls):
        private_folder(calls)
    store = Store(file, calls, folder / LAST, secrets_of(environ))
    store.hold()
    try:
        _check_is_replaceable(file)
    except BadState:
        store.release()
        raise
    clear(calls)
    return store


def calls_of(file: Path) -> Path:
    """Where the calls of a debate lie: beside its file, under the name that its place asks for."""
    on_shelf = file.parent.name == HISTORY and file.parent.parent.name == SHELF
    return file.with_suffix(".calls") if on_shelf else file.with_name(f"{file.name}.calls")


def prepare(folder: Path) -> None:
    """Make the shelf; where it lies inside a repository, git is told to ignore it. Raises OSError."""
    private_folder(folder)
    private_folder(folder / HISTORY)
    ignore = folder / ".gitignore"
    if inside_repository(folder) and not ignore.exists():
        replace_file(ignore, b"*\n", durable=False)


def clear(calls: Path) -> None:
    """Delete what `Store` keeps in this folder, drafts of it too, and nothing else that may lie there."""
    for path in calls.iterdir():
        if path.name.endswith(_KEPT) or is_draft(path):
            with suppress(OSError):
                path.unlink()


def _check_is_a_place(file: Path) -> None:
    if file.is_symlink():
        raise BadState(file, "it is a link", "Name the file itself.")
    if not file.parent.is_dir():
        raise BadState(file, "its folder does not exist", f"Make it first: mkdir -p {file.parent}")
    if file.exists() and not file.is_file():
        raise BadState(file, "it is not a file", "Name a file.")


def _check_is_replaceable(file: Path) -> None:
    """A finished debate of ours, or an empty file, may be replaced; nothing else may."""
    if not file.exists() or not file.stat().st_size:
        return
    record = read(file)
    if record.status not in ("completed", "abandoned", "aborted"):
        what = f"it holds a debate that is not finished ({record.status})"
        raise BadState(file, what, f"Go on with it: debate resume {file}, or name another file.")
