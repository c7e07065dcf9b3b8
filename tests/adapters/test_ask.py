"""The port: one question, perhaps several tries."""

import sys
from pathlib import Path

import anyio
import pytest

from adapters import ask as port
from adapters.ask import Answered, Setting, Teller
from adapters.gemini import GEMINI
from tests.adapters.speaking import ask

BUSY = 'echo >&2 \'{"session_id": "s", "error": {"code": 503, "message": "Busy"}}\'; exit 247'


def asked(folder: Path, script: str, timeout_s: float) -> Answered:
    program = folder / "gemini"
    program.write_text(f"#!/bin/sh\ncat >/dev/null\n{script}\n")
    program.chmod(0o755)
    question = ask("gemini")
    question = port.Ask(question.seat.model_copy(update={"timeout_s": timeout_s}), question.prompt)
    setting = Setting(folder, program, {"PATH": "/usr/bin:/bin", "HOME": str(folder)})
    return anyio.run(port.ask, question, GEMINI, setting, Teller(lambda _progress: None, lambda *_: None))


@pytest.mark.skipif(sys.platform == "win32", reason="the fake is a shell script")
def test_a_last_try_that_the_deadline_cut_off_does_not_hide_why_the_first_one_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port, "FIRST_WAIT_S", 0.05)
    seen = tmp_path / "seen"
    found = asked(tmp_path, f'if [ -e "{seen}" ]; then sleep 60; fi; touch "{seen}"; {BUSY}', timeout_s=1.5)
    assert found.envelope.failure is not None
    assert (found.envelope.failure.kind, found.envelope.failure.message) == ("overloaded", "HTTP 503: Busy")
    assert len(found.envelope.attempts) == 1
