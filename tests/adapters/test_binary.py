import os
import struct
import sys
from pathlib import Path

import pytest

from adapters.binary import why_not_runnable


def program(tmp_path, content: bytes, mode: int = 0o755) -> Path:
    path = tmp_path / "claude"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def elf(machine: int, loader: bytes = b"", bits: int = 64, order: str = "<") -> bytes:
    """A program's first bytes, with one header that names the loader."""
    wide = bits == 64
    head = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    head += struct.pack(f"{order}HHI", 2, machine, 1)
    table, size = (64, 56) if wide else (52, 32)
    at = table + size
    head += struct.pack(f"{order}{'QQQ' if wide else 'III'}", 0, table, 0)
    head += struct.pack(f"{order}IHHHHHH", 0, table, size, 1, 0, 0, 0)
    if wide:
        head += struct.pack(f"{order}IIQQQQQQ", 3, 0, at, 0, 0, len(loader), len(loader), 1)
    else:
        head += struct.pack(f"{order}IIIIIIII", 3, at, 0, 0, len(loader), len(loader), 0, 1)
    return head + loader


def reason(path: Path, path_env: str = "/usr/bin:/bin", **how) -> str | None:
    return why_not_runnable(path, path_env, **({"system": "linux", "machine": "x86_64"} | how))


def test_a_real_program_and_a_real_script_can_be_started(tmp_path):
    assert why_not_runnable(Path(sys.executable), os.environ["PATH"]) is None
    assert reason(program(tmp_path, b"#!/bin/sh\necho 1\n")) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"console.log(1)\n", "neither a program nor a script"),
        (b"MZ\x90\0", "is a Windows program"),
        (b"\xcf\xfa\xed\xfe" + bytes(30), "is a macOS program"),
        (b"\x7fELF", "is not a complete program"),
        (b"\x7fELF\x02\x01\x00" + bytes(53), "another machine (unknown, this one is x86_64)"),
        (elf(183), "another machine (aarch64, this one is x86_64)"),
        (elf(62, b"/lib/ld-musl-none.so.1\0"), "needs the loader /lib/ld-musl-none.so.1, which is missing"),
        (elf(3, b"/lib/ld-none.so.2\0", bits=32), "needs the loader /lib/ld-none.so.2"),
        (b"#!/nonexistent/node\n", "needs the interpreter /nonexistent/node, which is missing"),
        (b"#! /nonexistent/node --flag\n", "needs the interpreter /nonexistent/node, which is missing"),
        (b"#!/usr/bin/env nonexistent-node\n", "needs the interpreter nonexistent-node, which is not on PATH"),
        (b"#!/usr/bin/env -S A=1 nonexistent-node --x\n", "nonexistent-node, which is not on PATH"),
        (b"#!/usr/bin/env /nonexistent/node\n", "/nonexistent/node, which is missing"),
        (b"#!/bin/sh\r\necho 1\r\n", "Windows line ends"),
        (b"#!node\n", "no absolute interpreter"),
        (b"#!\n", "no absolute interpreter"),
        (b"#!/etc\n", "needs the interpreter /etc, which is missing"),
    ],
)
def test_a_file_that_cannot_be_started_tells_why(tmp_path, content, said):
    assert said in (reason(program(tmp_path, content)) or "")


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (elf(62), {}),
        (elf(3, bits=32), {}),
        (elf(62, sys.executable.encode() + b"\0"), {}),
        (elf(22, order=">"), {"machine": "s390x"}),
        (elf(183), {"machine": "aarch64"}),
        (b"#!/usr/bin/env sh\n", {}),
        (b"#!/usr/bin/env\n", {}),
        (b"\xcf\xfa\xed\xfe" + bytes(30), {"system": "darwin"}),
        (b"\xca\xfe\xba\xbe" + bytes(30), {"system": "darwin"}),
        (b"@echo off\r\n", {"system": "win32"}),
    ],
)
def test_what_this_machine_runs_is_let_pass(tmp_path, content, how):
    assert reason(program(tmp_path, content), **how) is None


def test_an_interpreter_is_not_sought_in_relative_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program(tmp_path, b"#!/bin/sh\n").rename(tmp_path / "node")
    script = program(tmp_path, b"#!/usr/bin/env node\n")
    assert "not on PATH" in (reason(script, ".::nowhere") or "")
    assert reason(script, f".:{tmp_path}") is None


def test_what_is_no_file_tells_why(tmp_path):
    assert reason(tmp_path) == "is a folder"
    assert reason(tmp_path / "none") == "does not exist"
    assert reason(tmp_path / "none" / "x") == "does not exist"
    (tmp_path / "link").symlink_to("gone/claude")
    assert reason(tmp_path / "link") == "is a link to a missing file (gone/claude)"
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be reached" in (reason(tmp_path / "loop") or "")
    os.mkfifo(tmp_path / "pipe", 0o755)
    assert reason(tmp_path / "pipe") == "is not a regular file"
    assert "no run permission" in (reason(program(tmp_path, b"#!/bin/sh\n", 0o644)) or "")


@pytest.mark.parametrize("size", range(0, 140, 7))
def test_a_program_cut_anywhere_raises_nothing(tmp_path, size):
    whole = elf(62, b"/lib64/none.so\0")
    reason(program(tmp_path, whole[:size]))
