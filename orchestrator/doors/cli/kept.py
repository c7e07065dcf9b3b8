"""The session of `debate ask --keep`: kept for one more question, and checked before it is used again."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from orchestrator.usage import UsageError
from state.files import private_folder, read_text, replace_file
from state.models import Envelope, Seat
from state.sessions import is_session_id

FILE = "last-session.json"
_MODEL = re.compile(r"[A-Za-z0-9._:/-]{1,200}")


def folder_for(shelf: Path, tool: str) -> Path:
    """Where this tool's session lies, made if need be: beside the debates, in `STATE/ask`."""
    home = shelf.parent / "ask"
    private_folder(home)
    private_folder(home / tool)
    return home / tool


def keep(folder: Path, seat: Seat, question: str, envelope: Envelope) -> None:
    """Note the session that this answer leaves behind."""
    noted = {
        "tool": seat.tool,
        "model": seat.model,
        "effort": seat.effort,
        "session_id": envelope.session_id,
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "question": question,
        "continuable": envelope.continuable,
        "transport": envelope.transport,
    }
    replace_file(folder / FILE, orjson.dumps(noted, option=orjson.OPT_INDENT_2) + b"\n")


def session(folder: Path, seat: Seat, named: str) -> str:
    """The session to go on with: the named one, or the last one that this tool left. UsageError for what cannot be one."""
    if named:
        return _checked(named, seat.tool)
    try:
        noted: Any = orjson.loads(read_text(folder / FILE, 100_000))
    except ValueError:
        raise UsageError(
            f"{seat.tool} left no session.", f'Ask with --keep first: debate ask {seat.tool} --keep "..."'
        ) from None
    whole = isinstance(noted, dict) and noted.get("tool") == seat.tool and noted.get("continuable") is True
    model = noted.get("model") if whole else None
    if not whole or not (model is None or (isinstance(model, str) and _MODEL.fullmatch(model))):
        raise UsageError(f"The kept session is not valid: {folder / FILE}", "Ask with --keep again.")
    return _checked(noted.get("session_id"), seat.tool)


def _checked(ident: object, tool: str) -> str:
    if isinstance(ident, str) and is_session_id(ident):
        return ident
    raise UsageError(f"This is no session of {tool}: {ident}", "Name the session_id that --json showed.")
