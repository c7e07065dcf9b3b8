"""`debate --help`: one screen, examples first."""

import click

from orchestrator.doors.cli.command import COMMANDS, EXAMPLES
from orchestrator.doors.cli.start import HOW, START, WHERE, WHO
from orchestrator.outcome import MEANINGS

_HEAD = "Rival vendors' coding CLIs argue a question out; an independent verdict picks a side."


def write_help(formatter: click.HelpFormatter) -> None:
    """Write the whole help."""
    formatter.write(f"debate TOPIC [OPTIONS]   {_HEAD}\n\n{EXAMPLES}\n")
