"""From the end of a conversation to an envelope: an error is a failure, also one that was told as an answer."""

import re
from collections.abc import Mapping
from typing import Any

from adapters.acp.conversation import Talk
from adapters.failing import by_code, by_status, failure, inner, words
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import count, part, text_of
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Envelope, Failure

K = FailureKind
AUTH_REQUIRED = -32000
_STOPS = {
    "max_tokens": (K.TRUNCATED, "the answer was cut off at the model's length limit"),
    "max_turn_requests": (K.EMPTY, "the agent went round in circles and gave up"),
    "refusal": (K.REFUSED, "the model declined to answer"),
    "cancelled": (K.CANCELLED, "the turn was cancelled"),
}
_PREFIX = re.compile(r"\A(?:Internal error: )+")
_WARNING = re.compile(r"\A(?:Warning: )?Model metadata .*?(?:\n|\Z)")


def read(ask: Ask, finished: Finished, dialect: Dialect) -> Envelope:
    """The envelope of a call over ACP."""
    talk = finished.progress.talk
    said = _said(talk, dialect) if isinstance(talk, Talk) else Said(structured=True)
    made = envelope(ask, finished, said, dialect)
    notes = tuple(note for note in made.notes if not note.startswith("had to be stopped"))
    told = _told(made.failure, finished, talk) if made.failure and isinstance(talk, Talk) else made.failure
    return made.model_copy(update={"transport": "acp", "notes": notes, "failure": told})


def _told(failed: Failure, finished: Finished, talk: Talk) -> Failure:
    """The failure with what only the conversation knows: which request stayed unanswered, how one logs in."""
    if failed.kind is K.TIMED_OUT and talk.waiting != "session/prompt":
        last = words(finished.stderr.decode("utf-8", "replace").strip()[-2000:]).rpartition("\n")[2]
        why = f"no answer to {talk.waiting} in {finished.duration_s:.0f} s, so it may be no ACP agent"
        return failed.model_copy(update={"message": f"{why}; its last words: {last}" if last else why})
    if failed.kind is K.NOT_LOGGED_IN and talk.logins:
        return failed.model_copy(update={"message": f"{failed.message} (by hand: {', '.join(talk.logins)})"})
    return failed


def _said(talk: Talk, dialect: Dialect) -> Said:
    text = _WARNING.sub("", talk.text)
    failed = _failed(talk, text, dialect)
    return Said(
        text=text,
        complete=talk.stop == "end_turn",
        failure=failed,
        structured=talk.stop is not None,
        model=talk.model,
        session_id=talk.session,
        usage=talk.usage,
        notes=talk.notes,
    )


def _failed(talk: Talk, text: str, dialect: Dialect) -> Failure | None:
    if talk.error is not None:
        return _of_error(talk.error, talk.waiting, dialect)
    if talk.stop is not None and talk.stop != "end_turn":
        kind, told = _STOPS.get(talk.stop, (K.CRASHED, f"the turn ended with {talk.stop!r}"))
        return failure(kind, told)
    if talk.stop is not None and not text.strip() and talk.asides:
        told = talk.asides[-1]
        return failure(dialect.kind(told) or K.EMPTY, words(told))
    return None


def _of_error(error: Mapping[str, Any], step: str, dialect: Dialect) -> Failure:
    """The failure that a JSON-RPC error stands for; some agents put an HTTP status into its code."""
    code, data = count(error.get("code")), error.get("data")
    told = text_of(error.get("message")) or f"{step} failed"
    more = next(filter(None, (text_of(part(data, name)) for name in ("details", "message"))), "")
    if step == "session/load":
        return failure(K.SESSION_LOST, words(f"the session cannot be loaded: {told} {more}"))
    said = _PREFIX.sub("", inner(f"{told}: {more}" if more and more not in told else told).text)
    kind = dialect.kind(f"{said} {text_of(part(data, 'errorName'))}") or by_code(text_of(part(data, "errorKind")))
    kind = kind or (K.NOT_LOGGED_IN if error.get("code") == AUTH_REQUIRED else by_status(code or 0))
    if kind is None and error.get("code") == -32601 and step == "initialize":
        return failure(K.UNPARSABLE, f"this program does not speak ACP: {told}")
    return failure(kind or K.CRASHED, words(said))
