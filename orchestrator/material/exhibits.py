"""Exhibits: what `--context diff` and `--context file=PATH` put before every participant, read once at the opening."""

import codecs
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from adapters import worktree
from adapters.git import GitTrouble
from orchestrator.problem import Problem
from orchestrator.view.cleaning import is_secret
from orchestrator.view.contained import inside
from orchestrator.view.plain_reader import PlainReader, Unread
from state.clean import clean
from state.models import Exhibit

MAX_CHARACTERS = 100_000
MAX_BYTES = 16_000_000
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_exhibits(context: Sequence[str], root: Path) -> tuple[Exhibit, ...] | Problem:
    """The exhibits that the values of `--context` name (`none`, `diff`, `file=PATH`), or the first thing that is wrong.

    Each holds at most MAX_CHARACTERS and counts the rest. The text is cleaned; secrets are the caller's to redact.
    """
    wanted = tuple(dict.fromkeys(context))
    if "none" in wanted:
        return () if wanted == ("none",) else Problem("--context none cannot be combined with another --context.")
    exhibits: list[Exhibit] = []
    for value in wanted:
        exhibit = _read(value, root)
        if isinstance(exhibit, Problem):
            return exhibit
        exhibits.append(exhibit)
    return tuple(exhibits)


def _read(value: str, root: Path) -> Exhibit | Problem:
    if value == "diff":
        return _diff(root)
    kind, _, path = value.partition("=")
    if kind == "file" and path:
        return _file(path, root)
    return Problem(f"Unknown --context {value!r}. Use none, diff or file=PATH.")


def _diff(root: Path) -> Exhibit | Problem:
    found = worktree.uncommitted_changes(root, is_secret)
    if found is None:
        return Problem(f"--context diff needs a git repository, and {root} is not in one that can be read.")
    if isinstance(found, GitTrouble):
        return Problem(f"--context diff: git: {found.message}")
    note = f"[{len(found.left_out)} changed credential file(s) not shown]\n" if found.left_out else ""
    text = found.diff.decode("utf-8", "replace") or "No uncommitted changes in tracked files.\n"
    return _exhibit("diff", "uncommitted changes", note + text)


def _file(path: str, root: Path) -> Exhibit | Problem:
    real = inside(root, path)
    if real is None:
        return Problem(f"Path escapes project directory: {path}")
    name = real.relative_to(os.path.realpath(root)).as_posix()
    if is_secret(name) or is_secret(path.replace("\\", "/")):
        return Problem(f"Context file holds credentials and is not sent to other vendors: {path}")
    with PlainReader(root) as reader:
        content = reader.read(name, MAX_BYTES)
    if isinstance(content, Unread):
        return _unreadable(path, content)
    text = _text(content)
    return (
        Problem(f"Context file is not text in UTF-8 or UTF-16: {path}")
        if text is None
        else _exhibit("file", name, text)
    )


def _unreadable(path: str, why: Unread) -> Problem:
    if why is Unread.GONE:
        return Problem(f"Context file not found: {path}")
    if why is Unread.TOO_LARGE:
        return Problem(f"Context file is larger than {MAX_BYTES // 1_000_000} MB: {path}")
    return Problem(f"Context file cannot be read ({why}): {path}")


def _text(content: bytes) -> str | None:
    """The text, decoded as its byte order mark says, else as UTF-8; None when it is something else than text."""
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _exhibit(kind: Literal["diff", "file"], name: str, text: str) -> Exhibit:
    visible = clean(text)
    truncated = max(0, len(visible) - MAX_CHARACTERS)
    return Exhibit(kind=kind, name=name, text=visible[:MAX_CHARACTERS], truncated=truncated)
