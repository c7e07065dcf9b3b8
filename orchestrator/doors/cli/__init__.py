"""The command `debate`: one file a command group."""

import errno
import sys


def main() -> None:
    """Run the command line and exit with a code of `orchestrator.outcome`."""
    from orchestrator import outcome
    from orchestrator.doors.cli.stopping import Stopped, stop_tidily
    from orchestrator.doors.cli.streams import open_closed_streams

    stop_tidily()
    open_closed_streams()
    try:
        code = _code(sys.argv[1:])
    except KeyboardInterrupt:
        code = outcome.INTERRUPTED
    except Stopped as stopped:
        code = stopped.code
    sys.exit(code or outcome.OK)


def _code(arguments: list[str]) -> int | None:
    import click

    from orchestrator import outcome
    from orchestrator.doors.cli.command import DEBATE

    try:
        return DEBATE.main(arguments, prog_name="debate", standalone_mode=False)
    except click.Abort as abort:
        if isinstance(abort.__cause__, EOFError):  # nobody ended an input: something of ours on disk is cut short
            raise abort.__cause__ from None
        return outcome.INTERRUPTED
    except Exception as error:  # noqa: BLE001  those that are not ours are raised again
        return _answer(arguments, error)


def _answer(arguments: list[str], error: Exception) -> int:
    """The exit code for what stopped a command, once the person was told. What loads much is loaded only now."""
    import click

    from orchestrator import outcome
    from orchestrator.doors.cli.command import COMMANDS
    from orchestrator.usage import UsageError
    from state.document import BadState
    from state.store import InUse, NotSaved

    match error:
        case click.UsageError() if error.ctx and error.ctx.info_name in COMMANDS:
            return complain(arguments, error.format_message(), *_as_topic(arguments, error.ctx.info_name))
        case click.ClickException():
            return complain(arguments, error.format_message())
        case UsageError():
            return complain(arguments, *error.lines)
        case BadState() | InUse():
            return complain(arguments, str(error))
        case NotSaved():
            return complain(arguments, str(error), "Name another place with --state-dir DIR.", code=outcome.NOT_SAVED)
        case OSError() if error.filename is None and error.errno in _UNWRITTEN:  # of help, which click prints itself
            from orchestrator.doors.cli.output import not_written

            return not_written(str(error.strerror))
        case _:
            raise error


_UNWRITTEN = (errno.EBADF, errno.EIO, errno.ENOSPC)


def _as_topic(arguments: list[str], command: str) -> tuple[str, str]:
    return f"See debate {command} --help.", f'If this was a topic, quote it: debate "{" ".join(arguments)}"'


def complain(arguments: list[str], *lines: str, code: int = 2) -> int:
    """Say why nothing was begun: on stderr, and as the one object on stdout where JSON was asked for."""
    from orchestrator.doors.cli.output import say, write_json
    from state.clean import one_line

    shown = [one_line(line, 500) for text in lines for line in text.splitlines() if line.strip()]
    say("\n".join([f"[ERROR] {shown[0]}", *shown[1:]]))
    if "--json" in arguments or "--events" in arguments:
        write_json({"error": {"kind": "usage", "lines": shown}, "exit_code": code})
    return code
