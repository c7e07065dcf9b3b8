"""`debate doctor`: which tools are here, which would be used, and what is wrong with the others."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator import outcome
from orchestrator.doors.cli.flags import SEAT, options
from orchestrator.doors.cli.output import write_json, write_text
from orchestrator.doors.cli.shelving import SHELF

if TYPE_CHECKING:
    from orchestrator.checkup import Checkup
    from orchestrator.request.settings import Settings


@click.command()
@click.argument("tools", metavar="[TOOL]...", nargs=-1, type=SEAT)
@click.option(
    "--deep", is_flag=True, help="Ask each tool a tiny question: the only sure sign of a login. Costs a little."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as one JSON object.")
@options(*SHELF)
def DOCTOR(*, tools: tuple[str, ...], deep: bool, as_json: bool, state_dir: str | None, cwd: str | None) -> int:
    """Say of each tool: is it here, which program is used, its version, logged in or not, which settings apply.

    Named tools, and those that your settings seat, must be usable: else the exit code is 1.
    """
    from orchestrator.checkup import check_up
    from orchestrator.doors.cli.playing import run_stoppable
    from orchestrator.request.folder import project_folder
    from orchestrator.request.settings import load
    from orchestrator.seating import parse_seat
    from orchestrator.vendors import seatable
    from state.paths import shelf_folder

    project = project_folder(cwd)
    settings = load(os.environ, project, flags={"state_dir": state_dir})
    known = tuple(seatable(settings))
    named = tuple(parse_seat(tool, known).tool for tool in tools)
    found, number = run_stoppable(lambda: check_up(named or known, settings, os.environ, deep=deep))
    if found is None:
        return 128 + (number or 0)
    places = _places(settings, shelf_folder(project, settings.choices.state_dir, os.environ))
    code = outcome.FAILED if _unusable(found, {*named, *_seated(settings, known)}) else outcome.OK
    if as_json:
        return write_json({"tools": [_plain(checkup) for checkup in found], **places}) or code
    return write_text("\n".join([*_lines(found), *_place_lines(places)]) + "\n", os.environ) or code


def _seated(settings: "Settings", known: Sequence[str]) -> Iterator[str]:
    """The tools that the person's standing settings put at the table."""
    from orchestrator.seating import parse_seat

    chosen = settings.choices
    judges = () if chosen.judge in ("auto", "none") else chosen.judge.split(",")
    yield from (parse_seat(seat, known).tool for seat in (chosen.proposer, chosen.challenger, *judges) if seat)


def _unusable(found: "Iterable[Checkup]", chosen: set[str]) -> bool:
    return any(c.tool in chosen and (c.problem or c.logged_in == "no") for c in found)


def _lines(found: "Sequence[Checkup]") -> Iterator[str]:
    for checkup in found:
        yield f"{checkup.tool}: {_state(checkup)}"
        yield from (f"  {name}: {value}" for name, value in _facts(checkup))
        yield ""
    usable = [c.tool for c in found if not (c.problem or c.unready or c.logged_in == "no")]
    yield f"can be seated: {', '.join(usable) or 'none; to see a debate all the same: debate --rehearse'}"


def _state(checkup: "Checkup") -> str:
    if checkup.problem:
        return checkup.problem.kind.value.replace("_", " ")
    if checkup.logged_in == "no":
        return "not logged in"
    return "not ready" if checkup.unready else "ready" if checkup.logged_in == "yes" else "here"


def _facts(checkup: "Checkup") -> Iterator[tuple[str, str]]:
    if checkup.problem:
        yield "problem", checkup.problem.message
        if checkup.problem.remedy:
            yield "to do", checkup.problem.remedy
    if checkup.url:
        yield "address", checkup.url
    elif checkup.program:
        yield "program", str(checkup.program)
        yield "version", checkup.version or "unknown"
        yield "logged in", f"{checkup.logged_in}{_how_to_know(checkup)}"
    else:
        yield "install", checkup.install
    yield "reached by", f"{', '.join(_reached(checkup))}{_why_not_acp(checkup)}"
    if checkup.unready:
        yield "to do", checkup.unready
    yield from (("passed over", note) for note in checkup.notes)
    yield from (("not used", str(path)) for path in checkup.others if not any(str(path) in n for n in checkup.notes))
    yield from (("setting", f"{key} = {value} ({origin})") for key, value, origin in checkup.settings)


def _reached(checkup: "Checkup") -> tuple[str, ...]:
    from adapters import transports

    return tuple(transport.upper() for transport in transports(checkup.adapter))


def _why_not_acp(checkup: "Checkup") -> str:
    from adapters.acp.agents import REFUSED

    why = REFUSED.get(checkup.tool)
    return f" (not by ACP: {why})" if why else ""


def _how_to_know(checkup: "Checkup") -> str:
    if checkup.logged_in == "no":
        return f"; log in with: {checkup.login}"
    return f"; ask it: debate doctor {checkup.tool} --deep" if checkup.logged_in == "unknown" else ""


def _places(settings: "Settings", shelf: Path) -> dict[str, dict[str, Any]]:
    """Where settings and debates lie, and whether they can."""
    above = next(folder for folder in (shelf, *shelf.parents) if folder.exists())
    path = settings.path
    return {
        "settings": {"path": str(path) if path else None, "exists": bool(path and path.exists())},
        "state": {"path": str(shelf), "writable": above.is_dir() and os.access(above, os.W_OK | os.X_OK)},
    }


def _place_lines(places: dict[str, dict[str, Any]]) -> Iterator[str]:
    settings, state = places["settings"], places["state"]
    yield f"settings: {settings['path'] or 'none, as no home is known'}{'' if settings['exists'] else ' (not there)'}"
    yield f"state: {state['path']}{'' if state['writable'] else ' (cannot be written)'}"


def _plain(checkup: "Checkup") -> dict[str, Any]:
    return {
        "tool": checkup.tool,
        "state": _state(checkup),
        "url": checkup.url,
        "program": str(checkup.program) if checkup.program else None,
        "others": [str(path) for path in checkup.others],
        "notes": list(checkup.notes),
        "version": checkup.version,
        "logged_in": checkup.logged_in,
        "unready": checkup.unready,
        "problem": checkup.problem.model_dump(mode="json") if checkup.problem else None,
        "install": checkup.install,
        "login": checkup.login,
        "transports": [name.lower() for name in _reached(checkup)],
        "settings": [{"key": key, "value": value, "origin": origin} for key, value, origin in checkup.settings],
    }
