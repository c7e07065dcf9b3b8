"""The record of a deliberation: frozen values, validated, that keep keys they do not know."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from state.failures import FailureKind

SCHEMA_VERSION = 1

Effort = Literal["low", "medium", "high", "max"]
Transport = Literal["cli", "acp", "http"]
Rating = Literal["high", "medium", "low"]
Status = Literal[
    "open",
    "running",
    "completed",
    "partial",
    "aborted",
    "failed",
    "interrupted",
    "awaiting_verdict",
    "abandoned",
]


class Value(BaseModel):
    """A frozen value that keeps unknown keys, so that an older program loses nothing a newer one wrote."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Failure(Value):
    """Why there is no answer: the kind, the vendor's own words (cleaned, redacted, one or two lines), one thing to do.

    `retry_at` is the time (UTC, ISO 8601) at which the vendor said that waiting ends.
    """

    kind: FailureKind
    message: str
    remedy: str | None = None
    retry_at: str | None = None


class Usage(Value):
    """What a call cost, as the vendor said it; what it did not say is None. Cost in US dollars."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Attempt(Value):
    """One try of a call that was tried again."""

    failure: Failure
    started: str
    duration_ms: int
    usage: Usage = Usage()


class Envelope(Value):
    """What came back from a participant, whichever vendor and transport. Either `response` or `failure` is set.

    `model` is the one that answered, when the vendor says so. `raw` names the file that keeps a failed call's output.
    """

    tool: str
    model: str | None = None
    effort: Effort | None = None
    response: str | None = None
    failure: Failure | None = None
    session_id: str | None = None
    continuable: bool = False
    transport: Transport = "cli"
    duration_ms: int = 0
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    raw: str | None = None


class Seat(Value):
    """One chair at the table: who sits there and with which settings. `timeout_s` bounds each call, in seconds.

    `url` is the base address of a model that is reached over the network.
    """

    role: str
    tool: str
    model: str | None = None
    effort: Effort = "high"
    transport: Transport = "cli"
    timeout_s: float = 240
    url: str | None = None


class Exhibit(Value):
    """Text that every participant gets: read once at the opening. `truncated` counts the characters left out."""

    kind: Literal["diff", "file"]
    name: str
    text: str
    truncated: int = 0


class View(Value):
    """The frozen copy of the project that participants see. `digest` is a hash over names and contents.

    `paths` narrows it to parts of the project; `left_out` says what was not copied and why.
    """

    digest: str
    files: int
    bytes: int
    paths: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Settings(Value):
    """What was asked for, resolved at the opening; a changed configuration never changes a debate in flight."""

    rounds: int = 2
    effort: Effort = "high"
    judge: Literal["auto", "named", "none"] = "auto"
    judge_anyway: bool = False
    context: tuple[str, ...] = ()
    research: Literal["on", "off"] = "on"
    sessions: Literal["fresh", "continue"] = "fresh"


class Key(Value):
    """Names one speech: the step (`round-2`), the seat's role, and the try (0, and 1 more after each failure)."""

    step: str
    seat: str
    attempt: int = 0


class Opened(Value):
    """The deliberation began: everything that later steps depend on. `state_file` is the file that `--state` named."""

    type: Literal["opened"] = "opened"
    at: str
    id: str
    format: str
    topic: str
    seats: tuple[Seat, ...]
    panels: tuple[tuple[Seat, ...], ...] = ()
    settings: Settings = Settings()
    exhibits: tuple[Exhibit, ...] = ()
    view: View | None = None
    cwd: str
    state_file: str | None = None
    seed: str
    rehearsal: str | None = None
    prompts_version: int = 1
    program: str = ""


class TurnStarted(Value):
    """A participant was asked. The prompt lies beside the record; here are its SHA-256 and size in bytes.

    `continues`: the vendor's session that the prompt goes on with, so that it holds only what is new.
    """

    type: Literal["turn_started"] = "turn_started"
    at: str
    key: Key
    seat: Seat
    prompt_sha256: str
    prompt_bytes: int
    continues: str | None = None


class TurnEnded(Value):
    """A participant answered or failed."""

    type: Literal["turn_ended"] = "turn_ended"
    at: str
    key: Key
    envelope: Envelope


class Resumed(Value):
    """The deliberation was taken up again. `seats`, `panels` and `settings` replace the old ones where given."""

    type: Literal["resumed"] = "resumed"
    at: str
    seats: tuple[Seat, ...] | None = None
    panels: tuple[tuple[Seat, ...], ...] | None = None
    settings: Settings | None = None
    changes: tuple[str, ...] = ()


class Position(Value):
    """What one participant holds about a disputed point."""

    tool: str
    position: str


class Agreement(Value):
    """A point on which both sides agree, and the evidence for it."""

    point: str
    evidence: str = ""


class Disagreement(Value):
    """A point that stayed disputed, with each side's position."""

    point: str
    positions: tuple[Position, ...] = ()


class Citation(Value):
    """A judge's reference to a speech, and why it decided. `found` tells whether the quote stands in it word for word."""

    speech: str
    quote: str = ""
    found: bool | None = None
    why: str = ""


class Quality(Value):
    """How good the debate was, as the judge rates it."""

    genuine_disagreement: Rating
    evidence_quality: Rating
    challenge_depth: Rating


class Vote(Value):
    """One judge's ballot. `order` lists the participants' tools as this judge saw them."""

    judge: str
    model: str | None = None
    order: tuple[str, ...]
    winner: str
    reasoning: str


class Verdict(Value):
    """Who won and what to do. `winner` is the tool name of a participant."""

    winner: str
    reasoning: str
    recommendation: str
    agreements: tuple[Agreement, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    unresolved: tuple[str, ...] = ()
    quality: Quality
    citations: tuple[Citation, ...] = ()
    votes: tuple[Vote, ...] = ()
    confidence: Rating
    notes: tuple[str, ...] = ()


class Ended(Value):
    """A run ended. `reason` is said to the person when the status is not `completed`."""

    type: Literal["ended"] = "ended"
    at: str
    status: Status
    reason: str | None = None
    verdict: Verdict | None = None


Event = Annotated[Opened | TurnStarted | TurnEnded | Resumed | Ended, Field(discriminator="type")]
