"""The JSON Schema of the file: what a program that reads it may rely on. Only `debate schema` needs it."""

from typing import Any, Literal

from pydantic import Field

from state.models import (
    Effort,
    Envelope,
    Event,
    Failure,
    Status,
    Usage,
    Value,
    Verdict,
    View,
    Vote,
)


class Chair(Value):
    """A seat: its tool, the model that really answered where the vendor said so, and the one that was asked for."""

    tool: str
    model: str | None
    asked_model: str | None


class Exchange(Envelope):
    """One speech that was given, in the order of the rounds."""

    round: int
    role: str
    asked_model: str | None


class FailedCall(Failure):
    """A call that gave no answer. `raw` names the file that keeps its output; `made_up_for`: a later call succeeded."""

    round: int | None
    step: str
    seat: str
    tool: str
    at: str
    raw: str | None
    made_up_for: bool


class Judging(Value):
    """Who may judge and who did, or why nobody did. `superseded` keeps the verdicts of earlier runs."""

    judge: Literal["auto", "named", "none"]
    panels: list[list[str]]
    votes: list[Vote]
    reason: str | None
    superseded: list[Verdict]


class Totals(Usage):
    """What the vendors said that all calls cost. Not `complete` means "at least"."""

    complete: bool


class Document(Value):
    """A debate. `events` is the truth; everything else is read off it at each save. Times are UTC."""

    schema_version: int
    id: str
    format: str
    topic: str
    status: Status
    headline: str
    proposer: Chair
    challenger: Chair
    effort: Effort
    rounds_completed: int
    max_rounds: int
    exchanges: list[Exchange]
    verdict: Verdict | None
    judging: Judging
    failures: list[FailedCall]
    usage: Totals
    context: list[str]
    cwd: str
    view: View | None
    rehearsal: bool
    timestamp: str = Field(description="When the last event happened: ISO 8601, UTC, with Z.")
    events: list[Event]


def schema() -> dict[str, Any]:
    """The JSON Schema of a debate's file."""
    found = Document.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
