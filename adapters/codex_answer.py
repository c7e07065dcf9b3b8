"""What codex answered: its last message, if the turn was completed. Warnings and reconnects are no failures."""

import re
from typing import Any

from adapters.ending import ending_notes, named, without_result
from adapters.failing import failure, said
from adapters.reading import count, part, text_of, values
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind
Event = dict[str, Any]

_RECONNECTING = re.compile(r"Reconnecting\.\.\.\s*(?:\d+/\d+ *)?\(?(.*?)\)?\s*$", re.DOTALL)
_TRAIL = re.compile(r"\.?, url: [^\s,)]+|, request id: [^\s)]+|(?: \(code -\d+\))?, data: \{.*\}")
_NOISE = re.compile(
    r"Reading additional input from stdin|WARNING: proceeding|warning: Untrusted project-local|\d{4}-\d\d-\d\dT\S+ +(?:ERROR|WARN|INFO) "
    r"|Warning: no last agent message|Usage: |note: run with|\s+codex exec |  tip: |For more information",
)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope of one call, whichever way its process ended."""
    events = values(finished.stdout)
    end = next((e for e in reversed(events) if e.get("type") in ("turn.completed", "turn.failed")), None)
    answer = _answer(events)
    failed = _refused(end, events, answer, finished) if end else _without_end(events, finished)
    return Envelope(
        tool=ask.seat.tool,
        effort=ask.seat.effort,
        response=None if failed else answer,
        failure=named(failed, ask) if failed else None,
        session_id=next((s for e in events if isinstance(s := e.get("thread_id"), str)), None),
        duration_ms=round(finished.duration_s * 1000),
        usage=_usage(end),
        notes=() if failed else (*_reconnects(events), *ending_notes(finished)),
    )


def _answer(events: list[Event]) -> str:
    """The last message of the turn: the ones before it tell what codex is about to do."""
    messages = (e.get("item") for e in events if e.get("type") == "item.completed" and part(e, "item", "type") == "agent_message")
    texts = [text for message in messages if (text := text_of(part(message, "text")))]
    return texts[-1] if texts else ""


def _refused(end: Event, events: list[Event], answer: str, finished: Finished) -> Failure | None:
    if end.get("type") == "turn.failed":
        text = text_of(part(end, "error", "message")) or _last_error(events) or "the turn failed"
        return _told(text, finished)
    return None if answer.strip() else failure(K.EMPTY, "the turn was completed without any text")


def _without_end(events: list[Event], finished: Finished) -> Failure:
    """Why the turn has no end: by the last error event, else by stderr without codex's notices, else by the ending."""
    text = _last_error(events) or _complaint(finished)
    return without_result(finished, _told(text, finished) if text else None, [e.get("type") for e in events])


def _last_error(events: list[Event]) -> str:
    return next((text for e in reversed(events) if e.get("type") == "error" and (text := text_of(e.get("message")))), "")


def _complaint(finished: Finished) -> str:
    lines = [line for line in finished.stderr.decode("utf-8", "replace").splitlines() if not _NOISE.match(line)]
    errors = [number for number, line in enumerate(lines) if re.match(r"\s*error\b", line, re.IGNORECASE)]
    return "\n".join(lines[errors[0] :] if errors else lines)


def _told(text: str, finished: Finished) -> Failure:
    return said(_TRAIL.sub("", text), now=finished.ended_at)


def reconnect(message: str) -> Failure | None:
    """Why codex tries again, if this error event tells of a reconnect."""
    found = _RECONNECTING.match(message)
    return said(_TRAIL.sub("", found[1]), otherwise=K.NETWORK) if found else None


def _reconnects(events: list[Event]) -> tuple[str, ...]:
    tries = sum(1 for e in events if e.get("type") == "error" and _RECONNECTING.match(text_of(e.get("message"))))
    return (f"reconnected {tries} times" if tries > 1 else "reconnected once",) if tries else ()


def _usage(end: Event | None) -> Usage:
    """Tokens as codex counts them: cached ones are part of the input, reasoning is part of the output. It names no price."""
    usage = part(end, "usage")
    return Usage(input_tokens=count(part(usage, "input_tokens")), output_tokens=count(part(usage, "output_tokens")))
