"""The shelf that a command works on: the same flags and the same places as for the debates themselves."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from orchestrator.request.folder import project_folder
from orchestrator.request.settings import load
from state.paths import shelf_folder
from state.shelf import everything, locate


class Name(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  generic in newer versions only
    """`last`, the ID of a debate, or the path of its file."""

    name = "debate"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del param
        shelf = shelf_at(ctx.params.get("state_dir"), ctx.params.get("cwd"), os.environ)
        known = ["last", *(path.stem for path in reversed(everything(shelf.folder)))]
        return [CompletionItem(name) for name in known if name.startswith(incomplete)] or [
            CompletionItem(incomplete, type="file")
        ]


NAME = Name()
SHELF = (
    click.option("--state-dir", metavar="DIR", type=click.Path(), help="Where debates are kept."),
    click.option("--cwd", metavar="DIR", type=click.Path(), help="The project (the current folder)."),
)


@dataclass(frozen=True)
class Shelf:
    """`folder` is STATE/debate; names of files are relative to `project`."""

    folder: Path
    project: Path

    def locate(self, name: str) -> Path:
        """The file of the debate that `last`, an ID or a path names. Raises BadState."""
        return locate(name, self.folder, self.project)


def shelf_at(state_dir: str | None, cwd: str | None, environ: Mapping[str, str]) -> Shelf:
    """The shelf that these flags, the environment and the settings name."""
    project = project_folder(cwd)
    chosen = load(environ, project, flags={"state_dir": state_dir}).choices.state_dir
    return Shelf(shelf_folder(project, chosen, environ), project)
