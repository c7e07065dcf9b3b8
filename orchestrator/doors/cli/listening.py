"""Who listens to a run: the live view on a terminal, plain lines elsewhere, events as JSON where they were asked for."""

import sys
from collections.abc import Mapping

from orchestrator.doors.cli.output import in_ci, is_terminal, say
from orchestrator.doors.plain import Plain
from orchestrator.events import Tell
from orchestrator.request.choices import Choices


def listeners(choices: Choices, environ: Mapping[str, str]) -> list[Tell]:
    """The listeners for this run."""
    chosen: list[Tell] = [_progress(choices, environ)]
    if choices.events:
        from orchestrator.doors.stream import Stream

        chosen.append(Stream().tell)
    return chosen


def _progress(choices: Choices, environ: Mapping[str, str]) -> Tell:
    if _live(choices, environ):
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        if not console.legacy_windows:
            from orchestrator.doors.live import Live

            return Live(console).tell
    return Plain(say, quiet=choices.quiet, verbose=choices.verbose, ci=in_ci(environ)).tell


def _live(choices: Choices, environ: Mapping[str, str]) -> bool:
    """Whether lines may be drawn again: nobody else writes to this terminal in the meantime, and it can."""
    asked_otherwise = choices.plain or choices.quiet or choices.verbose or (choices.events and is_terminal(sys.stdout))
    capable = is_terminal(sys.stderr) and environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
    return capable and not asked_otherwise and not in_ci(environ)
