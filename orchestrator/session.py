"""One run of a deliberation: its record, its place on disk, its participants and its listeners, brought to the engine."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from adapters import ADAPTERS, adapter_for
from adapters.ask import Answered, Setting, Teller
from adapters.ask import ask as ask_vendor
from adapters.detect import version
from adapters.rehearsal import rehearsing
from adapters.spec import Adapter, Ask, Progress
from orchestrator.engine import Room, play
from orchestrator.events import Activity, Happening, Retrying, Tell, Warned
from orchestrator.formats import FORMATS
from orchestrator.formats.spec import Speech
from orchestrator.view import project_paths
from state.clean import one_line
from state.failures import FailureKind as K
from state.models import Envelope, Failure, Key, Seat
from state.record import Record
from state.rounds import round_of
from state.store import NotSaved, Store

_VERSION_TELLS = (K.CRASHED, K.UNPARSABLE, K.UNSUPPORTED_FLAG, K.DENIED, K.EMPTY)


@dataclass(frozen=True)
class Participants:
    """The vendors' programs and the user's settings for them, by tool name."""

    programs: Mapping[str, Path]
    options: Mapping[str, Mapping[str, Any]]
    environ: Mapping[str, str]
    adapters: Mapping[str, Adapter] = field(default_factory=lambda: ADAPTERS)


@dataclass
class Session:
    """One run. `folder` is a private folder for the run's calls; `view` the copy of the project, or None for no files.

    `record` is the record as it stands; `problem` what the last save failed with, or None when all is on disk.
    """

    store: Store
    participants: Participants
    folder: Path
    view: Path | None
    listeners: list[Tell] = field(default_factory=list)
    record: Record | None = None
    problem: NotSaved | None = None
    _rehearsal: str | None = None

    async def run(self, record: Record) -> Record:
        """Save the event that begins this run, and play the record to the end of it."""
        self._rehearsal = record.opened.rehearsal
        self.save(record)
        self.tell(record, record.events[-1])
        room = Room(ask=self._ask, keep_prompt=self._keep_prompt, save=self.save, tell=self.tell)
        return await play(record, FORMATS[record.opened.format], room)

    def tell(self, record: Record, happening: Happening) -> None:
        """Tell every listener; one that fails is dropped, and the debate goes on."""
        for listener in tuple(self.listeners):
            try:
                listener(record, happening)
            except Exception:  # noqa: BLE001  whatever a door does, it never costs a paid answer
                self.listeners.remove(listener)

    def save(self, record: Record) -> None:
        """Save; a failure is told once and loudly, what was paid for goes on, and the next event is saved again."""
        self.record = record
        try:
            self.store.save(record)
        except NotSaved as problem:
            first, self.problem = self.problem is None, problem
            if first:
                self.tell(record, Warned(str(problem), grave=True))
        else:
            self.problem = None

    def _keep_prompt(self, key: Key, prompt: str) -> None:
        with suppress(NotSaved):
            self.store.keep_prompt(key, prompt)

    async def _ask(self, speech: Speech, prompt: str, tell: Callable[[Activity | Retrying], None]) -> Envelope:
        seat = speech.seat
        adapter = self._adapter(seat)
        options = self.participants.options.get(seat.tool, {})
        question = Ask(
            seat=seat,
            prompt=prompt,
            view=self.view,
            brief=speech.values,
            options=options,
            keep=self._kept_sessions(speech),
            continues=speech.continues,
        )
        program = self.participants.programs.get(seat.tool, Path(adapter.executable))
        answered = await ask_vendor(
            question,
            adapter,
            Setting(home=self.folder, program=program, environ=self.participants.environ),
            Teller(
                progress=lambda progress: tell(Activity(speech.key, self._shown(progress))),
                retry=lambda failure, seconds, number, limit: tell(
                    Retrying(speech.key, failure, seconds, number, limit)
                ),
            ),
        )
        answered = await self._with_version(adapter, program, answered)
        return self._kept(speech.key, answered)

    def _kept_sessions(self, speech: Speech) -> Path | None:
        """Where this seat's vendor may keep its session: for as long as the debate lasts, and never for a judge."""
        wanted = self.record is not None and self.record.settings.sessions == "continue"
        if not wanted or round_of(speech.key) is None:
            return None
        folder = self.folder / f"session-{speech.seat.role}-{speech.seat.tool}"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _shown(self, progress: Progress) -> Progress:
        """The progress with paths as the project has them."""
        if self.view is None or not progress.activity:
            return progress
        return replace(progress, activity=project_paths(progress.activity, self.view))

    async def _with_version(self, adapter: Adapter, program: Path, answered: Answered) -> Answered:
        """After a failure that a newer or older program may explain, its version stands in the message."""
        failure = answered.envelope.failure
        ours = adapter.name in ADAPTERS  # what `--version` does to a program of the user's own, nobody knows
        if self._rehearsal or not ours or failure is None or failure.kind not in _VERSION_TELLS:
            return answered
        environ = self.participants.environ
        env = {name: environ[name] for name in ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT") if name in environ}
        found = await anyio.to_thread.run_sync(version, program, env)
        if isinstance(found, Failure):
            return answered
        told = failure.model_copy(update={"message": f"{failure.message} ({adapter.name} {one_line(found, 60)})"})
        return replace(answered, envelope=answered.envelope.model_copy(update={"failure": told}))

    def _adapter(self, seat: Seat) -> Adapter:
        adapter = adapter_for(seat.tool, seat.transport, self.participants.adapters)
        return rehearsing(adapter, self._rehearsal) if self._rehearsal else adapter

    def _kept(self, key: Key, answered: Answered) -> Envelope:
        """The envelope with paths as the project has them; of a failed call, the raw output is kept to be looked up."""
        envelope = answered.envelope
        if envelope.failure:
            with suppress(NotSaved):
                where = self.store.keep_output(key, answered.argv, answered.stdout, answered.stderr)
                return envelope.model_copy(update={"raw": where})
            return envelope
        if self.view is None:
            return envelope
        return envelope.model_copy(update={"response": project_paths(envelope.response or "", self.view)})
