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
        "sessions": settings.sessions,
        "rehearse": record.opened.rehearsal,
    }
    return {key: value for key, value in words.items() if value is not None}


def _text(seat: Seat) -> str:
    model = f":{seat.model}" if seat.model and seat.model != NO_MODEL else ""
    return f"{seat.tool}{model}@{seat.url or seat.effort}"


def resumed(record: Record, flags: Mapping[str, Any], table: Table) -> Resumed:
    """The event that begins the new run: seats and juries change only where a flag says so."""
    given = {key: value for key, value in flags.items() if value not in (None, False, ())}
    pairs = zip(record.seats, table.seats, strict=True)
    seats = tuple(_changed(old, new, given) for old, new in pairs)
    known = () if "judge" in given else tuple(juror for panel in record.panels for juror in panel)
    panels = tuple(tuple(_as_before(juror, known) for juror in panel) for panel in table.panels)
    judges = any(key in given for key in _JUDGING)
    settings = _settings(record.settings, given, table)
    return Resumed(
        at=now(),
        seats=seats if seats != record.seats else None,
        panels=panels if judges and panels != record.panels else None,
        settings=settings if settings != record.settings else None,
        changes=tuple(f"--{key.replace('_', '-')} {value}" for key, value in given.items() if key in _RECORDED),
    )


def _as_before(new: Seat, old: tuple[Seat, ...]) -> Seat:
    """The seat, reached as this tool was reached before: a new limit or model does not change the way to it."""
    ways = [seat.transport for seat in old if seat.tool == new.tool]
    return new.model_copy(update={"transport": ways[0]}) if ways else new


_RECORDED = frozenset((*_JUDGING, "model_proposer", "model_challenger", "judge_anyway"))


def _changed(old: Seat, new: Seat, given: Mapping[str, Any]) -> Seat:
    """The seat as the flags want it: replaced, changed, or as it was."""
    if old.role in given:
        return new
    return _as_before(new, (old,)) if {f"model_{old.role}", "timeout"} & set(given) else old


def _settings(settings: Settings, given: Mapping[str, Any], table: Table) -> Settings:
    changes: dict[str, Any] = {}
    if "judge" in given:
        changes["judge"] = table.judge
    if "judge_anyway" in given:
        changes["judge_anyway"] = True
    return settings.model_copy(update=changes)
