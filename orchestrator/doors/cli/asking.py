"""`debate ask`: one question to one tool, through the same adapter that a debate uses."""

import os
from typing import Any

import click

from orchestrator.doors.cli.flags import SEAT
from orchestrator.doors.cli.shelving import SHELF
from orchestrator.doors.cli.start import EFFORTS


class Asking(click.Command):
    """A command that takes a bare `--continue`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--continue=" if arg == "--continue" else arg for arg in args])


@click.command(cls=Asking)
@click.argument("seat", metavar="TOOL", type=SEAT)
@click.argument("question", nargs=-1)
@click.option("--model", metavar="M", help="The tool's model.")
@click.option("--effort", type=EFFORTS, help="How hard it thinks (high).")
@click.option("--timeout", metavar="SECONDS", help="Limit of the call (240; codex at high 420).")
@click.option("--view", multiple=True, metavar="PATH|none", help="Parts of the project that may be read (none).")
@SHELF[0]
@SHELF[1]
@click.option("--keep", is_flag=True, help="Keep the tool's session for another question.")
@click.option("--continue", "continued", metavar="[=ID]", help="Go on with the kept session.")
@click.option("--count", type=click.IntRange(1, 5), default=1, metavar="1-5", help="Ask so many times at once (1).")
@click.option("--json", "as_json", is_flag=True, help="Print the whole envelope as JSON.")
@click.option("--rehearse", is_flag=True, help="The built-in speaker answers instead.")
def ASK(seat: str, question: tuple[str, ...], **flags: Any) -> int:
    """Ask one tool one question and print its answer. `-` reads the question from stdin."""
    from orchestrator.doors.cli.single import ask_once

    return ask_once(seat, question, flags, os.environ)
