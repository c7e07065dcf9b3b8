"""What codex answered: its last message, if the turn was completed. Warnings and reconnects are no failures."""

import itertools
import re
from typing import Any

from adapters.failing import failure, judged, words
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import count, part, text_of, values
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind
Event = dict[str, Any]

_CALLS = ("command_execution", "mcp_tool_call", "web_search", "file_change")

_RECONNECTING = re.compile(
    r"Reconnecting\.\.\. (?:\d+/\d+ \((?P<why>.*)\)|(?P<wait>waiting for network.*)|.*)", re.DOTALL
)
_TRAIL = re.compile(r"\.?, url: [^\s,)]+|, request id: [^\s)]+|(?: \(code -\d+\))?, data: \{.*\}")
DIALECT = Dialect(
    noise=re.compile(
        r"(?:Reading additional input from stdin|WARNING: proceeding|warning: |Warning: no last agent message|Usage: |codex exec "
        r"|note: run with|tip: |For more information|\d{4}-\d\d-\d\dT\S+ +(?:ERROR|WARN|INFO) ).*"
    ),
    kinds=(
        (
            K.VENDOR_CONFIG,
            r"error (?:loading config|finding codex home)(?!.*unknown configuration field)|trusted directory",
        ),
    ),
)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope of one call: the last event that ends a turn tells, however the process ended."""
    events = values(finished.stdout)
    end = next((e for e in reversed(events) if e.get("type") in ("turn.completed", "turn.failed")), None)
    answer = _answer(events)
    said = Said(
        text=answer,
        complete=end is not None,
        failure=_refused(end, events, answer, finished) if end else _broken_off(events, finished),
        structured=bool(events),
        session_id=next((s for e in events if isinstance(s := e.get("thread_id"), str)), None),
        usage=_usage(end),
        notes=(*_reconnects(events), *_blind(events)),
    )
    return envelope(ask, finished, said, DIALECT)


def _answer(events: list[Event]) -> str:
    """The last message of the turn. The ones before it, and before a tool call, tell what codex is about to do."""
    text = ""
    for event in events:
        if _is_call(event):
            text = ""
        elif _is_message(event):
            said = text_of(part(event, "item", "text"))
            text = said if said.strip() else text
    return text


def _is_call(event: Event) -> bool:
    return event.get("type") == "item.started" and part(event, "item", "type") in _CALLS


def _is_message(event: Event) -> bool:
    return event.get("type") == "item.completed" and part(event, "item", "type") == "agent_message"


def _refused(end: Event, events: list[Event], answer: str, finished: Finished) -> Failure | None:
    if end.get("type") == "turn.failed":
        text = text_of(part(end, "error", "message")) or _last_error(events) or "the turn failed"
        return _told(text, finished)
    return None if answer.strip() else failure(K.EMPTY, "the turn was completed without any text")


def _broken_off(events: list[Event], finished: Finished) -> Failure | None:
    """What the last error event tells of a turn without an end, unless the call was ended by us for a reason of our own."""
    text = _last_error(events) or _start_error(finished)
    if not text or finished.ended not in ("exit", "deadline"):
        return None
    return reconnect(text) or _told(text, finished)


def _last_error(events: list[Event]) -> str:
    """The last error event, if codex did not get on with its work after it."""
    since = itertools.takewhile(lambda e: not _is_call(e) and not _is_message(e), reversed(events))
    return next((text for e in since if e.get("type") == "error" and (text := text_of(e.get("message")))), "")


def _start_error(finished: Finished) -> str:
    """Why the turn was not begun: a line on stderr that ends in a JSON object for machines."""
    found = re.search(rb"^Error: turn/start: (.*)", finished.stderr, re.MULTILINE)
    return found[1].decode("utf-8", "replace") if found else ""


def _told(text: str, finished: Finished) -> Failure:
    return judged(_TRAIL.sub("", text), now=finished.ended_at)


def reconnect(message: str) -> Failure | None:
    """Why codex tries again, if this error event tells of a reconnect."""
    found = _RECONNECTING.match(message)
    return judged(_TRAIL.sub("", found["why"] or found["wait"] or message), otherwise=K.NETWORK) if found else None


def _reconnects(events: list[Event]) -> tuple[str, ...]:
    tries = sum(1 for e in events if e.get("type") == "error" and _RECONNECTING.match(text_of(e.get("message"))))
    return (f"reconnected {tries} times" if tries > 1 else "reconnected once",) if tries else ()


def _blind(events: list[Event]) -> tuple[str, ...]:
    """That the sandbox did not start: every command failed, and the model answered without having read anything."""
    outputs = (text_of(part(e, "item", "aggregated_output")) for e in events if e.get("type") == "item.completed")
    why = next((found[0] for output in outputs if (found := re.search(r"^bwrap: .*", output, re.MULTILINE))), None)
    return (f"codex read nothing, its sandbox does not start here: {words(why)}",) if why else ()


def _usage(end: Event | None) -> Usage:
    """Tokens as codex counts them: cached ones are part of the input, reasoning is part of the output. It names no price."""
    usage = part(end, "usage")
    return Usage(input_tokens=count(part(usage, "input_tokens")), output_tokens=count(part(usage, "output_tokens")))
