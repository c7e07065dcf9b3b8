"""The only room that starts processes. Whatever it starts is gone when it returns.

Every child has a session of its own and two marks in its environment: DEBATE_PARTICIPANT=1, and DEBATE_CALL with a
random value, by which descendants are found that left the session. If we are killed, a guardian ends what runs
(guardian.py).
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Literal

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from adapters import family as families
from adapters.capture import Output
from adapters.family import Family
from adapters.guardian import Guardian
from adapters.spec import Adapter, Command, Finished, Progress, Stream
from adapters.starting import blames_interpreter, missing_interpreter, no_interpreter, why_not_started
from state.models import Failure

ANSWERED_GRACE_S = 10.0
"""How long a process may take to exit after its complete answer."""
SPOKEN_WITH_GRACE_S = 1.0
"""The same for a process that was spoken with: most go when their stdin is closed, the others would wait for ever."""
_FAREWELL_S = 0.3
_CUT_SHORT = ("deadline", "hopeless", "too_much_output", "cancelled")
_SIGNAL_GRACE_S = 1.0
_ENDING_S = {"exit": 0.5, "cancelled": 1.2}
_ENDING_LIMIT_S = 2.5
_REAPING_S = 1.0
_PIPES_S = 0.3

Ended = Literal["exit", "deadline", "answered", "hopeless", "too_much_output", "cancelled"]
Tell = Callable[[Progress], None]


class NotStarted(Exception):
    """The program could not be started; `failure` says why, as a value for the envelope."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def _tell_nobody(_progress: Progress) -> None: ...


async def run(
    command: Command, adapter: Adapter, *, seconds: float, tell: Tell = _tell_nobody, grace_s: float = ANSWERED_GRACE_S
) -> Finished:
    """Runs one command to its end, at most `seconds` from now, and leaves none of its processes behind.

    `tell` hears each change of the progress; if it raises, it is not called again. `grace_s`: how long the process may
    take to exit by itself after a complete answer. Being cancelled ends everything first: at once if the child heeds
    the vendor's signals, else within 1.5 s.
    Raises NotStarted where there is no process at all, or only `env` looking in vain for a script's interpreter.
    """
    began = anyio.current_time()
    answer_ignored_signals()
    with _watched_over(Family(os.urandom(12).hex(), adapter.signals)) as family:
        async with _started(command, family) as process:
            call = _Call(
                process, family, _Listener(adapter, tell, command.opening), spoken_with=command.opening is not None
            )
            ended = await call.play(command.stdin, began + seconds, grace_s)
    finished = call.finished(ended, anyio.current_time() - began)
    if blames_interpreter(finished.exit_code, finished.stdout):
        _insist_on_interpreter(command)
    return finished


def _insist_on_interpreter(command: Command) -> None:
    if name := missing_interpreter(command.argv[0], command.env):
        raise NotStarted(no_interpreter(command.argv[0], name))


def answer_ignored_signals() -> None:
    """Gives children default handling of INT, HUP, QUIT and TERM where we were started with them ignored (nohup, CI).

    Ignoring is inherited through exec, a handler is not: so a handler that does nothing takes the place of ignoring.
    Only the main thread may do it; elsewhere this does nothing. A door calls it at its start, `run` calls it too. (PIPE
    is reset by the standard library. CHLD must not be ignored by ourselves, or exit codes are lost.)
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda _number, _frame: None)
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def kill_all() -> None:
    """KILL to all that any running call started, at once: for a second Ctrl-C, from a signal handler too."""
    for family in tuple(families.running):
        families.kill(family)


class _Listener:
    """Folds lines into the progress and tells of changes.

    An error in `watch` or `keep` costs that line at most, an error in `tell` costs the teller, none costs the call.
    """

    def __init__(self, adapter: Adapter, tell: Tell, opening: Progress | None = None) -> None:
        self.progress = opening or Progress()
        self.replies: list[bytes] = [self.progress.reply] if self.progress.reply else []
        self._adapter = adapter
        self._tell = tell

    def hear(self, line: bytes, stream: Stream) -> None:
        """Takes one line of either stream."""
        before = replace(self.progress, reply=b"") if self.progress.reply else self.progress
        with suppress(Exception):
            self.progress = self._adapter.watch(before, line, stream)
        if self.progress.reply:
            self.replies.append(self.progress.reply)
        if self.progress != before:
            try:
                self._tell(self.progress)
            except Exception:  # noqa: BLE001 - a door's fault is not the call's
                self._tell = _tell_nobody

    def farewell(self) -> bytes:
        """What to say before the process is stopped."""
        with suppress(Exception):
            return self._adapter.farewell(self.progress)
        return b""

    def keep(self, line: bytes) -> bool:
        """Whether a line of stdout is kept: in doubt, yes."""
        try:
            return self._adapter.keep(line)
        except Exception:  # noqa: BLE001 - nor is a vendor file's
            return True


class _Call:
    """One running process, from its start to the end of its last descendant."""

    def __init__(self, process: Process, family: Family, listener: _Listener, *, spoken_with: bool = False) -> None:
        self._process = process
        self._spoken_with = spoken_with
        self._to_say = anyio.Event()
        self._family = family
        self._listener = listener
        self._output = Output(listener.keep, listener.hear)
        self._deaf = False
        self._settled = anyio.Event()
        self._drained: dict[Stream, anyio.Event] = {"stdout": anyio.Event(), "stderr": anyio.Event()}

    async def play(self, stdin: bytes, deadline: float, grace_s: float) -> Ended:
        """Feeds, drains and waits; then ends what is left."""
        ended: Ended = "cancelled"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._feed, stdin)
            tasks.start_soon(self._drain, self._process.stdout, "stdout")
            tasks.start_soon(self._drain, self._process.stderr, "stderr")
            tasks.start_soon(self._await_exit)
            try:
                ended = await self._outcome(deadline, grace_s)
            finally:
                if ended in _CUT_SHORT:
                    self._output.close()
                with anyio.CancelScope(shield=True):
                    await self._end(ended)
            tasks.cancel_scope.cancel()
        self._output.finish()
        return ended

    def finished(self, ended: Ended, duration_s: float) -> Finished:
        """What the process left behind."""
        stdout, stderr = self._output.stdout, self._output.stderr
        code, progress = self._process.returncode, self._listener.progress
        now = datetime.now().astimezone()
        return Finished(code, stdout, stderr, duration_s, ended, self._output.cut, progress, now)

    async def _feed(self, stdin: bytes) -> None:
        pipe = self._process.stdin
        # A child may exit, or close its stdin, without reading it all: that is its right.
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            if pipe:
                await pipe.send(stdin)
                if self._spoken_with:
                    await self._speak(pipe)
                await pipe.aclose()

    async def _speak(self, pipe: ByteSendStream) -> None:
        """Says what there is to say, until the answer is complete."""
        while True:
            while self._listener.replies:
                await pipe.send(self._listener.replies.pop(0))
            if self._decided():
                return
            await self._to_say.wait()
            self._to_say = anyio.Event()

    async def _drain(self, pipe: ByteReceiveStream | None, stream: Stream) -> None:
        with suppress(OSError, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while pipe:
                chunk = await pipe.receive()
                if self._deaf:
                    continue
                self._output.feed(chunk, stream)
                if self._listener.replies or self._decided():
                    self._to_say.set()
                if self._decided():
                    self._settled.set()
        self._drained[stream].set()

    async def _await_exit(self) -> None:
        await self._process.wait()
        self._settled.set()

    def _decided(self) -> bool:
        progress = self._listener.progress
        return progress.complete or progress.hopeless is not None or self._output.too_much

    async def _outcome(self, deadline: float, grace_s: float) -> Ended:
        with anyio.CancelScope(deadline=deadline):
            await self._settled.wait()
        if self._process.returncode is not None:
            return "exit"
        if self._listener.progress.complete:
            grace_s = min(grace_s, SPOKEN_WITH_GRACE_S) if self._spoken_with else grace_s
            return await self._exit_after_answer(min(deadline, anyio.current_time() + grace_s))
        if self._listener.progress.hopeless:
            return "hopeless"
        return "too_much_output" if self._output.too_much else "deadline"

    async def _exit_after_answer(self, deadline: float) -> Ended:
        with anyio.CancelScope(deadline=deadline):
            await self._process.wait()
        return "answered" if self._process.returncode is None else "exit"

    async def _part(self, ended: Ended) -> None:
        """Tells a process that is spoken with that we stop, and gives it a moment to stop what it began."""
        words = self._listener.farewell() if self._spoken_with and ended in _CUT_SHORT else b""
        pipe = self._process.stdin
        if not words or pipe is None or self._process.returncode is not None:
            return
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.BusyResourceError):
            with anyio.move_on_after(_FAREWELL_S):
                await pipe.send(words)
                await self._process.wait()

    async def _end(self, ended: Ended) -> None:
        """Ends the family, waits a moment for what the pipes still hold, and closes them whoever else holds them.

        What a process prints because we stop it (a traceback, a made-up result) is none of its own words.
        """
        self._deaf = ended != "exit"
        await self._part(ended)
        grace_s = _ENDING_S.get(ended, min(_ENDING_LIMIT_S, _SIGNAL_GRACE_S * len(self._family.signals)))
        for pause in families.ending(self._family, grace_s):
            await anyio.sleep(pause)
        with anyio.move_on_after(_REAPING_S):
            await self._process.wait()
        if ended != "cancelled":
            with anyio.move_on_after(_PIPES_S):
                for drained in self._drained.values():
                    await drained.wait()


@contextmanager
def _watched_over(family: Family) -> Generator[Family]:
    """While this lasts, the guardian knows the family, and so does every other call."""
    families.running.add(family)
    _guardian().expect(family)
    try:
        yield family
    finally:
        families.running.discard(family)
        _guardian().dismiss(family)
        if family.root is not None:
            families.forget(family.root)


@asynccontextmanager
async def _started(command: Command, family: Family) -> AsyncGenerator[Process]:
    process = await _open(command, family)
    try:
        _guardian().enlist(family)
        _adopt_orphans()
        yield process
    finally:
        # A process that even KILL did not end (it hangs in the kernel) would be waited for without an end.
        if process.returncode is not None:
            with anyio.CancelScope(shield=True):
                await process.aclose()


async def _open(command: Command, family: Family) -> Process:
    env = {**command.env, families.MARK: family.mark, "DEBATE_PARTICIPANT": "1"}
    with anyio.CancelScope(shield=True), families.start():
        try:
            process = await anyio.open_process(command.argv, cwd=command.cwd, env=env, start_new_session=True)
        except (OSError, ValueError) as error:
            raise NotStarted(why_not_started(error, command.argv[0], command.cwd)) from None
        family.root = process.pid
        families.spare(process.pid)
    return process  # pyright: ignore[reportPossiblyUnboundVariable] - a shield swallows nothing


_adopt_orphans = cache(families.adopt_orphans)
_guardians: list[Guardian] = []


def _guardian() -> Guardian:
    """The one guardian of this process; a new one, told of all that runs, where the old one died."""
    if _guardians and not _guardians[-1].lost():
        return _guardians[-1]
    if _guardians:
        _guardians.pop().close()
    else:
        atexit.register(_dismiss_guardian)
    guardian = Guardian()
    _guardians.append(guardian)
    for family in families.running:
        guardian.expect(family)
        if family.root is not None:
            guardian.enlist(family)
    return guardian


def _dismiss_guardian() -> None:
    while _guardians:
        _guardians.pop().close()
