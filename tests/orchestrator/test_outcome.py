"""What programs may rely on: which status has which exit code, and what can be gone on with."""

from typing import Any, get_args

import pytest

from orchestrator.outcome import MEANINGS, exit_code, is_resumable
from state.failures import FAILURES, FailureKind
from state.models import Ended, Status
from state.record import Record
from tests.orchestrator.playing import CODEX, NOW, failing, opened, play, resumed

K = FailureKind
HALTING = [kind for kind in K if FAILURES[kind].halts]


@pytest.mark.parametrize(
    ("record", "status", "has_verdict", "code", "resumable"),
    [
        (play(opened()), "completed", True, 0, False),
        (play(opened(judge="none")), "completed", False, 0, False),
        (play(opened(), failing("round-2")), "partial", True, 3, True),
        (play(opened(), failing("round-1", "challenger")), "partial", False, 1, True),
        *((play(opened(), failing("round-2", kind=kind)), "partial", False, 1, True) for kind in HALTING),
        (play(opened(), failing("round-1", "proposer")), "aborted", False, 1, True),
        (play(opened(), failing("judging")), "failed", False, 1, True),
        (play(opened(panels=((CODEX,),), judge="named"), failing("judging")), "failed", False, 1, True),
        (play(opened(), failing("round-2", kind=K.CANCELLED)), "interrupted", False, 130, True),
        (opened(), "running", False, 75, True),
        (resumed(play(opened(), failing("round-2"))), "running", False, 75, True),
    ],
)
def test_what_became_of_a_debate_is_told_by_its_status_and_its_exit_code(
    record: Record, status: str, has_verdict: bool, code: int, resumable: bool
) -> None:
    assert (record.status, record.verdict is not None) == (status, has_verdict)
    assert (exit_code(record), is_resumable(record)) == (code, resumable)


@pytest.mark.parametrize(("status", "code"), [("open", 0), ("awaiting_verdict", 0), ("abandoned", 0), ("running", 75)])
def test_a_debate_that_waits_has_not_failed(status: Any, code: int) -> None:
    assert exit_code(opened().after(Ended(at=NOW, status=status))) == code


@pytest.mark.parametrize("status", get_args(Status))
def test_every_status_has_an_exit_code_that_is_explained(status: Any) -> None:
    assert exit_code(opened().after(Ended(at=NOW, status=status))) in MEANINGS
