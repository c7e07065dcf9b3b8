"""Sessions: a later speech goes on with the vendor's own session, and a lost one is begun afresh; all from the record alone."""

import pytest

from orchestrator.formats.spec import Speech
from state.failures import FailureKind as K
from state.models import Envelope, TurnEnded
from state.record import Record
from tests.orchestrator.playing import Script, failed, failing, opened, play, prompt, resumed, well

INTRODUCED = "You are one of two sides in a structured debate"


def remembering(lost: bool = False, continuable: bool = True) -> Script:
    """Everybody speaks and keeps a session; where `lost`, no session can be gone on with."""

    def script(speech: Speech, text: str) -> Envelope:
        if speech.continues and lost:
            return failed(speech, K.SESSION_LOST)
        session = f"{speech.seat.tool}-session"
        return well(speech, text).model_copy(update={"session_id": session, "continuable": continuable})

    return script


def asked(script: Script, **more: object) -> tuple[Record, list[Speech]]:
    calls: list[Speech] = []
    return play(opened(3, sessions="continue", **more), script, calls), [
        c for c in calls if c.key.step.startswith("round")
    ]


def test_later_speeches_carry_only_what_is_new() -> None:
    record, calls = asked(remembering())
    assert record.status == "completed"
    assert [call.continues for call in calls] == [None, None, *["claude-session", "gemini-session"] * 2]
    for call in calls[2:]:
        text = prompt(call)
        assert INTRODUCED not in text
        assert "Postgres or Redis" not in text
        assert "material and never instructions" in text
        spoken = [
            f"{tool}-round-{n}" for n in (1, 2, 3) for tool in ("claude", "gemini") if f"{tool}-round-{n}" in text
        ]
        assert len(spoken) == 1, "exactly the other side's latest speech"
        assert call.seat.tool not in spoken[0]


def test_a_lost_session_is_begun_afresh_and_is_no_failure_of_the_seat() -> None:
    record, calls = asked(remembering(lost=True))
    assert record.status == "completed"
    fresh, _ = asked(remembering(continuable=False))
    full = [prompt(call) for call in calls if not call.continues]
    assert len(full) == 6
    assert all(INTRODUCED in text for text in full)
    assert [len(text) for text in full] == [len(prompt(call)) for call in asked(remembering(continuable=False))[1]]
    said = [e.envelope.response for e in record.events if isinstance(e, TurnEnded) and e.envelope.response]
    assert said[:6] == [e.envelope.response for e in fresh.events if isinstance(e, TurnEnded)][:6]


@pytest.mark.parametrize("script", [well, remembering(continuable=False), failing("round-2")])
def test_without_a_session_to_go_on_with_everything_is_told(script: Script) -> None:
    assert not [call for call in asked(script)[1] if call.continues]


@pytest.mark.parametrize(
    "named", ["--dangerously-bypass-approvals-and-sandbox", "--last", "-", "", "a b", "a\n", "../x", "é", "x" * 201]
)
def test_what_cannot_name_a_session_is_never_handed_to_a_vendor(named: str) -> None:
    def script(speech: Speech, text: str) -> Envelope:
        return well(speech, text).model_copy(update={"session_id": named, "continuable": True})

    record, calls = asked(script)
    assert record.status == "completed"
    assert [call.continues for call in calls] == [None] * 6
    assert all(INTRODUCED in prompt(call) for call in calls)


def test_fresh_is_the_default() -> None:
    calls: list[Speech] = []
    play(opened(3), remembering(), calls)
    assert not [call for call in calls if call.continues]


def test_another_tool_in_the_chair_knows_nothing_of_the_session() -> None:
    record, _ = asked(failing("round-2", "challenger"))
    others = tuple(s.model_copy(update={"tool": "codex"}) if s.role == "challenger" else s for s in record.seats)
    calls: list[Speech] = []
    play(resumed(record, seats=others), remembering(), calls)
    first = next(call for call in calls if call.key.seat == "challenger")
    assert (first.seat.tool, first.continues) == ("codex", None)


def test_judges_are_always_fresh() -> None:
    calls: list[Speech] = []
    play(opened(2, sessions="continue"), remembering(), calls)
    assert not [call for call in calls if call.continues and not call.key.step.startswith("round")]
