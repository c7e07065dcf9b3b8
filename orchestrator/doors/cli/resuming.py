"""`debate resume`: play what is missing of a debate, with its own settings and what is changed on purpose."""

import os
from typing import Any

import click

from orchestrator.doors.cli.flags import SEAT, options
from orchestrator.doors.cli.shelving import NAME
from orchestrator.doors.cli.start import WHERE

CHANGES = (
    click.option("--proposer", metavar="SEAT", type=SEAT, help="Seat another tool as proposer from here on."),
    click.option("--challenger", metavar="SEAT", type=SEAT, help="Seat another tool as challenger from here on."),
    click.option("--model-proposer", metavar="M", help="The proposer's model from here on."),
    click.option("--model-challenger", metavar="M", help="The challenger's model from here on."),
    click.option("--judge", metavar="auto|none|SEAT,..", type=SEAT, help="Who judges."),
    click.option("--judge-anyway", is_flag=True, help="Judge even where a side fell silent."),
    click.option("--timeout", metavar="SECONDS", help="Limit of each call."),
    click.option("--cwd", metavar="DIR", help="Where relative paths begin (the current folder)."),
)


@click.command()
@click.argument("name", metavar="[ID|last|FILE]", default="last", type=NAME)
@options(*CHANGES, *(option for option in WHERE if option is not WHERE[1]))
def RESUME(name: str, cwd: str | None, **flags: Any) -> int:
    """Play what is missing of a debate; no finished call is repeated. Prints a completed one as it is."""
    from orchestrator.doors.cli.running import go_on

    return go_on(name, flags, os.environ, cwd)
