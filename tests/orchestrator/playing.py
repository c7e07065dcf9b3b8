"""A small table to play deliberations at: every prompt is really rendered, every answer comes from a script."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import prompts
from orchestrator.formats.debate import next_step
from orchestrator.formats.spec import End, Speech, Step
from state.failures import FailureKind
from state.models import Ended, Envelope, Failure, Opened, Resumed, Seat, Settings, TurnEnded, TurnStarted
from state.record import Record

NOW = "2026-11-30T12:00:00Z"
COPILOT, CODEX = Seat(role="judge", tool="copilot"), Seat(role="judge", tool="codex")
CLAUDE, GEMINI = Seat(role="proposer", tool="claude"), Seat(role="challenger", tool="gemini")
AUTO = ((COPILOT,), (CODEX,), (CLAUDE, GEMINI))

Script = Callable[[Speech, str], Envelope]


def opened(rounds: int = 2, panels: tuple[tuple[Seat, ...], ...] = AUTO, **more: Any) -> Record:
    """A debate that has just been opened; `more` are fields of the opening or of its settings."""
    settings = {name: more.pop(name) for name in list(more) if name in Settings.model_fields}
    values = {"topic": "Postgres or Redis for the job queue?", "seed": "seed-1", **more}
    opening = Opened(
        at=NOW,
        id="debate-1",
        format="debate",
        seats=(CLAUDE, GEMINI),
        panels=panels,
        cwd="/project",
        settings=Settings(rounds=rounds, **settings),
        **values,
    )
    return Record(events=(opening,))


def prompt(speech: Speech) -> str:
    """The prompt as the engine renders it."""
    return prompts.render(speech.template, **speech.values)


def schema_of(text: str) -> dict[str, Any]:
    """The schema of a judging prompt, found as a stranger finds it."""
    return json.loads(re.findall(r"```json-schema\s*\n(.*?)\n\s*```", text, re.DOTALL)[-1])


def ballot(speech: Speech, role: str = "challenger", **changes: Any) -> dict[str, Any]:
    """A lawful ballot for this role, from the schema in the prompt; a round's first speech is the proposer's."""
    schema = schema_of(prompt(speech))
    first = min(speech.values["transcript"], key=lambda turn: int(turn["id"].rsplit("-", 1)[1]))
    labels = schema["properties"]["winner"]["enum"]
    winner = first["side"] if role == "proposer" else next(label for label in labels if label != first["side"])
    return (
        instance(schema)
        | {"winner": winner, "recommendation": "Keep the queue in Postgres.", "confidence": "high"}
        | changes
    )


def instance(schema: dict[str, Any]) -> Any:
    """The smallest value that satisfies a schema of the contract's keywords."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: instance(field) for name, field in schema["properties"].items()}
    if schema["type"] == "array":
        return [instance(schema["items"])]
    return "" if "exactly" in schema.get("description", "") else "Some words."


def answer(speech: Speech, text: str) -> Envelope:
    return Envelope(tool=speech.seat.tool, response=text)


def failed(speech: Speech, kind: FailureKind = FailureKind.CRASHED) -> Envelope:
    return Envelope(tool=speech.seat.tool, failure=Failure(kind=kind, message="words of the vendor"))


def well(speech: Speech, text: str) -> Envelope:
    """Everybody speaks, every judge votes for the challenger."""
    del text
    if speech.key.step.startswith("round"):
        return answer(speech, f'I hold this. {speech.seat.tool}-{speech.key.step} [E1] app.py:1 "queue"')
    return answer(speech, json.dumps(ballot(speech)))


def play(record: Record, script: Script = well, calls: list[Speech] | None = None) -> Record:
    """The record played to its end."""
    while isinstance(step := next_step(record), Step):
        record = record.after(*(e for speech in step.speeches for e in _asked(speech)))
        for speech in step.speeches:
            if calls is not None:
                calls.append(speech)
            record = record.after(TurnEnded(at=NOW, key=speech.key, envelope=script(speech, prompt(speech))))
    return record.after(Ended(at=NOW, status=step.status, reason=step.reason, verdict=step.verdict))


def _asked(speech: Speech) -> Iterable[TurnStarted]:
    yield TurnStarted(
        at=NOW, key=speech.key, seat=speech.seat, prompt_sha256="0" * 64, prompt_bytes=1, continues=speech.continues
    )


def end(record: Record, script: Script = well) -> End:
    """How the record ends when played."""
    result = next_step(play(record, script))
    assert isinstance(result, End)
    return result


def resumed(record: Record, **changes: Any) -> Record:
    return record.after(Resumed(at=NOW, **changes))


def failing(step: str, seat: str | None = None, kind: FailureKind = FailureKind.CRASHED) -> Script:
    """Goes well but for this seat in this step."""

    def script(speech: Speech, text: str) -> Envelope:
        hit = speech.key.step.startswith(step) and seat in (None, speech.key.seat, speech.seat.tool)
        return failed(speech, kind) if hit else well(speech, text)

    return script


def judging(write: Callable[[Speech], str]) -> Script:
    """Goes well, but judges write this."""

    def script(speech: Speech, text: str) -> Envelope:
        return well(speech, text) if speech.key.step.startswith("round") else answer(speech, write(speech))

    return script
