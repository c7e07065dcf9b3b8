"""Reading regular files below a folder, through no link, whatever is swapped meanwhile."""

import errno
import os
import stat
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd


class Unread(StrEnum):
    """Why a file was not read."""

    LINK = "link"
    SPECIAL = "device, socket or pipe"
    FOLDER = "folder"
    TOO_LARGE = "too large"
    GONE = "gone"
    UNREADABLE = "unreadable"


class PlainReader:
    """Reads below `root`, where each folder on the way must be a real one: a link put in its place leads nowhere.

    The latest folder stays open, so that reading folder by folder is fast.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self._name: str | None = None
        self._folder: int | Unread = Unread.GONE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def read(self, path: str, limit: int) -> bytes | Unread:
        """The bytes of the file at this relative path (with `/`), if there are at most `limit`."""
        folder, _, name = path.rpartition("/")
        try:
            if not _BY_DESCRIPTOR:
                return self._read_by_name(path, limit)
            if folder != self._name:
                self._enter(folder)
            return self._folder if isinstance(self._folder, Unread) else _read(name, limit, self._folder)
        except (OSError, ValueError) as error:
            return _unread(error)

    def _enter(self, folder: str) -> None:
        self._leave()
        self._name = folder
        try:
            self._folder = _open_folder(self._root, folder.split("/") if folder else [])
        except (OSError, ValueError) as error:
            self._folder = _unread(error)

    def _leave(self) -> None:
        if not isinstance(self._folder, Unread):
            os.close(self._folder)
        self._folder = Unread.GONE

    def _read_by_name(self, path: str, limit: int) -> bytes | Unread:
        whole = Path(self._root, path)
        return _read(str(whole), limit, None) if os.path.realpath(whole.parent) == str(whole.parent) else Unread.LINK


def _open_folder(root: str, names: list[str]) -> int:
    flags = _OPEN | os.O_DIRECTORY
    folder = os.open(root, flags)
    for name in names:
        try:
            below = os.open(name, flags, dir_fd=folder)
        finally:
            os.close(folder)
        folder = below
    return folder


def _read(name: str, limit: int, folder: int | None) -> bytes | Unread:
    # Looked at before it is opened: to open a device or a pipe can already do something.
    if reason := _kind(os.stat(name, dir_fd=folder, follow_symlinks=False), limit):
        return reason
    descriptor = os.open(name, _OPEN, dir_fd=folder)
    try:
        if reason := _kind(os.fstat(descriptor), limit):
            return reason
        return _all(descriptor, limit)
    finally:
        os.close(descriptor)


def _all(descriptor: int, limit: int) -> bytes | Unread:
    content = b""
    while piece := os.read(descriptor, limit + 1 - len(content)):
        content += piece
        if len(content) > limit:
            return Unread.TOO_LARGE
    return content


def _kind(found: os.stat_result, limit: int) -> Unread | None:
    if stat.S_ISREG(found.st_mode):
        return Unread.TOO_LARGE if found.st_size > limit else None
    if stat.S_ISLNK(found.st_mode):
        return Unread.LINK
    return Unread.FOLDER if stat.S_ISDIR(found.st_mode) else Unread.SPECIAL


def _unread(error: Exception) -> Unread:
    number = error.errno if isinstance(error, OSError) else None
    if number in {errno.ELOOP, errno.ENOTDIR}:
        return Unread.LINK
    return Unread.GONE if number == errno.ENOENT else Unread.UNREADABLE
