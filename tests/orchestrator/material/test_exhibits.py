"""Exhibits are read once, from inside the project, and only text that may go to every vendor."""

import codecs
import os
from pathlib import Path

import pytest

from orchestrator.material.exhibits import MAX_BYTES, MAX_CHARACTERS, read_exhibits
from orchestrator.problem import Problem
from state.models import Exhibit
from tests.repositories import git, hostile_repository, repository, write


def read(root: Path, *context: str) -> tuple[Exhibit, ...]:
    found = read_exhibits(context, root)
    assert isinstance(found, tuple), found
    return found


def problem(root: Path, *context: str) -> str:
    found = read_exhibits(context, root)
    assert isinstance(found, Problem), found
    return found.message


def test_none_and_nothing_give_no_exhibit_and_none_stands_alone(tmp_path: Path) -> None:
    assert read(tmp_path) == read(tmp_path, "none") == read(tmp_path, "none", "none") == ()
    assert "cannot be combined" in problem(tmp_path, "none", "diff")


@pytest.mark.parametrize("value", ["", "file", "file=", "patch", "diff=x", "File=a", "/etc/passwd"])
def test_an_unknown_context_is_named(tmp_path: Path, value: str) -> None:
    assert problem(tmp_path, value) == f"Unknown --context {value!r}. Use none, diff or file=PATH."


def test_files_and_the_diff_keep_their_order_and_are_given_once(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.txt": "1\n", "AGENTS.md": "be kind\n"})
    write(root, {"a.txt": "2\n"})
    found = read(root, "file=AGENTS.md", "diff", "file=./a.txt", "diff")
    assert [(e.kind, e.name) for e in found] == [
        ("file", "AGENTS.md"),
        ("diff", "uncommitted changes"),
        ("file", "a.txt"),
    ]
    assert found[0].text == "be kind\n"
    assert "-1\n+2" in found[1].text


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "../project-secret/x",
        "/etc/passwd",
        "//host/share",
        "\\\\host\\share",
        "link",
        "sub/../../outside.txt",
        "linked/x",
        "../nothing-here",
    ],
)
def test_a_file_outside_the_project_is_refused(tmp_path: Path, path: str) -> None:
    write(tmp_path, {"outside.txt": "o", "project-secret/x": "s", "project/sub/a": ""})
    root = tmp_path / "project"
    (root / "link").symlink_to(tmp_path / "outside.txt")
    (root / "linked").symlink_to(tmp_path / "project-secret")
    assert problem(root, f"file={path}") == f"Path escapes project directory: {path}"


def test_links_within_the_project_and_absolute_paths_into_it_are_followed(tmp_path: Path) -> None:
    write(tmp_path, {"project/sub/a.txt": "text", "project/=odd": "odd"})
    root = tmp_path / "project"
    (root / "link").symlink_to("sub/a.txt")
    (tmp_path / "way").symlink_to(root)
    for path in ("link", f"{root}/sub/a.txt", "sub//../sub/a.txt"):
        assert read(tmp_path / "way", f"file={path}") == (Exhibit(kind="file", name="sub/a.txt", text="text"),)
    assert read(root, "file==odd")[0].text == "odd"


def test_what_is_missing_or_no_regular_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert problem(tmp_path, "file=nope.txt") == "Context file not found: nope.txt"
    assert problem(tmp_path, "file=sub/nope.txt") == "Context file not found: sub/nope.txt"
    assert problem(tmp_path, "file=sub") == "Context file cannot be read (folder): sub"
    assert problem(tmp_path, "file=pipe") == "Context file cannot be read (device, socket or pipe): pipe"
    assert "loop" in problem(tmp_path, "file=loop")
    assert "a\0b" in problem(tmp_path, "file=a\0b")


@pytest.mark.parametrize(
    "name", [".env", "sub/.env.local", "id_rsa", "server.key", ".git/config", ".npmrc", "innocent.txt"]
)
def test_credential_files_are_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: "TOKEN=1", ".env.production": "TOKEN=1"})
    if name == "innocent.txt":
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to(".env.production")
    assert (
        problem(tmp_path, f"file={name}") == f"Context file holds credentials and is not sent to other vendors: {name}"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_is_read_by_its_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes("naïve 中文 🙂\n".encode(encoding))
    assert read(tmp_path, "file=a.txt")[0].text == "naïve 中文 🙂\n"


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"caf\xe9\n", b"a\0b", codecs.BOM_UTF16_LE + b"a"])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.bin").write_bytes(content)
    assert problem(tmp_path, "file=a.bin") == "Context file is not text in UTF-8 or UTF-16: a.bin"


def test_long_texts_are_cut_and_the_rest_is_counted(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "中" * (MAX_CHARACTERS + 7), "b.txt": "x" * MAX_CHARACTERS})
    long, fits = read(tmp_path, "file=a.txt", "file=b.txt")
    assert (len(long.text), long.truncated) == (MAX_CHARACTERS, 7)
    assert (len(fits.text), fits.truncated) == (MAX_CHARACTERS, 0)
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert problem(tmp_path, "file=huge") == "Context file is larger than 16 MB: huge"


def test_terminal_codes_are_taken_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "\x1b]0;title\x07a\x1b[31mb\x1b[0m"})
    assert read(tmp_path, "file=a.txt")[0].text == "ab"


def test_an_empty_diff_says_so_and_no_repository_is_a_problem(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.txt": "1\n"})
    assert read(root, "diff")[0].text == "No uncommitted changes in tracked files.\n"
    (tmp_path / "plain").mkdir()
    assert "needs a git repository" in problem(tmp_path / "plain", "diff")


def test_the_diff_runs_nothing_and_shows_no_credentials(tmp_path: Path) -> None:
    root, ran = hostile_repository(tmp_path / "r", tmp_path / "ran"), tmp_path / "ran"
    write(root, {".env": "KEY=1\n"})
    git(root, "-c", "core.fsmonitor=false", "add", "-f", ".env")
    for trace in ran.iterdir():
        trace.unlink()
    text = read(root, "diff")[0].text
    assert text.startswith("[1 changed credential file(s) not shown]\n")
    assert "-old\n+new" in text
    assert "KEY" not in text
    assert list(ran.iterdir()) == []
