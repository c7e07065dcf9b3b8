"""Taking a debate up again: its own settings, and what the person changes on purpose."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.engine import now
from orchestrator.request.request import Request
from orchestrator.request.settings import load
from orchestrator.seating import NO_MODEL, Table
from state.models import Resumed, Seat, Settings
from state.record import Record

_SEATS = ("proposer", "challenger")
_JUDGING = ("judge", "timeout", *_SEATS)


def request_again(record: Record, flags: Mapping[str, Any], environ: Mapping[str, str]) -> Request:
    """The request of this debate as it would be made now: what it was opened with, under the flags given."""
    folder = Path(record.opened.cwd)
    settings = load(environ, folder, words=_as_words(record), flags=flags)
    return Request(record.opened.topic, folder, settings, settings.warnings)


def _as_words(record: Record) -> dict[str, Any]:
    settings = record.settings
    named = ",".join(_text(seat) for seat in record.panels[0]) if settings.judge == "named" else settings.judge
    words = {
        **{seat.role: _text(seat) for seat in record.seats},
        "rounds": settings.rounds,
        "effort": settings.effort,
        "judge": named,
        "research": settings.research,
        "rehearse": record.opened.rehearsal,
    }
    return {key: value for key, value in words.items() if value is not None}


def _text(seat: Seat) -> str:
    model = f":{seat.model}" if seat.model and seat.model != NO_MODEL else ""
    return f"{seat.tool}{model}@{seat.url or seat.effort}"


def resumed(record: Record, flags: Mapping[str, Any], table: Table) -> Resumed:
    """The event that begins the new run: seats and juries change only where a flag says so."""
    given = {key: value for key, value in flags.items() if value not in (None, False, ())}
    seats = tuple(new if _touches(given, old.role) else old for old, new in zip(record.seats, table.seats, strict=True))
    judges = any(key in given for key in _JUDGING)
    settings = _settings(record.settings, given, table)
    return Resumed(
        at=now(),
        seats=seats if seats != record.seats else None,
        panels=table.panels if judges and table.panels != record.panels else None,
        settings=settings if settings != record.settings else None,
        changes=tuple(f"--{key.replace('_', '-')} {value}" for key, value in given.items() if key in _RECORDED),
    )


_RECORDED = frozenset((*_JUDGING, "model_proposer", "model_challenger", "judge_anyway"))


def _touches(given: Mapping[str, Any], role: str) -> bool:
    return bool({role, f"model_{role}", "timeout"} & set(given))


def _settings(settings: Settings, given: Mapping[str, Any], table: Table) -> Settings:
    changes: dict[str, Any] = {}
    if "judge" in given:
        changes["judge"] = table.judge
    if "judge_anyway" in given:
        changes["judge_anyway"] = True
    return settings.model_copy(update=changes)
