"""`debate show`, `list` and `forget`: what lies on the shelf."""

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator import outcome
from orchestrator.doors.cli.flags import options
from orchestrator.doors.cli.output import columns, say, write, write_json, write_page, write_text
from orchestrator.doors.cli.shelving import NAME, SHELF, Shelf, shelf_at

if TYPE_CHECKING:
    from state.shelf import Entry


@click.command()
@click.argument("name", metavar="[ID|last|FILE]", default="last", type=NAME)
@click.option(
    "--format", "form", type=click.Choice(["text", "md", "json"]), default="text", help="text: as `debate` prints it."
)
@options(*SHELF)
def SHOW(name: str, form: str, state_dir: str | None, cwd: str | None) -> int:
    """Print a debate as it stands: the report (text, or md as --report writes it), or the state file (json).

    Without a name: the debate that was started last.
    """
    from orchestrator.report.markdown import report
    from state.document import document
    from state.shelf import read

    record = read(shelf_at(state_dir, cwd, os.environ).locate(name))
    if form == "json":
        return write_json(document(record))
    return write(report(record)) if form == "md" else write_page(report(record), os.environ)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as one JSON object.")
@options(*SHELF)
def LIST(*, as_json: bool, state_dir: str | None, cwd: str | None) -> int:
    """List the debates on the shelf, the newest first: ID, local time, status, sides, topic.

    A run that was cut off can be resumed. A file that cannot be read is listed with the reason. On a pipe nothing is cut;
    COLUMNS sets the width.
    """
    from orchestrator.report.listing import line, listing
    from state.shelf import entries, is_playing

    shelf = shelf_at(state_dir, cwd, os.environ)
    found = [(entry, is_playing(entry.path)) for entry in entries(shelf.folder)]
    if as_json:
        return write_json({"debates": [_plain(entry, playing=playing) for entry, playing in found]})
    if not found:
        say(f"[INFO] No debates yet in {shelf.folder}.")
    return write_text(listing([line(entry, playing=playing) for entry, playing in found], columns()), os.environ)


def _plain(entry: "Entry", *, playing: bool) -> dict[str, Any]:
    head = {"id": entry.id, "path": str(entry.path), "problem": entry.problem.reason if entry.problem else None}
    if entry.record is None:
        return {**head, "status": None}
    record = entry.record
    return {
        **head,
        "status": record.status,
        "playing": playing,
        "resumable": outcome.is_resumable(record) and not playing,
        "began": record.opened.at,
        "sides": {seat.role: seat.tool for seat in record.seats},
        "topic": record.opened.topic,
        "winner": record.verdict.winner if record.verdict else None,
    }


_HOURS = {"h": 1, "d": 24, "w": 168}


class Age(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  generic in newer versions only
    """An age such as `90d`: a whole number of hours, days or weeks."""

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        number, unit = str(value)[:-1], str(value)[-1:]
        if not (number.isascii() and number.isdecimal() and len(number) < 6 and unit in _HOURS):
            self.fail(f"An age is a number and h, d or w, such as 90d. Got: {value}", param, ctx)
        return timedelta(hours=int(number) * _HOURS[unit])


@click.command()
@click.argument("names", metavar="[ID|last|FILE]...", nargs=-1, type=NAME)
@click.option("--older-than", type=Age(), metavar="90d", help="Those begun longer ago (h, d or w).")
@click.option("--all", "everything", is_flag=True, help="All on the shelf; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask; needed for --all where nobody can be asked.")
@click.option("--json", "as_json", is_flag=True, help="Print what was deleted as one JSON object.")
@options(*SHELF)
def FORGET(
    *,
    names: tuple[str, ...],
    older_than: timedelta | None,
    everything: bool,
    yes: bool,
    as_json: bool,
    state_dir: str | None,
    cwd: str | None,
) -> int:
    """Delete debates with all that was kept of them: record, prompts, raw output, the copy of the project.

    Reports that were written with --report are not touched. A debate that is being played is refused (exit code 2); with
    --older-than and --all the others are deleted all the same.
    """
    from orchestrator.usage import UsageError

    if sum((bool(names), older_than is not None, everything)) != 1:
        raise UsageError(
            "Name what to forget in one way.", "debate forget ID, or --older-than 90d, or --all (see debate list)."
        )
    shelf = shelf_at(state_dir, cwd, os.environ)
    paths = list(_chosen(shelf, names, older_than))
    if everything and not yes and not _agreed(len(paths), shelf.folder):
        return outcome.OK
    deleted, kept = _forget(paths, shelf)
    if everything and not kept:
        (shelf.folder / "last-debate.json").unlink(missing_ok=True)
    return _told(deleted, kept, as_json=as_json)


def _chosen(shelf: Shelf, names: Iterable[str], age: timedelta | None) -> Iterator[Path]:
    from state.shelf import everything, older_than

    if names:
        yield from (shelf.locate(name) for name in names)
    else:
        yield from everything(shelf.folder) if age is None else older_than(shelf.folder, age)


def _agreed(number: int, folder: Path) -> bool:
    from orchestrator.usage import UsageError

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("forget --all deletes every debate, and nobody can be asked here.", "Add --yes.")
    return click.confirm(f"Delete {number} debates in {folder}?", err=True)


def _forget(paths: Iterable[Path], shelf: Shelf) -> tuple[list[str], dict[str, str]]:
    """What was deleted, and what was not, with the reason."""
    from orchestrator.premises import clear
    from state.document import BadState
    from state.shelf import forget
    from state.store import InUse

    deleted: list[str] = []
    kept: dict[str, str] = {}
    for path in paths:
        try:
            deleted.append(forget(path, shelf.folder))
        except (InUse, BadState) as problem:
            kept[str(path)] = str(problem)
        except OSError as problem:
            kept[str(path)] = f"{path} cannot be deleted: {problem.strerror or problem}"
        else:
            clear(deleted[-1], os.environ)
    return deleted, kept


def _told(deleted: list[str], kept: dict[str, str], *, as_json: bool) -> int:
    for reason in kept.values():
        say(f"[ERROR] {reason}")
    code = outcome.USAGE if kept else outcome.OK
    if as_json:
        return write_json({"deleted": deleted, "kept": kept}) or code
    if not deleted and not kept:
        say("[INFO] There was nothing to delete.")
    return write("".join(f"Deleted {ident}\n" for ident in deleted)) or code
