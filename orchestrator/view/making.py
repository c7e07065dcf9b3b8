"""Making a view: list, clean, copy, and take its hash."""

import errno
import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.problem import Problem
from orchestrator.view import cleaning
from orchestrator.view.contained import inside
from orchestrator.view.home import remove_view
from orchestrator.view.left_out import BEYOND, LeftOut, Limits
from orchestrator.view.plain_reader import PlainReader, Unread
from orchestrator.view.tree import list_tree
from state.models import View

# What the file system of the view may refuse for a single name: taken already in another case, too long, not allowed.
_NOT_STORABLE = {errno.EEXIST, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.ENOTDIR}
DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Made:
    """A view that was made: its note for the record, the folder, and how long it took in seconds."""

    view: View
    folder: Path
    seconds: float


def make_view(
    root: Path, target: Path, paths: Sequence[str] = (), exclude: Sequence[Path] = (), limits: Limits = DEFAULT_LIMITS
) -> Made | Problem:
    """Copy the project in `root` into the new folder `target` (0700; files 0400), with an empty repository of its own.

    `paths` narrows it to parts of the project; `exclude` names files and folders of ours that are never copied.
    """
    began = time.perf_counter()
    root = Path(os.path.realpath(root))
    parts = _parts(root, paths)
    if isinstance(parts, Problem):
        return parts
    tree = list_tree(root, parts, limits.files)
    left_out = LeftOut()
    wanted = _cleaned(tree.paths, left_out, _below(root, (*exclude, target)))
    try:
        target.mkdir(mode=0o700, parents=True)
    except OSError as error:
        return _unwritable(target, error)
    try:
        contents, size = _copy(PlainReader(root), wanted, target, limits, left_out)
        _add_repository(target)
    except OSError as error:
        remove_view(target)
        return _unwritable(target, error)
    words = (*left_out.in_words(limits), *tree.left_out, *_empty_parts(parts, contents))
    view = View(digest=_digest(contents), files=len(contents), bytes=size, paths=parts, left_out=words)
    return Made(view, target, time.perf_counter() - began)


def view_digest(folder: Path) -> str:
    """The digest of a view that lies on the disk, to tell whether it still holds what it held."""
    contents: dict[str, bytes] = {}
    with PlainReader(folder) as reader:
        for path in _files_of(folder):
            content = reader.read(path, Limits().total)
            contents[path] = hashlib.sha256(b"" if isinstance(content, Unread) else content).digest()
    return _digest(contents)


def _parts(root: Path, paths: Sequence[str]) -> tuple[str, ...] | Problem:
    """The parts of the project as relative names; none when the whole project is meant."""
    if not root.is_dir():
        return Problem(f"The folder does not exist: {root}")
    parts: list[str] = []
    for path in paths:
        real = inside(root, path)
        if real is None:
            return Problem(f"Path escapes project directory: {path}")
        if not real.exists():
            return Problem(f"View path not found: {path}")
        parts.append(real.relative_to(root).as_posix())
    return () if "." in parts else tuple(dict.fromkeys(parts))


def _below(root: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    real = (Path(os.path.realpath(path)) for path in paths)
    return tuple(path.relative_to(root).as_posix() for path in real if path.is_relative_to(root))


def _cleaned(paths: Iterable[str], left_out: LeftOut, ours: tuple[str, ...]) -> Iterator[str]:
    """The paths that participants may see."""
    ours_below = tuple(f"{name}/" for name in ours)
    for path in paths:
        if path in ours or path.startswith(ours_below):
            continue
        if found := cleaning.match(path):
            left_out.match(found)
        else:
            yield path


def _copy(
    reader: PlainReader, paths: Iterable[str], target: Path, limits: Limits, left_out: LeftOut
) -> tuple[dict[str, bytes], int]:
    """Copy the files; the hash of each copy's content, and the bytes in all."""
    contents: dict[str, bytes] = {}
    folders = {""}
    size = 0
    with reader:
        for path in paths:
            content = Unread.FOLDER if path.endswith("/") else reader.read(path, limits.file)
            if isinstance(content, Unread):
                left_out.add(content)
            elif len(contents) >= limits.files or size + len(content) > limits.total:
                left_out.add(BEYOND)
            elif _stored(target, path, content, folders):
                contents[path] = hashlib.sha256(content).digest()
                size += len(content)
            else:
                left_out.add(Unread.UNREADABLE)
    return contents, size


def _stored(target: Path, path: str, content: bytes, folders: set[str]) -> bool:
    """Write the file; whether its name can be stored. That nothing at all can be written is raised."""
    try:
        _make_folder(target, path.rpartition("/")[0], folders)
        _write(f"{target}/{path}", content)
    except OSError as error:
        if error.errno in _NOT_STORABLE:
            return False
        raise
    return True


def _make_folder(target: Path, folder: str, made: set[str]) -> None:
    if folder not in made:
        _make_folder(target, folder.rpartition("/")[0], made)
        Path(f"{target}/{folder}").mkdir(0o700)
        made.add(folder)


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o400)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        left = memoryview(content)
        while left:
            left = left[file.write(left) :]


def _unwritable(target: Path, error: OSError) -> Problem:
    return Problem(f"The participants' copy of the project cannot be written: {error.strerror or error}: {target}")


def _empty_parts(parts: tuple[str, ...], contents: Iterable[str]) -> tuple[str, ...]:
    def holds(part: str) -> bool:
        return any(path == part or path.startswith(f"{part}/") for path in contents)

    return tuple(f"all of {part} (ignored by git, or cleaned away)" for part in parts if not holds(part))


def _add_repository(target: Path) -> None:
    """An empty repository, so that a vendor's search stops here and no ignore rule from above blinds it."""
    for name in (".git/objects", ".git/refs"):
        (target / name).mkdir(mode=0o700, parents=True)
    (target / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (target / ".git" / "config").write_bytes(b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def _digest(contents: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, content in sorted((os.fsencode(path), content) for path, content in contents.items()):
        whole.update(name + b"\0" + content)
    return whole.hexdigest()


def _files_of(folder: Path) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        if here == str(folder):
            folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            yield Path(here, name).relative_to(folder).as_posix()
