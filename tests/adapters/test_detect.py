import os
import time
from pathlib import Path

import psutil
import pytest

from adapters.detect import Found, endings, executables, find, logged_in, version
from adapters.spec import Adapter
from state.failures import FailureKind

ENV = {"PATH": "/usr/bin:/bin"}


def script(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def adapter(name: str) -> Adapter:
    def none(*_):
        raise AssertionError

    return Adapter(name, name, "", "", build=none, read=none, watch=none, keep=none)


def path_of(*folders: Path) -> str:
    return os.pathsep.join(map(str, folders))


def test_all_executables_of_a_name_are_listed_in_the_order_of_path(tmp_path):
    first, second = script(tmp_path / "a" / "claude"), script(tmp_path / "b" / "claude")
    assert executables("claude", path_of(tmp_path / "a", tmp_path / "none", tmp_path / "b", tmp_path / "a")) == [
        first,
        second,
    ]


def test_the_first_that_can_be_started_is_found_and_the_others_are_told(tmp_path):
    (tmp_path / "a" / "claude").mkdir(parents=True)
    script(tmp_path / "b" / "claude", "#!/nonexistent/node\n")
    good = script(tmp_path / "c" / "claude")
    found = find("claude", None, path_of(*(tmp_path / d for d in "abc")))
    assert isinstance(found, Found)
    assert found.path == good
    assert found.notes == (
        f"{tmp_path}/a/claude is a folder",
        f"{tmp_path}/b/claude needs the interpreter /nonexistent/node, which is missing",
    )


def test_what_cannot_be_started_is_told_with_path_and_reason(tmp_path):
    script(tmp_path / "claude", "#!/nonexistent/node\n")
    failure = find("claude", None, str(tmp_path))
    assert (failure.kind, failure.message) == (
        FailureKind.NOT_RUNNABLE,
        f"{tmp_path}/claude needs the interpreter /nonexistent/node, which is missing",
    )


def test_what_is_missing_is_told_with_what_was_looked_for(tmp_path):
    (tmp_path / "claude.ps1").touch()
    failure = find("claude", None, path_of(tmp_path, Path("/nonexistent")))
    assert failure.kind == FailureKind.NOT_INSTALLED
    assert failure.message == f"looked for claude in 2 folders of PATH; saw {tmp_path}/claude.ps1"


@pytest.mark.parametrize("path_env", ["", ".", ":", "bin::./bin", "~/bin"])
def test_nothing_is_found_through_a_relative_or_empty_entry_of_path(tmp_path, monkeypatch, path_env):
    monkeypatch.chdir(tmp_path)
    for place in ("claude", "bin/claude", "~/bin/claude"):
        script(tmp_path / place)
    assert find("claude", None, path_env).kind == FailureKind.NOT_INSTALLED


def test_the_users_command_wins_and_must_be_a_name_or_an_absolute_path(tmp_path, monkeypatch):
    good = script(tmp_path / "my-claude")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert find("claude", str(good), "") == Found(good)
    assert find("claude", "~/my-claude", "") == Found(good)
    assert find("claude", "my-claude", str(tmp_path)) == Found(good)
    assert find("claude", "./my-claude", "").kind == FailureKind.NOT_RUNNABLE
    missing = find("claude", "/nonexistent/claude", "")
    assert (missing.kind, "/nonexistent/claude does not exist" in missing.message) == (FailureKind.NOT_INSTALLED, True)
    assert find("claude", str(tmp_path), "").message == f"{tmp_path} is a folder (from the command setting)"


def test_on_windows_npms_shim_is_found_by_its_ending(tmp_path):
    ends = endings({"PATHEXT": ".COM;.EXE;.CMD"}, "win32")
    for name in ("claude", "claude.ps1", "claude.cmd"):
        (tmp_path / name).write_text("@echo off\r\n")
    assert find("claude", None, str(tmp_path), ends, "win32") == Found(tmp_path / "claude.cmd")
    assert find("claude", "claude.cmd", str(tmp_path), ends, "win32") == Found(tmp_path / "claude.cmd")
    (tmp_path / "claude.cmd").unlink()
    failure = find("claude", None, str(tmp_path), ends, "win32")
    assert failure.message.startswith("looked for claude.com or claude.exe or claude.cmd in 1 folders of PATH; saw ")
    assert failure.message.endswith(f" {tmp_path}/claude, {tmp_path}/claude.ps1")


def test_elsewhere_a_name_has_no_ending():
    assert endings({"PATHEXT": ".EXE"}, "linux") == ("",)
    assert ".cmd" in endings({}, "win32")


def test_five_tools_on_a_long_path_are_found_at_once(tmp_path):
    folders = [tmp_path / str(n) for n in range(30)]
    for folder in folders:
        folder.mkdir()
    names = ("claude", "codex", "gemini", "opencode", "copilot")
    for name in names:
        script(folders[-1] / name, "#!/usr/bin/env sh\n")
    path_env = path_of(*folders, Path("/usr/bin"), Path("/bin"))
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert all(isinstance(find(name, None, path_env), Found) for name in names)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.02  # 2 ms on a quiet machine


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("2.1.197 (Claude Code)\n", "2.1.197 (Claude Code)"),
        ("\x1b[1mWARNING: old\x1b[0m\ncodex-cli 0.171.0\n", "codex-cli 0.171.0"),
        ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check.\n", "GitHub Copilot CLI 1.0.102."),
    ],
)
def test_a_version_is_the_line_that_names_one(fp, out, said):
    fp.register(["/opt/tool", "--version"], stdout=out)
    assert version(Path("/opt/tool"), ENV) == said


def test_a_program_without_a_version_fails(fp):
    fp.register(["/opt/tool", "--version"], stdout="usage\n", returncode=2)
    failure = version(Path("/opt/tool"), ENV)
    assert (failure.kind, "exit code 2" in failure.message) == (FailureKind.CRASHED, True)


@pytest.mark.parametrize(
    ("tool", "command", "out", "err", "code", "answer"),
    [
        ("claude", ["auth", "status"], '{\n  "loggedIn": true,\n  "authMethod": "api_key"\n}\n', "", 0, "yes"),
        ("claude", ["auth", "status"], '{\n  "loggedIn": false,\n  "authMethod": "none"\n}\n', "", 1, "no"),
        ("claude", ["auth", "status"], "unknown command 'auth'\n", "", 1, "unknown"),
        ("codex", ["login", "status"], "", "WARNING: x\nNot logged in\n", 1, "no"),
        ("codex", ["login", "status"], "", "Logged in using ChatGPT\n", 0, "yes"),
        ("codex", ["login", "status"], "", "error: config is broken\n", 1, "unknown"),
    ],
)
def test_a_login_is_told_by_the_vendors_own_program(fp, tool, command, out, err, code, answer):
    fp.register([f"/opt/{tool}", *command], stdout=out, stderr=err, returncode=code)
    assert logged_in(adapter(tool), Path(f"/opt/{tool}"), ENV) == answer


def test_a_key_in_the_environment_that_codex_does_not_count_is_a_login():
    assert logged_in(adapter("codex"), Path("/nonexistent/codex"), ENV | {"CODEX_API_KEY": "x"}) == "yes"


def test_a_vendor_without_such_a_command_is_not_asked():
    assert logged_in(adapter("gemini"), Path("/nonexistent/gemini"), ENV) == "unknown"


def test_a_probe_sees_no_input_the_given_environment_and_no_project(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.chdir(tmp_path)
    tool = script(tmp_path / "tool", '#!/bin/sh\nread line\necho "1.0 [$line] [$SECRET] $(pwd)"\n')
    assert version(tool, ENV) == "1.0 [] [] /"


def test_a_probe_that_hangs_is_ended_with_its_children(tmp_path):
    note = tmp_path / "pid"
    tool = script(tmp_path / "tool", f"#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! > {note}\nsleep 600\n")
    failure = version(tool, ENV, seconds=0.5)
    assert (failure.kind, "within 0.5 s" in failure.message) == (FailureKind.TIMED_OUT, True)
    deadline = time.monotonic() + 3
    while _alive(int(note.read_text())) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(int(note.read_text()))


def _alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_probe_that_cannot_be_started_fails(tmp_path):
    (tmp_path / "tool").write_text("no program")
    (tmp_path / "tool").chmod(0o755)
    assert version(tmp_path / "tool", ENV).kind == FailureKind.NOT_RUNNABLE
    assert version(tmp_path / "none", ENV).kind == FailureKind.NOT_RUNNABLE
