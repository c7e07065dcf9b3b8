"""What codex answered: its last message, if the turn was completed. Warnings and reconnects are no failures."""

import re
from typing import Any

from adapters.failing import failure, judged
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import count, part, text_of, values
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind
Event = dict[str, Any]

_RECONNECTING = re.compile(
    r"Reconnecting\.\.\. (?:\d+/\d+ \((?P<why>.*)\)|(?P<wait>waiting for network.*)|.*)", re.DOTALL
)
_TRAIL = re.compile(r"\.?, url: [^\s,)]+|, request id: [^\s)]+|(?: \(code -\d+\))?, data: \{.*\}")
DIALECT = Dialect(
    noise=re.compile(
        r"(?:Reading additional input from stdin|WARNING: proceeding|warning: |Warning: no last agent message|Usage: |codex exec "
        r"|note: run with|tip: |For more information|\d{4}-\d\d-\d\dT\S+ +(?:ERROR|WARN|INFO) ).*"
    ),
    kinds=((K.VENDOR_CONFIG, r"error (?:loading config|finding codex home)(?!.*unknown configuration field)"),),
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
        notes=_reconnects(events),
    )
    return envelope(ask, finished, said, DIALECT)


def _answer(events: list[Event]) -> str:
    """The last message of the turn: the ones before it tell what codex is about to do."""
    messages = (
        e.get("item")
        for e in events
        if e.get("type") == "item.completed" and part(e, "item", "type") == "agent_message"
    )
    texts = [text for message in messages if (text := text_of(part(message, "text")))]
    return texts[-1] if texts else ""


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
    return next(
        (text for e in reversed(events) if e.get("type") == "error" and (text := text_of(e.get("message")))), ""
    )


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


def _usage(end: Event | None) -> Usage:
    """Tokens as codex counts them: cached ones are part of the input, reasoning is part of the output. It names no price."""
    usage = part(end, "usage")
    return Usage(input_tokens=count(part(usage, "input_tokens")), output_tokens=count(part(usage, "output_tokens")))
