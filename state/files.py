"""Writing files so that a crash, a full disk or a stranger's link costs nothing: whole or not at all, private, on disk."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write `data` to `path` (0600) by way of a neighbour that takes its place. A link there is replaced, not followed.

    Raises OSError; then the old file is as it was and nothing of the new one is left.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        write_new(draft, data)
        draft.replace(path)
        _sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def write_new(path: Path, data: bytes) -> None:
    """Write `data` to a file that must not exist yet (0600), and wait until it is on disk. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def private_folder(path: Path) -> None:
    """Make a folder that only we can enter, and those above it that are missing. One that is there is made private."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
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
