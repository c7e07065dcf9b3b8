"""Asking a real CLI through our own port and adapter, as a debate does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from adapters import adapter_for
from adapters.ask import Answered, Setting, Teller, ask
from adapters.spec import Ask
from state.models import Seat
from tests.vendors.cli import Vendor, environment, program

AT_ONCE = 5


async def asking(
    vendor: Vendor,
    url: str,
    prompt: str,
    *,
    home: Path,
    env: Mapping[str, str] = {},
    timeout_s: float = 60,
    **question: Any,
) -> Answered:
    """The port's answer; each call's private folder lies in `home/calls`. `question`: fields of `Ask` (view, keep, ...)."""
    calls = home / "calls"
    calls.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = program(vendor.name)
    assert found is not None
    environ = environment(home) | dict(vendor.env(url)) | dict(env)
    seat = Seat(role="proposer", tool=vendor.name, model=vendor.model, transport=vendor.transport, timeout_s=timeout_s)
    one = Ask(seat, prompt, options=vendor.options(url), **question)
    quiet = Teller(lambda _progress: None, lambda *_: None)
    adapter = adapter_for(vendor.name, vendor.transport)
    return await ask(one, adapter, Setting(calls, found, environ), quiet)


def asked(vendor: Vendor, url: str, prompt: str, **more: Any) -> Answered:
    """One question, answered; `more` as for `asking`."""

    async def once() -> Answered:
        return await asking(vendor, url, prompt, **more)

    return anyio.run(once)


def asked_in_parallel(
    vendor: Vendor, urls: Mapping[str, str], prompt: str, *, home: Path, timeouts_s: Mapping[str, float]
) -> dict[str, Answered]:
    """The same question to several servers, as many at the same time as a small machine bears."""
    answers: dict[str, Answered] = {}
    limiter = anyio.Semaphore(AT_ONCE)

    async def one(name: str) -> None:
        async with limiter:
            answers[name] = await asking(vendor, urls[name], prompt, home=home, timeout_s=timeouts_s[name])

    async def every() -> None:
        async with anyio.create_task_group() as group:
            for name in urls:
                group.start_soon(one, name)

    anyio.run(every)
    return answers
