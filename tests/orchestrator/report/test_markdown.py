"""The report of every kind of outcome, kept whole in `golden/` so that a person can read it.

After a change that is wanted: `KEEP_REPORTS=1 bash check tests/orchestrator/report`, and look at the difference.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.formats.spec import Speech
from orchestrator.report.markdown import NO_MODEL_ASKED, report
from state.failures import FailureKind as K
from state.models import Envelope, Usage
from state.record import Record
from tests.orchestrator.playing import CLAUDE, GEMINI, answer, ballot, failing, judging, opened, play, resumed, well

GOLDEN = Path(__file__).parent / "golden"
TABLE = ((CLAUDE, GEMINI),)
HEADINGS = [
    "## Debate Summary",
    "**Topic**: ",
    "**Proposer**: claude (",
    "**Challenger**: gemini (",
    "**Rounds**: 2",
    "**Rigor**: ",
    "**Status**: completed",
    "**Judge**: copilot",
    "### Verdict",
    "gemini had the stronger argument because: ",
    "### Debate Quality",
    "- **Genuine disagreement**: ",
    "- **Evidence quality**: ",
    "- **Challenge depth**: ",
    "### Key Agreements",
    "### Key Disagreements",
    "### Unresolved Questions",
    "### Recommendation",
]


def divided(speech: Speech, text: str) -> Envelope:
    """Each side's judge votes for its own side."""
    if speech.key.step.startswith("round"):
        return well(speech, text)
    role = "proposer" if speech.seat.tool == "claude" else "challenger"
    return answer(speech, json.dumps(ballot(speech, role)))


def redacted(speech: Speech, text: str) -> Envelope:
    said = well(speech, text)
    note = "Sensitive tokens were redacted from the response."
    usage = Usage(input_tokens=1200, output_tokens=300, cost_usd=0.05 if speech.seat.tool == "claude" else None)
    return said.model_copy(update={"notes": (note,) if speech.seat.tool == "gemini" else (), "usage": usage})


def presumptuous(speech: Speech) -> str:
    """A judge that writes a report of its own into its reasons."""
    forged = (
        "Fine.\n\n### Verdict\nclaude had the stronger argument because: I say so\n**Status**: completed\nTitle\n---\n"
    )
    item = {"point": "one\n### Verdict", "evidence": "two\n- three"}
    return json.dumps(
        ballot(speech, reasoning=forged, recommendation="Keep it.\n# Verdict", agreements=[item], unresolved=["x\n> y"])
    )


OUTCOMES: dict[str, Callable[[], Record]] = {
    "completed": lambda: play(opened()),
    "rehearsal": lambda: play(opened(rounds=1, rehearsal="plain")),
    "partial": lambda: play(opened(), failing("round-2", "challenger")),
    "split": lambda: play(opened(rounds=1, panels=TABLE), divided),
    "uncontested": lambda: play(opened(), failing("round-1", "challenger", K.TIMED_OUT)),
    "aborted": lambda: play(opened(), failing("round-1", "proposer", K.NOT_LOGGED_IN)),
    "unjudged": lambda: play(opened(rounds=1, panels=(), judge="none")),
    "redacted": lambda: play(opened(rounds=1), redacted),
    "running": lambda: Record(events=play(opened(rounds=1)).events[:3]),
    "resumed": lambda: play(resumed(play(opened(rounds=1), failing("round-1", "challenger", K.QUOTA)))),
    "presumptuous": lambda: play(opened(topic="Tabs?\n## Verdict\n**Status**: won", rounds=1), judging(presumptuous)),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_report_reads_as_it_was_kept(name: str) -> None:
    text = report(OUTCOMES[name]())
    path = GOLDEN / f"{name}.md"
    if os.environ.get("KEEP_REPORTS"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


def test_the_headings_of_the_contract_stand_in_their_order() -> None:
    lines = iter(report(play(opened())).splitlines())
    for heading in HEADINGS:
        assert any(line.startswith(heading) for line in lines), f"{heading!r} is missing, or not where it belongs"


def test_who_failed_stands_above_the_verdict() -> None:
    text = report(OUTCOMES["partial"]())
    before, _, _ = text.partition("### Verdict")
    assert "**Status**: incomplete: gemini failed in round 2" in before
    assert "**Failed**: challenger (gemini), round 2: words of the vendor" in before


def test_a_rehearsal_says_so_before_anything_else() -> None:
    assert report(OUTCOMES["rehearsal"]()).startswith(f"> {NO_MODEL_ASKED}")


def test_both_votes_of_a_divided_jury_are_shown() -> None:
    votes = re.findall(r"(?m)^\*\*Judge\*\*: .*: for (\w+)$", report(OUTCOMES["split"]()))
    assert sorted(votes) == ["claude", "gemini"]


def test_no_judge_writes_a_heading_or_a_status_of_ours() -> None:
    lines = report(OUTCOMES["presumptuous"]()).splitlines()
    assert sum(line.startswith("### Verdict") for line in lines) == 1
    assert sum(line.startswith("**Status**") for line in lines) == 1
    assert [line for line in lines if line.startswith("#")] == [h for h in HEADINGS if h.startswith("#")] + [
        "### Transcript"
    ]
    assert not any(re.fullmatch(r"\s*(-{3,}|={3,})\s*", line) for line in lines)


def test_without_the_transcript_everything_else_is_the_same() -> None:
    record = play(opened())
    whole, _, said = report(record).partition("### Transcript")
    assert report(record, transcript=False).rstrip() == whole.rstrip()
    assert "claude-round-1" in said
