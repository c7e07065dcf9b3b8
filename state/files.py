"""Writing files so that a crash, a full disk or a stranger's link costs nothing: whole or not at all, private, on disk."""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DRAFT = ".tmp"


def replace_file(path: Path, data: bytes, *, draft: Path | None = None, durable: bool = True) -> None:
    """Write `data` to `path` (0600) by way of a draft that takes its place. A link there is replaced, not followed.

    `draft` lies on the same file system and is nobody else's (default: a neighbour with a random name). `durable` waits
    until all of it is on disk. Raises OSError; then the old file is as it was and nothing of the new one is left.
    """
    draft = draft or path.with_name(f".{path.name}.{secrets.token_hex(4)}{_DRAFT}")
    try:
        draft.unlink(missing_ok=True)
        write_new(draft, data, durable=durable)
        draft.replace(path)
        if durable:
            _sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def is_draft(path: Path) -> bool:
    """Whether a file has the name of a draft: a process that died while writing leaves one."""
    return path.name.startswith(".") and path.suffix == _DRAFT


def write_new(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write `data` to a file that must not exist yet (0600). Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if durable:
            os.fsync(file.fileno())


def private_folder(path: Path) -> None:
    """Make a folder that only we can enter, and so those above it that are missing. One of ours is made private.

    Raises OSError, also where a link stands in its place: a repository could lead us elsewhere with it.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link")
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix" and path.stat().st_uid == os.getuid():
        path.chmod(0o700)


def read_text(path: Path, limit: int = -1) -> str:
    """What a file says, at most `limit` bytes of it; nothing when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
