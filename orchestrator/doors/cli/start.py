"""`debate TOPIC`: a whole debate from the first word to the report."""

import os
import sys
from typing import Any

import click

from orchestrator.doors.cli.flags import SEAT, options

TRANSPORTS = click.Choice(["auto", "cli", "acp"])
EFFORTS = click.Choice(["low", "medium", "high", "max"])

WHO = (
    click.option("--proposer", metavar="SEAT", type=SEAT, help="Who proposes: TOOL[:MODEL][@EFFORT]."),
    click.option("--challenger", metavar="SEAT", type=SEAT, help="Who challenges."),
    click.option("--tools", metavar="A,B", type=SEAT, help="Both at once: proposer,challenger."),
    click.option("--model-proposer", metavar="M", help="The proposer's model."),
    click.option("--model-challenger", metavar="M", help="The challenger's model."),
    click.option("--judge", metavar="auto|none|SEAT,..", type=SEAT, help="Who judges; auto: one not at the table."),
    click.option("--judge-anyway", is_flag=True, help="Judge even where a side fell silent."),
)
HOW = (
    click.option("--rounds", metavar="1-5", help="How many rounds (2)."),
    click.option("--effort", type=EFFORTS, help="How hard everyone thinks (high)."),
    click.option("--timeout", metavar="SECONDS", help="Limit of each call (240; codex at high 420)."),
    click.option("--transport", type=TRANSPORTS, help="How tools are reached (auto: by CLI)."),
    click.option("--context", multiple=True, metavar="none|diff|file=PATH", help="What everyone is shown first."),
    click.option("--view", multiple=True, metavar="PATH|none", help="Parts of the project that may be read (all)."),
    click.option("--research", type=click.Choice(["on", "off"]), help="Let models without a CLI read files (on)."),
    click.option("--sessions", type=click.Choice(["fresh", "continue"]), help="Let tools keep what they read (fresh)."),
    click.option("--topic-file", metavar="FILE|-", help="Read the topic from a file or from stdin."),
    click.option("--cwd", metavar="DIR", help="The project (the current folder)."),
)
WHERE = (
    click.option("--state-dir", metavar="DIR", help="Where debates are kept."),
    click.option("--state", metavar="FILE", help="Keep this debate in FILE instead."),
    click.option("--report", metavar="FILE.md", help="Write the report to a file too."),
    click.option("--json", is_flag=True, help="Print the record as one JSON object."),
    click.option("--events", is_flag=True, help="Print every event as one line of JSON."),
    click.option("--quiet", is_flag=True, help="No progress, only warnings."),
    click.option("--verbose", is_flag=True, help="All activity."),
    click.option("--plain", is_flag=True, help="Progress as plain lines even on a terminal."),
    click.option("--no-input", is_flag=True, help="Never ask."),
    click.option("--rehearse", metavar="[=SCENARIO]", help="Built-in speakers: no account, no cost."),
)


class Start(click.Command):
    """A command that knows whether its words stood behind `--`, and takes a bare `--rehearse`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.meta["literal"] = end < len(args)
        plain = ["--rehearse=plain" if arg == "--rehearse" else arg for arg in args[:end]]
        return super().parse_args(ctx, [*plain, *args[end:]])


@click.command(cls=Start, hidden=True)
@click.argument("words", nargs=-1)
@options(*WHO, *HOW, *WHERE)
@click.pass_context
def START(ctx: click.Context, words: tuple[str, ...], topic_file: str | None, cwd: str | None, **flags: Any) -> int:
    """Ask a question and let two vendors argue it out."""
    from orchestrator.doors.cli.running import begin

    return begin(
        words, flags, os.environ, sys.stdin.buffer, literal=ctx.meta["literal"], topic_file=topic_file, cwd=cwd
    )
