"""Git repositories for tests: ordinary ones, and one that wants to run programs."""

import os
import subprocess
from pathlib import Path

ENVIRON = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(folder: Path, *arguments: str) -> str:
    """What plain git prints, with no settings but those of the repository."""
    argv = ["git", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(argv, cwd=folder, env=ENVIRON, check=True, capture_output=True, text=True).stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def repository(folder: Path, files: dict[str, str], *options: str) -> Path:
    """A repository with these files committed."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *options)
    write(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def hostile_repository(folder: Path, ran: Path) -> Path:
    """A repository with an uncommitted change whose settings run programs under plain git; each marks `ran`."""
    repository(folder, {"app.py": "old\n", "notes.bin": "old\n", "sub/mod.py": "x\n", "go.mod": "old\n"})
    ran.mkdir()
    script = folder.parent / "trap"
    script.write_text(f'#!/bin/sh\ntouch "{ran}/$1"\ncat\n')
    script.chmod(0o755)
    write(folder, {".gitattributes": "*.py filter=f diff=d\n*.bin filter=g diff=t\n*.mod filter=h\n"})
    write(folder, {"more-settings": f'[filter "g"]\n\tclean = {script} included-clean\n'})
    for hook in ("post-index-change", "pre-auto-gc", "fsmonitor-watchman"):
        path = folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\ntouch "{ran}/hook"\n')
        path.chmod(0o755)
    settings = {
        "core.fsmonitor": f"{script} fsmonitor",
        "core.pager": f"{script} pager",
        "core.sshCommand": f"{script} ssh",
        "core.askPass": f"{script} askpass",
        "diff.external": f"{script} external",
        "diff.d.command": f"{script} driver",
        "diff.t.textconv": f"{script} textconv",
        "filter.f.clean": f"{script} clean",
        "filter.h.process": f"{script} process",
        "filter.f.smudge": f"{script} smudge",
        "filter.odd=name.clean": f"{script} odd",
        "alias.ls-files": f"!{script} alias",
        "include.path": str(folder / "more-settings"),
        "trace2.eventTarget": str(ran / "trace2"),
    }
    for name, value in settings.items():
        git(folder, "config", name, value)
    write(folder, {"app.py": "new\n", "notes.bin": "new\n", "go.mod": "new\n", "sub/mod.py": "x\n"})
    program = folder / "git"
    program.write_text(f'#!/bin/sh\ntouch "{ran}/own-git"\nexit 1\n')
    program.chmod(0o755)
    return folder
