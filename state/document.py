"""The file of a deliberation: its events, and what programs want to read off without playing them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from state.clean import one_line
from state.failures import FailureKind
from state.models import SCHEMA_VERSION, Failure, Seat, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import Turn, headline, round_of, rounds_completed, speeches

_EVENTS = "events"
_DIGITS = 10
_EVENT_TYPES = ("opened", "turn_started", "turn_ended", "resumed", "ended")
_UNSPENT = (FailureKind.NOT_INSTALLED, FailureKind.NOT_RUNNABLE)


class BadState(Exception):
    """A file that is no deliberation that this program can read. `remedy` is the one thing to do."""

    def __init__(self, path: Path | str, reason: str, remedy: str) -> None:
        self.path, self.reason, self.remedy = path, one_line(reason, 300), remedy
        super().__init__(f"{path}: {self.reason}. {remedy}")


def document(record: Record) -> dict[str, Any]:
    """The record as the file holds it. Everything but the events is read off them again at each save."""
    opened, settings = record.opened, record.settings
    derived = {
        "schema_version": SCHEMA_VERSION,
        "id": opened.id,
        "format": opened.format,
        "topic": opened.topic,
        "status": record.status,
        "headline": headline(record),
        **{seat.role: _chair(record, seat) for seat in record.seats},
        "effort": settings.effort,
        "rounds_completed": rounds_completed(record),
        "max_rounds": settings.rounds,
        "exchanges": [_exchange(turn) for turn in speeches(record)],
        "verdict": _dump(record.verdict) if record.verdict else None,
        "judging": _judging(record),
        "failures": [
            _failure(record, e, e.envelope.failure)
            for e in record.events
            if isinstance(e, TurnEnded) and e.envelope.failure
        ],
        "usage": _usage(record),
        "context": list(settings.context),
        "cwd": opened.cwd,
        "view": _dump(opened.view) if opened.view else None,
        "rehearsal": opened.rehearsal is not None,
        "timestamp": record.events[-1].at,
    }
    unknown = {key: value for key, value in (record.model_extra or {}).items() if key not in derived}
    return {**derived, **unknown, _EVENTS: [_dump(event) for event in record.events]}


def encoded(record: Record) -> bytes:
    """The file's bytes: strict JSON in UTF-8."""
    return orjson.dumps(document(record), option=orjson.OPT_INDENT_2) + b"\n"


def _dump(value: Any) -> dict[str, Any]:
    return value.model_dump(mode="json")


def _chair(record: Record, seat: Seat) -> dict[str, Any]:
    """The seat, and the model that really answered from it where the vendor said so."""
    said = [t.envelope for t in speeches(record) if t.seat.role == seat.role and t.envelope.tool == seat.tool]
    answered = [envelope.model for envelope in said if envelope.model]
    return {"tool": seat.tool, "model": answered[-1] if answered else seat.model, "asked_model": seat.model}


def _exchange(turn: Turn) -> dict[str, Any]:
    return {"round": turn.round, "role": turn.key.seat, **_dump(turn.envelope), "asked_model": turn.seat.model}


def _failure(record: Record, turn: TurnEnded, failure: Failure) -> dict[str, Any]:
    """What failed, and whether a later call made up for it."""
    key, envelope = turn.key, turn.envelope
    since = record.turn(key.step, key.seat)
    return {
        "round": round_of(key),
        "step": key.step,
        "seat": key.seat,
        "tool": envelope.tool,
        "at": turn.at,
        **_dump(failure),
        "raw": envelope.raw,
        "made_up_for": since is not None and since.envelope.failure is None,
    }


def _judging(record: Record) -> dict[str, Any]:
    """Who judged, or why nobody did; verdicts of earlier runs are kept under `superseded`."""
    verdicts = [event.verdict for event in record.events if event.type == "ended" and event.verdict]
    older = verdicts[:-1] if record.verdict else verdicts
    return {
        "judge": record.settings.judge,
        "panels": [[seat.tool for seat in panel] for panel in record.panels],
        "votes": [_dump(vote) for vote in record.verdict.votes] if record.verdict else [],
        "reason": record.ended.reason if record.ended and not record.verdict else None,
        "superseded": [_dump(verdict) for verdict in older],
    }


def _usage(record: Record) -> dict[str, Any]:
    """Totals of what the vendors said. Where not every call said it, or one was begun and never ended, `complete` is
    false and the totals mean "at least".
    """
    ended = [event for event in record.events if isinstance(event, TurnEnded)]
    begun = sum(isinstance(event, TurnStarted) for event in record.events)
    spent = [e.envelope.usage for e in ended if not (f := e.envelope.failure) or f.kind not in _UNSPENT]

    def total(name: str) -> Any:
        known = [getattr(u, name) for u in spent if getattr(u, name) is not None]
        return round(sum(known), 6) if known else None

    names = ("input_tokens", "output_tokens", "cost_usd")
    complete = begun <= len(ended) and all(getattr(u, name) is not None for u in spent for name in names)
    return {**{name: total(name) for name in names}, "complete": complete}


def read(path: Path) -> Record:
    """The record in this file. Raises BadState."""
    try:
        if path.exists() and not path.is_file():
            raise BadState(path, "it is not a file", "Name a file.")
        data = path.read_bytes()
    except OSError as error:
        raise BadState(path, (error.strerror or str(error)).lower(), "See `debate list`.") from None
    return load(data, path)


def load(data: bytes, path: Path | str) -> Record:
    """The record that these bytes hold. BadState when they are cut, foreign, newer, or lack what cannot be derived."""
    value = _parsed(data, path)
    _check_version(value.get("schema_version", SCHEMA_VERSION), path)
    if _EVENTS not in value:
        what = "it lacks the field 'events'" if "exchanges" in value else "it is not a debate of ours"
        raise BadState(path, what, "Name another file, or start a new debate.")
    extra = {key: v for key, v in value.items() if key not in _DERIVED}
    try:
        record = Record.model_validate({**extra, "schema_version": SCHEMA_VERSION, _EVENTS: value[_EVENTS]})
        record.check()
    except ValidationError as error:
        raise BadState(path, _where(error), "Mend that field, or start a new debate.") from None
    except ValueError as error:
        raise BadState(path, str(error), "Mend the file, or start a new debate.") from None
    return record


_DERIVED = frozenset(
    (
        *("schema_version", "id", "format", "topic", "status", "headline", "proposer", "challenger", "effort"),
        *("rounds_completed", "max_rounds", "exchanges", "verdict", "judging", "failures", "usage", "context"),
        *("cwd", "view", "rehearsal", "timestamp", _EVENTS),
    )
)


def _parsed(data: bytes, path: Path | str) -> Mapping[str, Any]:
    text = data.removeprefix(b"\xef\xbb\xbf")
    if not text.strip(b"\0 \t\r\n"):
        what = "it is empty" if not data else "it holds only NUL bytes or blanks"
        raise BadState(path, what, "Resume an earlier debate (debate list), or start a new one.")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        what = f"it is not complete JSON: {error.msg} at character {error.pos} of {len(text)}"
        raise BadState(path, what, "Resume an earlier debate (debate list), or start a new one.") from None
    if not isinstance(value, dict):
        raise BadState(path, "it is not a debate of ours: no JSON object", "Name another file.")
    return value


def _check_version(version: Any, path: Path | str) -> None:
    text = str(version)
    number = int(text) if isinstance(version, int | str) and text.isdecimal() and len(text) < _DIGITS else 0
    if number < 1:
        raise BadState(path, f"its schema_version {text!r} is not one of ours", "Name another file.")
    if number > SCHEMA_VERSION:
        what = f"it was written by a newer debate (version {number}; this one reads up to {SCHEMA_VERSION})"
        raise BadState(path, what, "Please update debate.")


def _where(error: ValidationError) -> str:
    """The first fault in one line: the field's place in the file, and what is wrong with it."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part not in _EVENT_TYPES)
    if first["type"] == "missing":
        return f"it lacks the field '{place}'"
    return f"the field '{place}' is not as expected: {first['msg']}"
