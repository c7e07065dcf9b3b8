"""A program: one reading tool call inside the current folder. JSON on stdin, the result for the model on stdout.

It is a program of its own so that a call that takes too long, such as a regular expression that backtracks for
ever, can be ended from outside. It never leaves its folder, follows no link, and opens nothing but regular files.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

FILE_LIMIT = 4 * 1024 * 1024
SHOWN_LIMIT = 60_000
LINE_LIMIT = 400
LINES = 1000
NAMES_LIMIT = 500
MATCHES_LIMIT = 200
WALK_LIMIT = 200_000


class Refused(Exception):
    """Why there is no result, in words for the model."""


def run(name: str, arguments: dict[str, Any]) -> str:
    """The result of one call, or why there is none."""
    try:
        match name:
            case "read":
                return _read(
                    _text(arguments, "path"), _number(arguments, "offset", 1), _number(arguments, "limit", LINES)
                )
            case "glob":
                return _glob(_text(arguments, "pattern"))
            case "grep":
                return _grep(_text(arguments, "pattern"), _text(arguments, "path", ""), _text(arguments, "glob", ""))
            case _:
                return f"Error: there is no tool {name}. Tools: read, glob, grep."
    except Refused as refused:
        return f"Error: {refused}"


def _read(path: str, offset: int, limit: int) -> str:
    lines = _content(_inside(path), path).splitlines()
    shown, size = [], 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], offset):
        text = f"{number}: {_cut(line)}"
        size += len(text) + 1
        if size > SHOWN_LIMIT:
            break
        shown.append(text)
    last = offset + len(shown) - 1
    if not shown:
        return f"({path} has {len(lines)} lines)"
    more = f"\n({len(lines) - last} more lines: read on with offset {last + 1})" if last < len(lines) else ""
    return "\n".join(shown) + more


def _glob(pattern: str) -> str:
    matches = _matcher(pattern)
    found = []
    for path in _walk(""):
        if matches(path):
            found.append(path)
        if len(found) > NAMES_LIMIT:
            return "\n".join([*found[:NAMES_LIMIT], f"(more than {NAMES_LIMIT}: narrow the pattern)"])
    return "\n".join(found) or "(no file matches)"


def _grep(pattern: str, path: str, glob: str) -> str:
    try:
        sought = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        sought = re.compile(re.escape(pattern))
    matches = _matcher(glob) if glob else (lambda _path: True)
    found = []
    for file in _files(path):
        if matches(file):
            found += _lines_with(sought, file)
        if len(found) > MATCHES_LIMIT:
            return "\n".join([*found[:MATCHES_LIMIT], f"(more than {MATCHES_LIMIT}: narrow the search)"])
    return "\n".join(found) or "(nothing found)"


def _lines_with(sought: "re.Pattern[str]", file: str) -> list[str]:
    try:
        text = _content(_inside(file), file)
    except Refused:
        return []
    lines = enumerate(text.splitlines(), 1)
    return [f"{file}:{number}: {_cut(line)}" for number, line in lines if sought.search(line)][: MATCHES_LIMIT + 1]


def _files(path: str) -> Iterator[str]:
    inner = os.path.relpath(_inside(path), os.getcwd()) if path else "."
    if os.path.isfile(inner):
        yield PurePosixPath(inner).as_posix()
    else:
        yield from _walk("" if inner == "." else PurePosixPath(inner).as_posix())


def _inside(path: str) -> str:
    """Where a path leads, which must be inside the folder with no link on the way."""
    root = os.path.realpath(os.getcwd())
    if "\0" in path or len(path) > 4000:
        raise Refused("this is no path")
    full = os.path.normpath(os.path.join(root, path))
    if full != root and not full.startswith(root + os.sep):
        raise Refused(f"{path} is outside the project; paths are relative to its folder")
    try:
        real = os.path.realpath(full)
    except OSError:
        raise Refused(f"{path} cannot be read") from None
    if real != full:
        raise Refused(f"{path} is a link, and links are not followed")
    return full


def _content(full: str, path: str) -> str:
    try:
        descriptor = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise Refused(f"{path} does not exist") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror})") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise Refused(f"{path} is {'a folder: list it with glob' if stat.S_ISDIR(mode) else 'no regular file'}")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise Refused(f"{path} is larger than {FILE_LIMIT:,} bytes")
    if b"\0" in data[:8192]:
        raise Refused(f"{path} is not text")
    return data.decode("utf-8", "replace")


def _walk(start: str) -> Iterator[str]:
    """Relative names of the regular files below a folder, in order, links left out."""
    waiting, seen = [start], 0
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder or ".") as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        folders = []
        for entry in ordered:
            seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                folders += [path] if path != ".git" else []
            elif entry.is_file(follow_symlinks=False):
                yield path
        if seen > WALK_LIMIT:
            return
        waiting += reversed(folders)


def _matcher(pattern: str) -> Any:
    """Whether a path matches: `*` and `?` within a name, `**` for any folders; a bare name matches at any depth."""
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise Refused(f"{pattern} is outside the project; patterns are relative to its folder")
    pattern = pattern.removeprefix("./")
    deep = pattern if "/" in pattern else f"**/{pattern}"
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", re.sub(r"\*{3,}", "**", deep))
    words = {"**/": "(?:[^/]*/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(words.get(piece) or re.escape(piece) for piece in pieces)).fullmatch


def _text(arguments: dict[str, Any], name: str, default: str | None = None) -> str:
    value = arguments.get(name)
    if not value and default is not None:
        return default
    if not isinstance(value, str) or not value:
        raise Refused(f"{name} is missing, or no text")
    return value


def _number(arguments: dict[str, Any], name: str, default: int) -> int:
    value = arguments.get(name)
    if value is None:
        return default
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | str)
        or not str(value).isdigit()
        or int(value) < 1
    ):
        raise Refused(f"{name} is a number from 1 on")
    return int(value)


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LIMIT else f"{line[:LINE_LIMIT]}… ({len(line)} characters)"


def main() -> None:
    """Reads one call from stdin and prints its result."""
    asked = json.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(run(asked["name"], asked["arguments"]).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
