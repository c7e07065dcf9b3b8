"""Every way in which a model service fails, through the real CLI: the right kind of failure, in bounded time."""

from pathlib import Path

import pytest

from state.failures import FailureKind as K
from tests.fakes.model_server import SCENARIOS, ModelServer
from tests.vendors.asking import asked_in_parallel
from tests.vendors.cli import KEY, Vendor

pytestmark = pytest.mark.vendors

TIMEOUT_S = {"opencode": 20.0, "copilot": 20.0}
USUAL_TIMEOUT_S = 10.0
HANG_S = 6.0
SLACK_S = 6.0

OVER_ACP = ("ok", "404", "429", "hang", "empty")
"""Over ACP a few stand for all: what each error text means is the matter of the recorded conversations."""
KINDS = {
    "ok": None,
    "401": K.NOT_LOGGED_IN,
    "404": K.UNKNOWN_MODEL,
    "429": K.RATE_LIMITED,
    "quota": K.QUOTA,
    "500": K.OVERLOADED,
    "hang": K.TIMED_OUT,
    "hang-midstream": K.TIMED_OUT,
    "empty": K.EMPTY,
}


def test_each_fault_of_the_service_is_told_by_its_kind_in_bounded_time(
    participant: Vendor, models: ModelServer, home: Path
) -> None:
    chosen = OVER_ACP if participant.transport == "acp" else KINDS
    wanted = {name: KINDS[name] for name in chosen}
    models.scenarios.update({f"{participant.name}-{name}": SCENARIOS[name] for name in wanted})
    urls = {name: models.url(f"{participant.name}-{name}") for name in wanted}
    usual_s = TIMEOUT_S.get(participant.name, USUAL_TIMEOUT_S)
    timeouts_s = {name: HANG_S if kind is K.TIMED_OUT else usual_s for name, kind in wanted.items()}
    answers = asked_in_parallel(participant, urls, "Which queue?", home=home, timeouts_s=timeouts_s)
    failures = {name: answer.envelope.failure for name, answer in answers.items()}
    kinds = {name: failure.kind if failure else None for name, failure in failures.items()}
    assert kinds == wanted, failures
    assert answers["ok"].envelope.response == "PONG from the scripted model."
    assert len(models.asked(f"{participant.name}-401")) <= 3, "a login that fails is tried again and again"
    for name, failure in failures.items():
        assert answers[name].envelope.duration_ms < 1000 * (timeouts_s[name] + SLACK_S), name
        assert failure is None or (failure.message and failure.remedy and KEY not in failure.message), name
