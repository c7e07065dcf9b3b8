"""The port: what is tried again, and what is reported of several tries."""

import json
from pathlib import Path

import anyio
import pytest

from adapters import ask as port
from adapters.ask import Setting, Teller, ask
from adapters.spec import Ask, Command, Finished, Place
from state.failures import FailureKind as K
from state.models import Envelope, Failure, Seat
from tests.adapters.helpers import python, vendor

_ONE_TRY = """
import pathlib, sys, time
tries = pathlib.Path(sys.argv[1]); tries.write_text(tries.read_text() + "x" if tries.exists() else "x")
word = {script}[len(tries.read_text()) - 1]
time.sleep(30) if word == "hang" else print(word)
"""


def _adapter(tries: Path, script: list[str]):
    def build(_ask: Ask, place: Place) -> Command:
        command = python(_ONE_TRY.format(script=json.dumps(script)), cwd=place.folder / "cwd")
        return Command((*command.argv, str(tries)), b"", command.env, command.cwd)

    def read(asked: Ask, finished: Finished) -> Envelope:
        word = finished.stdout.decode().strip()
        kind = (
            K.TIMED_OUT if finished.ended == "deadline" else {"busy": K.OVERLOADED, "login": K.NOT_LOGGED_IN}.get(word)
        )
        failed = Failure(kind=kind, message=f"it said {word}") if kind else None
        return Envelope(tool=asked.seat.tool, response=None if failed else word, failure=failed)

    return vendor(build=build, read=read)


@pytest.mark.parametrize(
    ("script", "kind", "tried_before"),
    [
        (["fine"], None, []),
        (["busy", "fine"], None, [K.OVERLOADED]),
        (["busy", "busy", "busy"], K.OVERLOADED, [K.OVERLOADED, K.OVERLOADED]),
        (["login", "fine"], K.NOT_LOGGED_IN, []),
        (["busy", "hang"], K.OVERLOADED, [K.OVERLOADED]),
        (["hang", "fine"], K.TIMED_OUT, []),
    ],
)
def test_transient_faults_are_tried_again_and_the_cause_is_told_rather_than_the_clock(
    script: list[str], kind: K | None, tried_before: list[K], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "FIRST_WAIT_S", 0.01)
    seat = Seat(role="proposer", tool="fake", timeout_s=1.5)
    setting = Setting(tmp_path, Path("/bin/true"), {})
    adapter = _adapter(tmp_path / "tries", script)
    answered = anyio.run(ask, Ask(seat, "?"), adapter, setting, Teller(lambda _p: None, lambda *_: None))
    failure = answered.envelope.failure
    assert (failure.kind if failure else None) == kind
    assert [attempt.failure.kind for attempt in answered.envelope.attempts] == tried_before
    assert answered.envelope.response == (None if kind else "fine")


@pytest.mark.parametrize("text", ["\u200b\u2060", "\u202e\u2066", "\x1b[31m\x1b[0m", "\ufeff \n\t"])
def test_an_answer_of_which_nothing_shows_is_none(text: str, tmp_path: Path) -> None:
    def read(asked: Ask, _finished: Finished) -> Envelope:
        return Envelope(tool=asked.seat.tool, response=text)

    adapter = vendor(build=lambda _ask, place: python("", cwd=place.folder / "cwd"), read=read)
    seat = Seat(role="proposer", tool="fake", timeout_s=5)
    setting = Setting(tmp_path, Path("/bin/true"), {})
    answered = anyio.run(ask, Ask(seat, "?"), adapter, setting, Teller(lambda _p: None, lambda *_: None))
    assert answered.envelope.response is None
    assert answered.envelope.failure is not None
    assert (answered.envelope.failure.kind, bool(answered.envelope.failure.remedy)) == (K.EMPTY, True)
