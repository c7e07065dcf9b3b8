"""The command and its subcommands: what is a command, what a topic, and the loading of each only when it is used."""

from importlib import import_module

import click

import orchestrator

COMMANDS = {
    "show": ("records", "Print a debate: `show last`, `show ID --format json`."),
    "list": ("records", "List the debates on the shelf."),
    "resume": ("resuming", "Play what is missing of a debate; no finished call is repeated."),
    "forget": ("records", "Delete debates: an ID, --older-than 90d, --all."),
    "ask": ("asking", "Ask one tool one question: the quickest way to see whether it works."),
    "doctor": ("doctor", "Say which tools are here, which would be used, and what is wrong."),
    "schema": ("about", "Print the JSON Schema of the state file, or of --events."),
    "config": ("about", "Show, check or locate your settings."),
}
HEAD = "Rival vendors' coding CLIs argue a question out; an independent verdict picks a side."
EXAMPLES = """\
  debate "Postgres or Redis for the job queue?" --proposer claude --challenger gemini
  debate codex vs gemini 3 rounds about microservices vs monolith
  debate "Is this diff safe to merge?" --context diff --judge opencode
  debate --rehearse "Tabs or spaces?"      (no account, no cost: built-in speakers)"""


class Root(click.Group):
    """`debate` itself. What does not begin with a command's name is a topic, asked by the hidden command `start`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click asks with it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  likewise
        module = "start" if cmd_name == "start" else COMMANDS.get(cmd_name, ("",))[0]
        return (
            getattr(import_module(f"orchestrator.doors.cli.{module}"), f"{cmd_name.upper()}", None) if module else None
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in COMMANDS and args[0] not in ("--help", "--version", "-h")):
            args = ["start", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  likewise
        from orchestrator.doors.cli.helping import write_help

        write_help(formatter)


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(orchestrator.__version__, message="debate %(version)s")
def DEBATE() -> None:
    """Run `debate`; what it does stands in `HEAD`."""
