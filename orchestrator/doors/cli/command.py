"""The command and its subcommands: what is a command, what a topic, and the loading of each only when it is used."""

from importlib import import_module

import click
from click.shell_completion import CompletionItem

import orchestrator
from orchestrator.tools import TOOLS

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
        if not (args or ctx.resilient_parsing) or (args and args[0] not in (*COMMANDS, *_OWN_OPTIONS)):
            _refuse_misspelt(args)
            args = ["start", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        start = self.get_command(ctx, "start")
        flags = start.shell_complete(ctx, incomplete) if start and incomplete.startswith("-") else []
        return [*super().shell_complete(ctx, incomplete), *flags]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  likewise
        from orchestrator.doors.cli.helping import write_help

        write_help(formatter)


_OWN_OPTIONS = ("--help", "--version", "-h")


def _refuse_misspelt(args: list[str]) -> None:
    """A bare word that is nearly a command's name starts no debate: that would cost money for a slip of a finger."""
    words = [arg for arg in args if not arg.startswith("-")]
    if words[:1] != args[:1] or not words or not (len(words) == 1 or _is_argument(words[1])):
        return
    from orchestrator.usage import UsageError, nearest

    if near := nearest(args[0].lower(), COMMANDS):
        raise UsageError(
            f"Unknown command: {args[0]}. Did you mean debate {near}?",
            f'If this was a topic, say so: debate -- "{" ".join(words)}"',
        )


def _is_argument(word: str) -> bool:
    """Whether a word looks like what stands behind a command, and not like the second word of a topic."""
    return word in ("last", *TOOLS) or word.startswith("debate-") or word.endswith(".json")


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(orchestrator.__version__, message="debate %(version)s")
def DEBATE() -> None:
    """Run `debate`; what it does stands in `HEAD`."""
