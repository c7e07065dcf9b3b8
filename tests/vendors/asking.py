"""Asking a real CLI through our own port and adapter, as a debate does."""

from collections.abc import Mapping
from pathlib import Path

import anyio

from adapters import ADAPTERS
from adapters.ask import Answered, Setting, Teller, ask
from adapters.spec import Ask
from state.models import Seat
from tests.vendors.cli import Vendor, environment, program


def asked(
    vendor: Vendor,
    url: str,
    prompt: str,
    *,
    home: Path,
    view: Path | None = None,
    env: Mapping[str, str] = {},
    timeout_s: float = 60,
) -> Answered:
    """The port's answer; each call's private folder lies in `home/calls`."""
    calls = home / "calls"
    calls.mkdir(mode=0o700, exist_ok=True)
    found = program(vendor.name)
    assert found is not None
    environ = environment(home) | dict(vendor.env(url)) | dict(env)
    seat = Seat(role="proposer", tool=vendor.name, model=vendor.model, timeout_s=timeout_s)
    question = Ask(seat, prompt, view, options=vendor.options(url))
    quiet = Teller(lambda _progress: None, lambda *_: None)
    return anyio.run(ask, question, ADAPTERS[vendor.name], Setting(calls, found, environ), quiet)
