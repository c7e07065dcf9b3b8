"""Where one debate's calls run: a private folder, and in it the view of the project that every participant sees."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.problem import Problem
from orchestrator.usage import UsageError
from orchestrator.view import make_view, view_digest
from orchestrator.view.home import Lease, hold, remove_view, sweep, views_home
from state.models import View
from state.record import Record

NO_VIEW = "none"
KEPT_FOR_S = 7 * 24 * 3600
"""How long the view of an unfinished debate waits for its resume, in seconds."""


@dataclass(frozen=True)
class Premises:
    """The private folder of a run, in use until it is left. `made` describes the view, if there is one."""

    lease: Lease
    made: View | None

    @property
    def folder(self) -> Path:
        return self.lease.folder

    @property
    def view(self) -> Path | None:
        return self.folder / "view" if self.made else None

    def leave(self, *, keep: bool) -> None:
        """Let go of the folder: it is removed, unless the debate may be resumed with the very same view."""
        if not keep:
            remove_view(self.folder)
        self.lease.release()
        home = self.folder.parent
        fresh = {f.name for f in home.iterdir() if time.time() - f.lstat().st_mtime < KEPT_FOR_S}
        sweep(home, keep=fresh)


def premises_for(
    ident: str, project: Path, paths: tuple[str, ...], exclude: tuple[Path, ...], environ: Mapping[str, str]
) -> Premises:
    """Premises for the debate `ident`. Its view is the one that an earlier run left, else it is made now.

    `paths` narrows the view; `none` makes none. UsageError where there is no place for it.
    """
    home = views_home(environ)
    if isinstance(home, Problem):
        raise UsageError(home.message)
    try:
        return _taken(home.path, ident, project, paths, exclude)
    except UsageError:
        raise
    except BaseException:  # stopped in the midst of it
        remove_view(home.path / ident)
        raise


def _taken(home: Path, ident: str, project: Path, paths: tuple[str, ...], exclude: tuple[Path, ...]) -> Premises:
    lease = hold(home, ident)
    if isinstance(lease, Problem):
        raise UsageError(lease.message)
    if paths == (NO_VIEW,):
        return Premises(lease, None)
    remove_view(lease.folder / "view")
    made = make_view(project, lease.folder / "view", paths, exclude)
    if isinstance(made, Problem):
        lease.release()
        raise UsageError(made.message)
    return Premises(lease, made.view)


def premises_again(
    record: Record, exclude: tuple[Path, ...], environ: Mapping[str, str]
) -> tuple[Premises, str | None]:
    """Premises for a debate that goes on, and a warning when what its participants see has changed meanwhile."""
    seen, project = record.opened.view, Path(record.opened.cwd)
    home = views_home(environ)
    if seen is None or isinstance(home, Problem):
        return premises_for(record.id, project, (NO_VIEW,), exclude, environ), None
    kept = home.path / record.id / "view"
    if kept.is_dir() and view_digest(kept) == seen.digest:
        lease = hold(home.path, record.id)
        if not isinstance(lease, Problem):
            return Premises(lease, seen), None
    premises = premises_for(record.id, project, seen.paths, exclude, environ)
    moved = premises.made is not None and premises.made.digest != seen.digest
    return premises, _MOVED if moved else None


_MOVED = "The project has changed since this debate began; later speakers see it as it is now."


def clear(ident: str, environ: Mapping[str, str]) -> None:
    """Remove what a debate that is forgotten left for its resume."""
    home = views_home(environ)
    if isinstance(home, Problem) or not (home.path / ident).is_dir():
        return
    lease = hold(home.path, ident)
    if not isinstance(lease, Problem):
        remove_view(lease.folder)
        lease.release()
