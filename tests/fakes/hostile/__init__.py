"""A repository that attacks whoever opens it, and the folder in which what it got to run leaves a file."""

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.hostile.plants import MARK, files

SECRET = "TOP-SECRET-4711"
ALLOWED = {"app.py": "QUEUE = 'the-allowed-line-of-app'\n", "sub/mod.py": "JOBS = 'the-allowed-line-of-mod'\n"}
_GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
_EXECUTABLE = ("git", "rg", "node", "sh", "node_modules/.bin/rg")

__all__ = ["ALLOWED", "MARK", "SECRET", "Hostile", "build", "footprint", "plant"]


@dataclass(frozen=True)
class Hostile:
    """`repo` lies in a hostile `parent`, beside `outside.txt` with the secret; `watched` collects PWNED-NAME files."""

    parent: Path
    watched: Path

    @property
    def repo(self) -> Path:
        return self.parent / "repo"

    @property
    def pwned(self) -> list[str]:
        """What of the repository has run, by name."""
        return sorted(path.name for path in self.watched.iterdir())


def footprint(folder: Path) -> dict[str, str]:
    """Every file below the folder with mode, time and hash: equal footprints mean that nobody wrote."""
    return {str(path.relative_to(folder)): _print(path) for path in sorted(folder.rglob("*"))}


def _print(path: Path) -> str:
    status = path.lstat()
    content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
    time = status.st_mtime_ns if path.is_file() else 0
    return f"{status.st_mode:o} {time} {hashlib.sha256(content).hexdigest()}"


def plant(folder: Path, watched: Path, trap: str) -> None:
    """Puts the hostile files into a folder."""
    for path, text in files(lambda name: f"touch {watched}/PWNED-{name}", trap).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755 if path in _EXECUTABLE else 0o644)


def build(parent: Path, watched: Path, trap: str) -> Hostile:
    """Makes the repository in `parent/repo`; what runs leaves a file in `watched`, redirects lead to `trap`."""
    made = Hostile(parent, watched)
    made.repo.mkdir(parents=True)
    watched.mkdir()
    for folder in (parent, made.repo, made.repo / "sub"):
        plant(folder, watched, trap)
    _write(made.repo, dict.fromkeys(ALLOWED, "OLD = 1\n"))
    _links(made)
    _history(made)
    _write(made.repo, ALLOWED)
    _git_plants(made)
    return made


def _write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        (folder / path).write_text(text)


def _links(made: Hostile) -> None:
    (made.parent / "outside.txt").write_text(f"{SECRET}\n")
    (made.parent / "outside").mkdir()
    (made.parent / "outside/inner.txt").write_text(f"{SECRET}\n")
    (made.repo / "link.txt").symlink_to("../outside.txt")
    (made.repo / "linkdir").symlink_to("../outside")


def _git(made: Hostile, *words: str) -> None:
    who = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org")
    subprocess.run(["git", *who, *words], cwd=made.repo, env=os.environ | _GIT, check=True, capture_output=True)


def _history(made: Hostile) -> None:
    """Everything is tracked, so that no ignore rule hides it; app.py changes afterwards, so that there is a diff."""
    _git(made, "init", "-q", "--template=")
    _git(made, "add", "-A", "-f")
    _git(made, "commit", "-qm", "Begin")


def _git_plants(made: Hostile) -> None:
    """What plain git would run for whoever asks about this repository; set last, for our own git would run it too."""

    def script(name: str, then: str = "cat") -> str:
        path = made.parent / f"evil-{name}.sh"
        path.write_text(f"#!/bin/sh\ntouch {made.watched}/PWNED-{name}\n{then}\n")
        path.chmod(0o755)
        return str(path)

    settings = {
        "core.fsmonitor": script("git-fsmonitor", then="exit 1"),
        "core.pager": script("git-pager"),
        "core.sshCommand": script("git-ssh"),
        "core.editor": script("git-editor"),
        "diff.external": script("git-extdiff"),
        "diff.evil.textconv": script("git-textconv"),
        "filter.evil.clean": script("git-clean"),
        "filter.evil.smudge": script("git-smudge"),
        "filter.evil2.process": script("git-process", then="exit 1"),
        "remote.origin.url": "ssh://nowhere.invalid/x",
    }
    for name, value in settings.items():
        _git(made, "config", name, value)
    (made.repo / ".git/info").mkdir(exist_ok=True)
    (made.repo / ".git/info/attributes").write_text("*.py filter=evil diff=evil\n*.md filter=evil2\n")
    hooks = made.repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "post-index-change", "post-merge", "reference-transaction"):
        os.link(script(f"git-hook-{name}"), hooks / name)
