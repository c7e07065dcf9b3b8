"""What a debate has cost so far: what is unknown is said to be unknown, and never counted as nothing."""

import pytest

from orchestrator.totals import spent
from state.models import Envelope, Failure, Key, TurnEnded, TurnStarted, Usage
from state.record import Record
from tests.orchestrator.playing import CLAUDE, NOW, opened


def record(*calls: tuple[str, int | None, float | None]) -> Record:
    made = opened()
    for number, (tool, tokens, cost) in enumerate(calls):
        key = Key(step=f"round-{number + 1}", seat="proposer")
        usage = Usage(input_tokens=tokens, output_tokens=0 if tokens is not None else None, cost_usd=cost)
        failure = Failure(kind="quota", message="used up")
        made = made.after(
            TurnStarted(at=NOW, key=key, seat=CLAUDE, prompt_sha256="0" * 64, prompt_bytes=1),
            TurnEnded(at=NOW, key=key, envelope=Envelope(tool=tool, failure=failure, usage=usage)),
        )
    return made


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([], ""),
        ([("gemini", None, None)], "tokens unknown, cost unknown"),
        ([("gemini", 1200, None)], "1,200 tokens, cost unknown"),
        ([("claude", 1000, 0.5)], "1,000 tokens, $0.50 API price, as claude estimates it"),
        ([("claude", 1000, 0.0004)], "1,000 tokens, less than $0.01 API price, as claude estimates it"),
        (
            [("claude", 1000, 0.5), ("gemini", None, None)],
            "at least 1,000 tokens, at least $0.50 API price, as claude estimates it",
        ),
        (
            [("claude", 1, 0.5), ("opencode", 1, 0.25)],
            "2 tokens, $0.75 API price, as claude and opencode estimate it",
        ),
    ],
)
def test_what_was_spent_is_told_as_far_as_it_is_known(
    calls: list[tuple[str, int | None, float | None]], told: str
) -> None:
    assert spent(record(*calls)) == told
