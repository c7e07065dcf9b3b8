"""Who listens to a run: the live view on a terminal, plain lines elsewhere, events as JSON where they were asked for."""

import sys
from collections.abc import Mapping

from orchestrator.doors.cli.output import in_ci, say
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
    live = sys.stderr.isatty() and not (choices.plain or choices.quiet or in_ci(environ))
    if live and environ.get("TERM", "dumb") != "dumb":
        from orchestrator.doors.live import Live

        return Live().tell
    return Plain(say, quiet=choices.quiet, verbose=choices.verbose, ci=in_ci(environ)).tell
