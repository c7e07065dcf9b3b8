"""Asking git about a repository without running anything of it.

A repository's own settings can name programs (fsmonitor, filters, textconv, external diff, hooks) that plain
`git status` or `git diff` would start. So git never reads them: it works in a stand-in, a fresh repository folder with
settings of ours, that borrows only the index and the objects. From the real settings come a few inert words, by an
allow-list.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.git import Git, GitTrouble, find_git, with_users_settings
from adapters.repository import Repository, find_repository, head_commit, is_plain_file, read_plain

LISTING_LIMIT = 64_000_000
DIFF_LIMIT = 16_000_000
_SETTINGS_LIMIT = 1_000_000
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_OBJECT_FORMAT = "extensions.objectformat"
_INERT = frozenset(
    {"core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks"}
    | {_OBJECT_FORMAT}
)
_INERT_VALUE = re.compile(r"[A-Za-z0-9]{1,16}")
_OURS = {
    "core.repositoryformatversion": "1",
    "core.bare": "false",
    "core.fsmonitor": "false",
    "core.hookspath": os.devnull,
    "core.untrackedcache": "false",
    "core.quotepath": "false",
    "core.bigfilethreshold": "16m",
    "diff.autorefreshindex": "false",
}


@dataclass(frozen=True)
class Listing:
    """Names relative to the folder that was asked for, with `/`; a name that ends in `/` is a repository within it.

    `top` is the folder of the work tree.
    """

    top: Path
    tracked: tuple[str, ...]
    untracked: tuple[str, ...]


@dataclass(frozen=True)
class Changes:
    """Uncommitted changes of tracked files as a unified diff; `left_out` names the files that were not to be shown."""

    diff: bytes
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class _StandIn:
    git: Git
    empty_tree: str


def list_files(
    folder: Path, paths: Sequence[str] = (), environ: Mapping[str, str] = os.environ
) -> Listing | GitTrouble | None:
    """The files below `folder` that git tracks, and those it neither tracks nor ignores. None: not in a repository.

    `paths` narrows it to these parts, relative to `folder`. Where the index cannot be read, all files that are not
    ignored are given as untracked.
    """
    repository = find_repository(folder)
    if repository is None:
        return None
    with _stand_in(repository, folder, environ) as found:
        return found if isinstance(found, GitTrouble) else _list(found.git, repository.top, paths)


def uncommitted_changes(
    folder: Path, secret: Callable[[str], bool], environ: Mapping[str, str] = os.environ
) -> Changes | GitTrouble | None:
    """What differs from the last commit in tracked files below `folder`, staged or not. None: not in a repository.

    Files whose relative path is `secret` are left out. Neither external diff programs nor textconv run; submodules are
    ignored.
    """
    repository = find_repository(folder)
    if repository is None:
        return None
    if (repository.common / "reftable").exists():
        return GitTrouble("this repository keeps its branches in the reftable format, which is not read here")
    with _stand_in(repository, folder, environ) as found:
        if isinstance(found, GitTrouble):
            return found
        return _changes(found.git, head_commit(repository) or found.empty_tree, secret)


def _list(git: Git, top: Path, paths: Sequence[str]) -> Listing | GitTrouble:
    others = ("ls-files", "-z", "--others", "--exclude-standard", "--", *paths)
    tracked = git.run("ls-files", "-z", "--cached", "--", *paths, limit=LISTING_LIMIT)
    untracked = git.run(*others, limit=LISTING_LIMIT)
    if isinstance(tracked, GitTrouble) or isinstance(untracked, GitTrouble):
        without_index = git.having(GIT_INDEX_FILE=f"{git.environ['GIT_DIR']}/none")
        tracked, untracked = b"", without_index.run(*others, limit=LISTING_LIMIT)
    return untracked if isinstance(untracked, GitTrouble) else Listing(top, _names(tracked), _names(untracked))


def _changes(git: Git, base: str, secret: Callable[[str], bool]) -> Changes | GitTrouble:
    options = ("--relative", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all")
    changed = git.run("diff", *options, "--no-renames", "--name-only", "-z", base, "--", limit=LISTING_LIMIT)
    if isinstance(changed, GitTrouble):
        return changed
    names = _names(changed)
    shown = [name for name in names if not secret(name)]
    left_out = tuple(filter(secret, names))
    if not shown:
        return Changes(b"", left_out)
    only = shown if left_out else ()
    diff = git.run("diff", *options, "--src-prefix=a/", "--dst-prefix=b/", base, "--", *only, limit=DIFF_LIMIT)
    return diff if isinstance(diff, GitTrouble) else Changes(diff, left_out)


def _names(output: bytes) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name))


@contextmanager
def _stand_in(
    repository: Repository, folder: Path, environ: Mapping[str, str]
) -> Generator[_StandIn | GitTrouble, None, None]:
    """A repository folder of ours that borrows the index and the objects of the real one, for as long as it is used."""
    git = find_git(repository.top, folder.resolve(), environ)
    if isinstance(git, GitTrouble):
        yield git
        return
    with tempfile.TemporaryDirectory(prefix="debate-git-") as name:
        place = Path(name)
        _furnish(place, repository)
        index = repository.git_dir / "index"
        git = git.having(
            GIT_DIR=name,
            GIT_WORK_TREE=str(repository.top),
            GIT_INDEX_FILE=str(index if is_plain_file(index) else place / "none"),
            GIT_OBJECT_DIRECTORY=str(repository.common / "objects"),
        )
        settings = _settings(git, repository, place, environ)
        (place / "config").write_bytes(b"".join(_setting(*pair) for pair in settings.items()))
        yield _StandIn(git, _EMPTY_TREE.get(settings.get(_OBJECT_FORMAT, "sha1"), ""))


def _furnish(place: Path, repository: Repository) -> None:
    for name in ("objects", "refs", "info"):
        (place / name).mkdir()
    (place / "HEAD").write_bytes(b"ref: refs/heads/none\n")
    (place / "info" / "exclude").write_bytes(os.fsencode(read_plain(repository.common / "info" / "exclude")))
    for part in filter(is_plain_file, repository.git_dir.glob("sharedindex.*")):
        shutil.copy2(part, place / part.name, follow_symlinks=False)


def _settings(git: Git, repository: Repository, place: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Our settings, the inert ones of the user and the repository, and the user's own list of ignored files."""
    copy = place / "their-config"
    copy.write_bytes(os.fsencode(read_plain(repository.common / "config")))
    theirs = _pairs(git.run("config", "--file", str(copy), "--list", "-z", limit=_SETTINGS_LIMIT))
    users = _pairs(with_users_settings(git, environ).run("config", "--list", "-z", limit=_SETTINGS_LIMIT))
    inert = {k: v for k, v in {**users, **theirs}.items() if k in _INERT and _INERT_VALUE.fullmatch(v)}
    ignored = users.get("core.excludesfile", "")
    users_list = os.path.expanduser(ignored)
    return {**inert, **_OURS, **({"core.excludesfile": users_list} if users_list else {})}


def _pairs(output: bytes | GitTrouble) -> dict[str, str]:
    entries = b"" if isinstance(output, GitTrouble) else output
    split = (os.fsdecode(entry).partition("\n") for entry in entries.split(b"\0"))
    return {key: value for key, _, value in split}


def _setting(key: str, value: str) -> bytes:
    section, name = key.split(".")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return os.fsencode(f'[{section}]\n\t{name} = "{quoted}"\n')
