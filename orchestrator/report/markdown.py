"""A debate's report: what was decided first, then what was said. No heading and no status in it is a model's: speeches are
quoted, and of what a judge wrote, lines that look like ours are marked.
"""

import re
from collections.abc import Iterable, Iterator

from orchestrator.lines import UNCONTESTED, is_uncontested
from orchestrator.totals import spent
from state.clean import clean
from state.models import Seat, Verdict
from state.record import Record
from state.rounds import headline, rounds_completed, turns

RIGOR = "the rules of debate are asked of the models by prompt; a judge's quotes are looked up in the speeches, its judgement is its own"
_LIKE_OURS = re.compile(r"^(?=[^\S\n]*(?:[#><]|-{3}|={3}|`{3}|~{3}|\*\*[^*\n]+\*\*:))", re.MULTILINE)
NO_MODEL_ASKED = "Rehearsal: the built-in offline speakers spoke. No model was asked, so this decides nothing."


def report(record: Record, *, transcript: bool = True) -> str:
    """The report as Markdown, harmless on a terminal, ending in a newline; with `transcript`, all that was said, too."""
    parts = [*_head(record), *_decision(record), *(_transcript(record) if transcript else ())]
    return clean("\n".join(parts)).rstrip() + "\n"


def _head(record: Record) -> Iterator[str]:
    if record.opened.rehearsal:
        yield f"> {NO_MODEL_ASKED}\n"
    yield "## Debate Summary\n"
    yield f"**Topic**: {_topic(record.opened.topic)}"
    for seat in record.seats:
        yield f"**{seat.role.capitalize()}**: {seat.tool} ({_model(record, seat)})"
    yield f"**Rounds**: {rounds_completed(record)}"
    yield f"**Rigor**: {RIGOR}"
    yield f"**Status**: {headline(record)}"
    for turn in turns(record):
        if turn.envelope.failure:
            yield f"**Failed**: {turn.seat.role} ({turn.seat.tool}), round {turn.round}: {_line(turn.envelope.failure.message)}"
    yield from _notes(record)
    yield from _judged(record.verdict)
    if not record.opened.rehearsal and (cost := spent(record)):
        yield f"**Usage**: {cost}"
    yield ""


def _topic(topic: str) -> str:
    lines = topic.strip().splitlines() or [""]
    return lines[0] if len(lines) == 1 else f"\n\n{_quoted(topic)}\n"


def _model(record: Record, seat: Seat) -> str:
    answered = [t.envelope.model for t in turns(record) if t.seat.role == seat.role and t.envelope.model]
    return ", ".join(dict.fromkeys(answered)) or seat.model or "its default model"


def _notes(record: Record) -> Iterator[str]:
    for turn in turns(record):
        for note in turn.envelope.notes:
            yield f"**Note**: {turn.seat.tool}, round {turn.round}: {_line(note)}"


def _judged(verdict: Verdict | None) -> Iterator[str]:
    if verdict is None:
        return
    for vote in verdict.votes:
        seen = ", then ".join(vote.order)
        yield f"**Judge**: {vote.judge}{f' ({vote.model})' if vote.model else ''}, shown {seen}: for {vote.winner}"
    yield f"**Confidence**: {verdict.confidence}"
    for note in verdict.notes:
        yield f"**Note**: {_line(note)}"


def _decision(record: Record) -> Iterator[str]:
    verdict = record.verdict
    yield "### Verdict\n"
    if verdict is None:
        yield f"None: {_why_none(record)}\n"
        return
    yield f"{verdict.winner} had the stronger argument because: {_said(verdict.reasoning)}\n"
    yield "### Debate Quality\n"
    yield f"- **Genuine disagreement**: {verdict.quality.genuine_disagreement}"
    yield f"- **Evidence quality**: {verdict.quality.evidence_quality}"
    yield f"- **Challenge depth**: {verdict.quality.challenge_depth}\n"
    yield "### Key Agreements\n"
    yield from _list(
        f"{_line(a.point)}{f' (evidence: {_line(a.evidence)})' if a.evidence else ''}" for a in verdict.agreements
    )
    yield "### Key Disagreements\n"
    yield from _list(
        _line(d.point) + "".join(f"\n  - {p.tool} argues: {_line(p.position)}" for p in d.positions)
        for d in verdict.disagreements
    )
    yield "### Unresolved Questions\n"
    yield from _list(map(_line, verdict.unresolved))
    yield "### Recommendation\n"
    yield f"{_said(verdict.recommendation)}\n"


def _why_none(record: Record) -> str:
    if record.settings.judge == "none" and record.status == "completed":
        return "no judge was asked for"
    if is_uncontested(record):
        return UNCONTESTED
    return (record.ended.reason if record.ended else None) or "the debate has not ended"


def _list(items: Iterable[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    yield "\n".join(lines or ["- none named"]) + "\n"


def _transcript(record: Record) -> Iterator[str]:
    yield "### Transcript\n"
    for turn in turns(record):
        yield f"--- Round {turn.round}: {turn.seat.tool} ({turn.seat.role.capitalize()}) ---\n"
        if turn.envelope.failure:
            yield f"Failed: {turn.envelope.failure.kind}: {_line(turn.envelope.failure.message)}\n"
        else:
            yield _quoted(turn.envelope.response or "") + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _line(text: str) -> str:
    return " ".join(text.split())


def _said(text: str) -> str:
    """What a judge wrote, over several lines where it did, none of which reads as a heading or a field of the report."""
    return _LIKE_OURS.sub(r"\\", text.strip())
