"""A judge's ballot: the schema that asks for it, and finding it in whatever the judge wrote around it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from orchestrator.verdict.evasion import evades
from orchestrator.verdict.objects import Objects, objects
from state.models import Rating

RATINGS = ("high", "medium", "low")
DECISIVE_LIMIT = 3
SHORT = 40


def _folded(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _first_few(value: Any) -> Any:
    return value[:DECISIVE_LIMIT] if isinstance(value, list) else value


def _text_or_none(value: Any) -> Any:
    return "" if value is None else value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Optional = Annotated[str, BeforeValidator(_text_or_none)]
Level = Annotated[Rating, BeforeValidator(_folded)]


class Part(BaseModel):
    """A part of a ballot. What a judge adds to it is dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Decisive(Part):
    """An argument that decided: the speech it stands in, a quotation from it, why it decided."""

    speech: str
    quote: Optional
    why: Text


class Ratings(Part):
    """How good the debate was."""

    genuine_disagreement: Level
    evidence_quality: Level
    challenge_depth: Level


class Shared(Part):
    """A point on which both sides agree."""

    point: Text
    evidence: Optional


class Disputed(Part):
    """A point that stayed disputed; `positions` by label."""

    point: Text
    positions: dict[str, str]


class Ballot(Part):
    """A valid ballot. `winner` is one of the labels that the judge was given."""

    nonce: str
    winner: str
    reasoning: Text
    decisive: Annotated[tuple[Decisive, ...], BeforeValidator(_first_few)]
    quality: Ratings
    agreements: tuple[Shared, ...]
    disagreements: tuple[Disputed, ...]
    unresolved: tuple[str, ...]
    recommendation: Text
    confidence: Level


def schema(labels: Sequence[str], speeches: Sequence[str], nonce: str) -> str:
    """The JSON Schema of a ballot for these labels and speeches, as the text that stands in the prompt."""
    level = {"type": "string", "enum": list(RATINGS)}
    fields = {
        "nonce": {"const": nonce, "description": "Copied as it stands."},
        "decisive": _list(
            _object(
                speech={"type": "string", "enum": list(speeches)},
                quote=_text("Its words, copied exactly; or empty."),
                why=_text("Why this decided."),
            ),
            "The one to three arguments that decided.",
            minItems=1,
            maxItems=DECISIVE_LIMIT,
        ),
        "reasoning": _text("Why the winner had the stronger argument, citing speeches by number."),
        "winner": {"type": "string", "enum": list(labels)},
        "quality": _object(genuine_disagreement=level, evidence_quality=level, challenge_depth=level),
        "agreements": _list(_object(point=_text("What both hold."), evidence=_text("What supports it."))),
        "disagreements": _list(
            _object(
                point=_text("What stayed disputed."),
                positions=_object(**{label: _text("Its position.") for label in labels}),
            )
        ),
        "unresolved": _list(_text("A question that neither side covered.")),
        "recommendation": _text("The action to take next."),
        "confidence": level | {"description": "How sure you are of the winner."},
    }
    lines = ",\n".join(f"{_json(name)}:{_json(field)}" for name, field in fields.items())
    return f'{{"type":"object","required":{_json(list(fields))},"properties":{{\n{lines}\n}}}}'


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _list(items: dict[str, Any], description: str = "", **bounds: int) -> dict[str, Any]:
    return {"type": "array", "items": items, **bounds} | ({"description": description} if description else {})


def _object(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields)}


def read_ballot(text: str, labels: Sequence[str], nonce: str, transcript: Collection[str]) -> Ballot | str:
    """The ballot that a judge's answer holds, or in a few words what is wrong with the answer.

    It is the last complete JSON object that carries this call's nonce and is valid; prose is never searched for a
    winner. `transcript` holds the ids of the speeches.
    """
    found = objects(text)
    ours = {start: value for start, value in found.complete.items() if _folded(value.get("nonce")) == nonce}
    unfinished = found.cut_off is not None and nonce in text[found.cut_off :] and max(ours, default=-1) < found.cut_off
    if not ours or unfinished:
        return _diagnosis(found, labels, nonce_seen=nonce in text)
    read = [_validated(value, labels, transcript) for value in ours.values()]
    ballots = [ballot for ballot in read if isinstance(ballot, Ballot)]
    if len({ballot.winner for ballot in ballots}) > 1:
        return "two verdicts"
    return ballots[-1] if ballots else read[-1]


def _diagnosis(found: Objects, labels: Sequence[str], *, nonce_seen: bool) -> str:
    if found.cut_off is not None:
        return "the judge's answer was cut off"
    named = [value["winner"] for value in found.complete.values() if "winner" in value]
    if named:
        return _stranger(named[-1], labels) or "the verdict object does not carry the nonce of this call"
    return "the verdict object is not valid JSON" if nonce_seen else "no verdict object"


def label_of(winner: Any, labels: Sequence[str]) -> str | None:
    """The label that this names as a whole, whatever its case and the blanks round it."""
    wanted = _folded(winner)
    return next((label for label in labels if label.casefold() == wanted), None)


def _stranger(winner: Any, labels: Sequence[str]) -> str | None:
    if label_of(winner, labels):
        return None
    return f"{_short(winner)} is not one of the labels ({', '.join(labels)})"


def _short(value: Any) -> str:
    words = " ".join(str(value).split()) or "an empty name"
    return words if len(words) <= SHORT else words[: SHORT - 1] + "…"


def _validated(value: Mapping[str, Any], labels: Sequence[str], transcript: Collection[str]) -> Ballot | str:
    if stranger := _stranger(value.get("winner"), labels):
        return stranger
    try:
        ballot = Ballot.model_validate({**value, "winner": label_of(value["winner"], labels)})
    except ValidationError as error:
        return _first_error(error)
    return _objection(ballot, labels, transcript) or ballot


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(_short(step) for step in first['loc'])}: {first['msg']}"


def _objection(ballot: Ballot, labels: Sequence[str], transcript: Collection[str]) -> str | None:
    unknown = next((item.speech for item in ballot.decisive if item.speech not in transcript), None)
    if not ballot.decisive:
        return "decisive: no argument is named"
    if unknown is not None:
        return f"{_short(unknown)} is not one of the speeches"
    if any(set(item.positions) != set(labels) for item in ballot.disagreements):
        return f"disagreements: the positions are not those of {' and '.join(labels)}"
    return "the recommendation is not an action" if evades(ballot.recommendation) else None
