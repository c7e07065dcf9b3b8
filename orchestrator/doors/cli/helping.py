"""`debate --help`: one screen, examples first."""

import click

from orchestrator.doors.cli.command import COMMANDS, EXAMPLES, HEAD
from orchestrator.doors.cli.start import HOW, START, WHERE, WHO
from orchestrator.outcome import MEANINGS
from orchestrator.tools import NETWORKED, TOOLS

COMPLETION = 'Completion: eval "$(_DEBATE_COMPLETE=bash_source debate)" (or zsh_source).'
_GROUPS = {"Who": len(WHO), "How": len(HOW), "Where to": len(WHERE)}


def write_help(formatter: click.HelpFormatter) -> None:
    """Write the whole help."""
    formatter.write(f"debate TOPIC [OPTIONS]\n{HEAD}\n\n{EXAMPLES}\n")
    context = click.Context(START)
    records = [record for p in START.params if isinstance(p, click.Option) and (record := p.get_help_record(context))]
    for title, size in _GROUPS.items():
        _section(formatter, title, records[:size])
        records = records[size:]
    _section(formatter, "Commands", [(name, text) for name, (_, text) in COMMANDS.items()])
    codes = ", ".join(f"{code} {short}" for code, (short, _) in MEANINGS.items())
    formatter.write("\n")
    for text in (
        f"Exit codes: {codes}.",
        f"Tools: {', '.join((*TOOLS, NETWORKED))}, and your own.",
        COMPLETION,
    ):
        formatter.write_text(text)


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    with formatter.section(title):
        formatter.write_dl(rows, col_max=34)
