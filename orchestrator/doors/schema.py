"""The JSON Schema of a line of `--events`: what a program that follows a run may rely on. Only `debate schema` needs it."""

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from orchestrator.doors.stream import VERSION
from state.models import Envelope, Exhibit, Failure, Key, Seat, Settings, Status, Value, Verdict, View, Vote


class _Line(Value):
    v: Literal[1] = VERSION
    seq: int = Field(description="1 for the first line of a run, and 1 more with each.")
    time: str = Field(description="ISO 8601, UTC, with Z.")
    debate_id: str


class _OfCall(_Line):
    """A line about one call; `round` is null while judging."""

    round: int | None
    role: str
    tool: str
    key: Key


class OpenedLine(_Line):
    """The run began. After a resume, only what was replaced is given, and `changes` says why."""

    type: Literal["opened"]
    seats: tuple[Seat, ...] | None
    panels: tuple[tuple[Seat, ...], ...] | None
    settings: Settings | None
    format: str | None = None
    topic: str | None = None
    exhibits: tuple[Exhibit, ...] | None = None
    view: View | None = None
    cwd: str | None = None
    state_file: str | None = None
    rehearsal: str | None = None
    program: str | None = None
    changes: tuple[str, ...] | None = None


class TurnStartedLine(_OfCall):
    """A participant was asked."""

    type: Literal["turn_started"]
    timeout_s: float


class ActivityLine(_OfCall):
    """A participant is at work: on what, and how many characters it has written."""

    type: Literal["activity"]
    what: str | None
    written: int


class RetryingLine(_OfCall):
    """A call failed and is tried again after so many seconds."""

    type: Literal["retrying"]
    failure: Failure
    seconds: float
    attempt: int
    limit: int


class TurnEndedLine(_OfCall):
    """A participant answered or failed."""

    type: Literal["turn_ended"]
    envelope: Envelope


class RoundEndedLine(_Line):
    """All have spoken in this round."""

    type: Literal["round_ended"]
    round: int


class JudgingStartedLine(_Line):
    """The first judge of this run is about to be asked."""

    type: Literal["judging_started"]
    panel: list[Seat]


class VoteLine(Vote, _Line):
    """One judge's vote."""

    type: Literal["vote"]


class VerdictLine(Verdict, _Line):
    """The verdict."""

    type: Literal["verdict"]


class WarningLine(_Line):
    """Something that a person should know."""

    type: Literal["warning"]
    text: str


class EndedLine(_Line):
    """The run is over."""

    type: Literal["ended"]
    status: Status
    reason: str | None


EventLine = Annotated[
    OpenedLine
    | TurnStartedLine
    | ActivityLine
    | RetryingLine
    | TurnEndedLine
    | RoundEndedLine
    | JudgingStartedLine
    | VoteLine
    | VerdictLine
    | WarningLine
    | EndedLine,
    Field(discriminator="type"),
]


class EventLines(RootModel[EventLine]):
    """One line."""


def schema() -> dict[str, Any]:
    """The JSON Schema of a line."""
    found = EventLines.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
