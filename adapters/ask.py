"""The port: one question to one participant, whichever vendor. One deadline over all tries; what comes back is clean."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from adapters.process import NotStarted, run
from adapters.spec import Adapter, Ask, Command, Converse, Place, Progress
from state.clean import clean, one_line
from state.failures import FAILURES, FailureKind
from state.models import Attempt, Envelope, Failure, Usage
from state.redact import redact, secrets_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from tenacity import RetryCallState

TRIES = 3
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 30.0
REDACTED = "Sensitive tokens were redacted from the response."
_INVISIBLE = "the answer holds nothing that can be seen"


@dataclass(frozen=True)
class Setting:
    """Where calls run. `home`: a private folder in which each call gets its own; `program`: the executable to start."""

    home: Path
    program: Path
    environ: Mapping[str, str]


@dataclass(frozen=True)
class Answered:
    """An envelope, and of the last try the command and the raw output, to be looked up when it failed."""

    envelope: Envelope
    argv: tuple[str, ...] = ()
    stdout: bytes = b""
    stderr: bytes = b""


@dataclass(frozen=True)
class Teller:
    """What a caller wants to hear while a call runs. `retry(failure, seconds, attempt, limit)` comes before each wait."""

    progress: Callable[[Progress], None]
    retry: Callable[[Failure, float, int, int], None]


async def ask(question: Ask, adapter: Adapter, setting: Setting, teller: Teller) -> Answered:
    """Ask, trying again after transient failures inside the seat's one deadline (O6); the tries stand in `attempts`."""
    from tenacity import AsyncRetrying, retry_if_result

    call = _Call(question, adapter, setting, teller)
    retrying = AsyncRetrying(
        retry=retry_if_result(lambda answered: _is_transient(answered.envelope.failure)),
        wait=call.pause,
        stop=call.is_over,
        before_sleep=call.announce,
        sleep=anyio.sleep,
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )
    return call.summed_up(await retrying(call.once))


def _is_transient(failure: Failure | None) -> bool:
    return failure is not None and FAILURES[failure.kind].retried


class _Call:
    """One question with all its tries."""

    def __init__(self, question: Ask, adapter: Adapter, setting: Setting, teller: Teller) -> None:
        self._question = question
        self._adapter = adapter
        self._setting = setting
        self._teller = teller
        self._started = time.monotonic()
        self._attempts: list[Attempt] = []
        self._try_began = self._started

    @property
    def _left(self) -> float:
        return self._question.seat.timeout_s - (time.monotonic() - self._started)

    async def once(self) -> Answered:
        """One try, in a private folder of its own that is gone afterwards."""
        self._try_began = time.monotonic()
        limit = self._adapter.prompt_limit(self._question)
        if limit is not None and len(self._question.prompt) > limit:
            words = f"the prompt has {len(self._question.prompt)} characters, {self._adapter.name} takes {limit}"
            return self._without_answer(Failure(kind=FailureKind.TOO_LONG, message=words))
        with _call_folder(self._setting.home, self._question.keep) as folder:
            place = Place(self._setting.program, folder, self._setting.environ)
            if self._adapter.converse:
                return await self._converse(self._adapter.converse, place)
            command = self._adapter.build(self._question, place)
            if isinstance(command, Failure):
                return self._without_answer(command)
            _write(command, folder)
            return await self._run(command)

    async def _run(self, command: Command) -> Answered:
        try:
            finished = await run(command, self._adapter, seconds=max(self._left, 0.0), tell=self._teller.progress)
        except NotStarted as not_started:
            return self._without_answer(not_started.failure)
        envelope = self._adapter.read(self._question, finished)
        return Answered(envelope, command.argv, finished.stdout, finished.stderr)

    async def _converse(self, converse: Converse, place: Place) -> Answered:
        said = await converse(self._question, place, max(self._left, 0.0), self._teller.progress)
        return Answered(said.envelope, (said.asked,), said.transcript)

    def _without_answer(self, failure: Failure) -> Answered:
        seat = self._question.seat
        return Answered(Envelope(tool=seat.tool, effort=seat.effort, transport=seat.transport, failure=failure))

    def pause(self, state: "RetryCallState") -> float:
        """Seconds to wait: growing, and not before the time that the vendor named."""
        wait = FIRST_WAIT_S * 2 ** (state.attempt_number - 1)
        failure = self._failure(state)
        if failure and failure.retry_at:
            until = datetime.fromisoformat(failure.retry_at) - datetime.now(UTC)
            wait = max(wait, until.total_seconds())
        return wait

    def is_over(self, state: "RetryCallState") -> bool:
        """Whether another try is not worth it: enough were made, or the wait would eat most of the time that is left."""
        wait = state.upcoming_sleep
        return state.attempt_number >= TRIES or wait > LONGEST_WAIT_S or wait > self._left / 2

    def announce(self, state: "RetryCallState") -> None:
        """Note the failed try and tell that another one follows."""
        failure = self._failure(state)
        if failure is None or state.outcome is None:
            return
        began = datetime.now(UTC).timestamp() - (time.monotonic() - self._try_began)
        self._attempts.append(
            Attempt(
                failure=self._presentable(failure),
                started=datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                duration_ms=_ms(time.monotonic() - self._try_began),
                usage=state.outcome.result().envelope.usage,
            )
        )
        self._teller.retry(self._presentable(failure), state.upcoming_sleep, state.attempt_number + 1, TRIES)

    @staticmethod
    def _failure(state: "RetryCallState") -> Failure | None:
        return state.outcome.result().envelope.failure if state.outcome else None

    def summed_up(self, answered: Answered) -> Answered:
        """The last try's answer with all tries' usage and time, cleaned and redacted."""
        envelope = answered.envelope
        changes: dict[str, object] = {
            "attempts": tuple(self._attempts),
            "usage": _sum([*(a.usage for a in self._attempts), envelope.usage]),
            "duration_ms": _ms(time.monotonic() - self._started),
        }
        if envelope.failure:
            changes["failure"] = self._presentable(self._telling(envelope.failure))
        if envelope.response is not None:
            changes["continuable"] = bool(self._question.keep and envelope.session_id and self._adapter.continuable)
            response, count = redact(clean(envelope.response).strip(), secrets_of(self._setting.environ))
            changes["response"] = response or None
            changes["notes"] = (*envelope.notes, REDACTED) if count else envelope.notes
            if not response:
                changes["failure"] = self._presentable(Failure(kind=FailureKind.EMPTY, message=_INVISIBLE))
        return Answered(envelope.model_copy(update=changes), answered.argv, answered.stdout, answered.stderr)

    def _telling(self, failure: Failure) -> Failure:
        """What is reported: where time ran out in the midst of the last try, what the tries before it met says more."""
        ran_out = failure.kind is FailureKind.TIMED_OUT or self._left <= 0
        return self._attempts[-1].failure if ran_out and self._attempts else failure

    def _presentable(self, failure: Failure) -> Failure:
        message, _ = redact(one_line(failure.message, 400), secrets_of(self._setting.environ))
        names = {"tool": self._adapter.name, "login": self._adapter.login, "install": self._adapter.install}
        remedy = failure.remedy or FAILURES[failure.kind].remedy.format(**names)
        return failure.model_copy(update={"message": message, "remedy": remedy})


@contextmanager
def _call_folder(home: Path, keep: Path | None) -> "Generator[Path]":
    """The private folder of one call, gone afterwards; or one that is kept for the next, with fresh `cwd` and `tmp`."""
    folder = keep or Path(tempfile.mkdtemp(prefix="call-", dir=home))
    try:
        for name in ("cwd", "tmp"):
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder if keep is None else folder / "tmp", ignore_errors=True)


def _write(command: Command, folder: Path) -> None:
    for name, data in command.files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _sum(usages: "list[Usage]") -> Usage:
    """What all tries cost together; a part that no try reported stays unknown."""

    def total(values: "list[float | int | None]") -> "float | int | None":
        known = [v for v in values if v is not None]
        return sum(known) if known else None

    return Usage.model_validate(
        {name: total([getattr(u, name) for u in usages]) for name in ("input_tokens", "output_tokens", "cost_usd")}
    )
