"""GitHub Copilot CLI: run with three reading tools, no instructions of the view, and a home that trusts no folder."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from adapters.activity import using, writing
from adapters.efforts import flags
from adapters.environment import child_environment
from adapters.failing import by_status, failure, inner
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import count, part, text_of, value, values
from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Envelope, Failure

K = FailureKind

TOKENS = ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN")
OWN_PROVIDER = "COPILOT_PROVIDER_BASE_URL"
RETRIES = 3
"""How often copilot may try again by itself before the call is given up."""

DIALECT = Dialect(
    noise=re.compile(r"(?:(?:Package extraction took|Error executing prompt).*|Error: |error: (?!unexpected))"),
    kinds=(
        (K.NOT_LOGGED_IN, r"No authentication information|Authentication failed"),
        (K.VENDOR_CONFIG, r"require an explicit model|requires a local model provider"),
        (K.TOO_LONG, r"prompt budget|maximum context length|prompt is too long"),
        (K.REFUSED, r"blocked by content filter"),
        (K.EMPTY, r"No response was returned"),
        (K.SESSION_LOST, r"No session, task, or name matched"),
        (K.OVERLOADED, r"stream timed out|\b5\d\d\b.*(?:error|overloaded)|\boverloaded\b"),
        (K.NETWORK, r"Could not connect to|without sending any chunks|native model HTTP request|missing finish_reason"),
    ),
)

_FILTERED = re.compile(r"The model returned no content because .{0,200}$")
"""What copilot puts in the place of an answer that was filtered."""


def build(ask: Ask, place: Place) -> Command | Failure:
    """The command for one question, or why it may not be asked."""
    env = child_environment(COPILOT, place, ask.options)
    cwd = ask.view or place.folder / "cwd"
    wrong = None if _logs_in(env) else _trusted(cwd, env)
    if wrong:
        return wrong
    return Command(
        argv=(
            *(str(place.program), "--output-format=json", "--no-color", "--no-custom-instructions", "--no-ask-user"),
            *("--disable-builtin-mcps", "--no-auto-update", "--no-remote", "--disallow-temp-dir"),
            f"--available-tools={'view,grep,glob' if ask.view else 'none'}",
            *flags(ask),
        ),
        stdin=ask.prompt.encode("utf-8", "replace"),
        env=env | ({"COPILOT_HOME": str(place.folder / "ch")} if _logs_in(env) else {}),
        cwd=cwd,
    )


def _logs_in(env: Mapping[str, str]) -> bool:
    """Whether the environment alone logs in, so that the user's ~/.copilot is not needed."""
    return any(env.get(name) for name in (OWN_PROVIDER, *TOKENS))


def _trusted(cwd: Path, env: Mapping[str, str]) -> Failure | None:
    """Whether the user's copilot trusts our folder: then programs that a repository names would run."""
    home = Path(env.get("COPILOT_HOME") or Path(env.get("HOME", "/")) / ".copilot")
    folders = (entry for file in ("config.json", "settings.json") for entry in _trusted_folders(home / file))
    found = next((entry for entry in folders if cwd.is_relative_to(entry)), None)
    told = (
        f"{home} trusts the folder {found}, so copilot would run what lies in the view; remove it from trusted_folders"
    )
    return failure(K.VENDOR_CONFIG, told) if found else None


def _trusted_folders(file: Path) -> list[str]:
    """The trusted folders named in a file of copilot's (reads that file); none where it cannot be read."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
        settings = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    except (OSError, ValueError):
        return []
    named = (part(settings, name) for name in ("trustedFolders", "trusted_folders"))
    return [
        entry for entries in named if isinstance(entries, list) for entry in entries if isinstance(entry, str) and entry
    ]


def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    """Follows the events; copilot's own retries are counted by copilot."""
    event = (value(line) if stream == "stdout" else None) or {}
    data = event.get("data")
    match event.get("type"):
        case "assistant.message_delta":
            written = progress.written + len(text_of(part(data, "deltaContent")))
            return replace(progress, written=written, activity=writing(written))
        case "assistant.message_start":
            return replace(progress, written=0)
        case "tool.execution_start":
            return replace(progress, activity=using(str(part(data, "toolName")), part(data, "arguments")))
        case "model.call_failure":
            return replace(progress, hopeless=_hopeless(data))
        case "assistant.message" if not part(data, "toolRequests"):
            return replace(progress, hopeless=None, activity=writing(len(text_of(part(data, "content")))))
        case "result":
            return replace(progress, complete=True)
        case _:
            return progress


def _hopeless(data: Any) -> Failure | None:
    """A quota does not come back while copilot waits; nor does what fails again and again."""
    failed = _failed(data)
    return failed if failed.kind is K.QUOTA or (count(part(data, "retryAttempt")) or 0) >= RETRIES else None


_BULK = re.compile(
    rb'\s*\{"type":\s*"(?:user\.message|session\.(?:skills_loaded|background_tasks_changed)|assistant\.\w+_delta'
    rb'|tool\.\w+|model\.call_start|model\.call_finished)"'
)


def keep(line: bytes) -> bool:
    """All but the echoes of the prompt, the pieces of the answer (it comes whole, too) and the contents of files."""
    return not _BULK.match(line)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope from the events: the last message without tool calls is the answer, unless an error follows it."""
    events = [
        e
        for e in values(finished.stdout)
        if isinstance(e.get("type"), str) and (e.get("data") or e["type"] == "result")
    ]
    message: dict[str, Any] = {}
    error, ended = None, False
    for event in events:
        match event["type"]:
            case "assistant.message":
                message, error = event["data"], None
            case "session.error" | "model.call_failure":
                error = event["data"]
            case "result":
                ended = True
            case _:
                pass
    text = "" if part(message, "toolRequests") else text_of(part(message, "content"))
    said = Said(
        text=text,
        complete=bool(text.strip()) or (ended and not _aborted(events)),
        failure=_failed(error) if error else _filtered(text),
        structured=bool(events),
        model=text_of(part(message, "model")) or None,
        session_id=next((text_of(e.get("sessionId")) for e in reversed(events) if e.get("sessionId")), None),
    )
    return envelope(ask, finished, said, DIALECT)


def _aborted(events: list[dict[str, Any]]) -> bool:
    return any(e["type"] == "abort" for e in events)


def _filtered(text: str) -> Failure | None:
    return failure(K.REFUSED, text) if _FILTERED.match(text.strip()) else None


def _failed(data: Any) -> Failure:
    """The failure that an error event names: by its words, its HTTP status, its type."""
    words = inner((text_of(part(data, "message")) or text_of(part(data, "errorMessage"))).strip('"')).text
    status = count(part(data, "statusCode")) or 0
    kind = DIALECT.kind(words) or by_status(status) or K.CRASHED
    kind = K.RATE_LIMITED if part(data, "errorType") == "rate_limit" and kind is not K.QUOTA else kind
    return failure(kind, words if not status or str(status) in words else f"HTTP {status}: {words}")


COPILOT = Adapter(
    name="copilot",
    executable="copilot",
    install="npm install -g @github/copilot",
    login="copilot login",
    read_only="only `view`, `grep`, `glob` exist for the model; custom instructions and MCP servers are off",
    usage="tokens",
    build=build,
    read=read,
    watch=watch,
    keep=keep,
    env=("COPILOT_PROVIDER_*", "COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_HOME", *TOKENS, "GH_HOST", "GH_CONFIG_DIR"),
    denied_env=("COPILOT_ALLOW_ALL",),
)
