"""Kiro, from its documentation: nobody here has run the real program. What stands in for it speaks what is documented."""

import shlex
import sys
from pathlib import Path

import anyio
import pytest

from adapters import adapter_for
from adapters.ask import Answered, Setting, Teller, ask
from adapters.spec import Ask
from state.failures import FailureKind as K
from state.models import Seat

FAKE = Path(__file__).parents[2] / "fakes/kiro.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


def asked(folder: Path, name: str) -> Answered:
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-I", str(FAKE), name])} "$@"\n')
    program.chmod(0o755)
    seat = Seat(role="proposer", tool="kiro", transport="acp", timeout_s=10)
    setting = Setting(folder, program, {"PATH": "/usr/bin:/bin", "HOME": str(folder)})
    return anyio.run(
        ask, Ask(seat, "Why?"), adapter_for("kiro", "acp"), setting, Teller(lambda _p: None, lambda *_: None)
    )


def test_it_answers_over_acp(tmp_path: Path) -> None:
    found = asked(tmp_path, "kiro-cli").envelope
    assert (found.response, found.failure, found.transport, found.tool) == ("KIRO-OK", None, "acp", "kiro")


def test_a_kiro_that_is_too_old_for_acp_is_told_as_such(tmp_path: Path) -> None:
    failure = asked(tmp_path, "old").envelope.failure
    assert failure is not None
    assert failure.kind is K.UNSUPPORTED_FLAG
    assert "unrecognized subcommand 'acp'" in failure.message
    assert "Update kiro" in (failure.remedy or "")
