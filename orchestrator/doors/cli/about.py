"""`debate schema` and `debate config`: what programs may rely on, and what was chosen where."""

import os
from typing import Any

import click

from orchestrator.doors.cli.output import write_json, write_text
from orchestrator.doors.cli.shelving import SHELF


@click.command()
@click.option("--events", is_flag=True, help="The schema of the lines of --events instead.")
def SCHEMA(*, events: bool) -> int:
    """Print the JSON Schema of the state file (also that of --json), or of a line of --events."""
    if events:
        from orchestrator.doors.schema import schema as of_events

        return write_json(of_events())
    from state.schema import schema

    return write_json(schema())


@click.command()
@click.argument("action", type=click.Choice(["show", "check", "path"]), default="show")
@click.option("--json", "as_json", is_flag=True, help="Print it as one JSON object.")
@SHELF[1]
def CONFIG(*, action: str, as_json: bool, cwd: str | None) -> int:
    """Print each setting with its value and where it comes from (show), check the file (check), or name it (path).

    A wrong setting is told with its file, line and key, and the exit code is 2.
    """
    from orchestrator.request.folder import project_folder
    from orchestrator.request.settings import config_path, load

    if action == "path":
        path = str(config_path(os.environ) or "")
        return write_json({"path": path}) if as_json else write_text(f"{path}\n", os.environ)
    settings = load(os.environ, project_folder(cwd))
    rows = [(key, value, str(origin)) for key, value, origin in settings.rows()]
    if as_json:
        values = [{"key": key, "value": value, "origin": origin} for key, value, origin in rows]
        return write_json({"settings": values, "warnings": list(settings.warnings)})
    notes = [f"[WARN] {warning}" for warning in settings.warnings]
    if action == "check":
        there = settings.path and settings.path.exists()
        notes.append(
            f"No problem found in {settings.path}." if there else f"There is no settings file: {settings.path}"
        )
        return write_text("".join(f"{note}\n" for note in notes), os.environ)
    return write_text("".join(f"{line}\n" for line in (*notes, *map(_row, rows))), os.environ)


def _row(row: tuple[str, Any, str]) -> str:
    key, value, origin = row
    shown = "-" if value in (None, (), []) else ", ".join(map(str, value)) if isinstance(value, tuple) else value
    return f"{key} = {shown}  ({origin})"
