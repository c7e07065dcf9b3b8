"""The loop that plays every format: what it records, in which order, and what a stop leaves on record."""

from collections.abc import Callable

import anyio
import pytest

from orchestrator.engine import Room, play
from orchestrator.formats.debate import DEBATE
from orchestrator.formats.spec import Speech
from state.models import Envelope
from state.record import Record
from tests.orchestrator.playing import CLAUDE, GEMINI, opened, resumed, well

Asked = Callable[[Speech, str], Envelope]


class Hall:
    """A room whose participants answer at once, and which notes what it was told."""

    def __init__(self, answer: Asked = well) -> None:
        self.saved: list[Record] = []
        self.told: list[str] = []
        self.prompts: list[str] = []
        self.answer = answer
        self.waiting = anyio.Event()
        self.room = Room(self._ask, lambda _key, prompt: self.prompts.append(prompt), self._save, self._tell)

    async def _ask(self, speech: Speech, prompt: str, _tell: object) -> Envelope:
        await anyio.lowlevel.checkpoint()
        return self.answer(speech, prompt)

    def _save(self, record: Record) -> None:
        self.saved.append(record)

    def _tell(self, record: Record, happening: object) -> None:
        assert self.saved, "told before it was saved"
        assert self.saved[-1].events[-1] is happening, "told before it was saved"
        self.told.append(f"{getattr(happening, 'type', '')} {len(record.events)}")


def test_each_event_is_saved_before_it_is_told_and_the_run_ends_with_a_verdict() -> None:
    async def debate() -> None:
        hall = Hall()
        record = await play(opened(), DEBATE, hall.room)
        assert record.status == "completed"
        assert len(hall.prompts) == 5
        assert [len(saved.events) for saved in hall.saved] == list(range(2, len(record.events) + 1))
        assert len(hall.told) == len(hall.saved)

    anyio.run(debate)


def test_two_judges_are_asked_at_the_same_time_and_a_stop_keeps_what_one_has_said() -> None:
    async def debate() -> None:
        hall = Hall()
        both = anyio.Event()

        async def ask(speech: Speech, prompt: str, _tell: object) -> Envelope:
            if speech.key.step.startswith("round"):
                return well(speech, prompt)
            if speech.key.seat == "judge-1":
                await both.wait()
                return well(speech, prompt)
            both.set()
            await anyio.sleep_forever()
            raise AssertionError

        room = Room(ask, hall.room.keep_prompt, hall.room.save, hall.room.tell)
        with anyio.move_on_after(0.3):
            await play(opened(panels=((CLAUDE, GEMINI),)), DEBATE, room)
        record = hall.saved[-1]
        assert record.status == "interrupted"
        answered = [e.key.seat for e in record.events if e.type == "turn_ended" and e.envelope.response]
        stopped = [e.key.seat for e in record.events if e.type == "turn_ended" and e.envelope.failure]
        assert (answered[-1], stopped) == ("judge-1", ["judge-2"])

    anyio.run(debate)


@pytest.mark.parametrize("stopped_at", ["round-1", "round-2", "judging"])
def test_played_on_after_a_stop_it_asks_nothing_twice(stopped_at: str) -> None:
    async def debate() -> None:
        hall = Hall()

        async def ask(speech: Speech, prompt: str, _tell: object) -> Envelope:
            if speech.key.step.startswith(stopped_at):
                await anyio.sleep_forever()
            return well(speech, prompt)

        with anyio.move_on_after(0.1):
            await play(opened(), DEBATE, Room(ask, hall.room.keep_prompt, hall.room.save, hall.room.tell))
        at_stop = hall.saved[-1]
        before = [e for e in at_stop.events if e.type == "turn_ended" and e.envelope.response]
        later = Hall()
        record = await play(resumed(at_stop), DEBATE, later.room)
        assert record.status == "completed"
        assert len(later.prompts) == 5 - len(before)

    anyio.run(debate)


def test_whenever_it_dies_while_two_judges_think_what_is_on_disk_is_neither_lost_nor_asked_again() -> None:
    async def debate() -> None:
        hall = Hall()
        await play(opened(panels=((CLAUDE, GEMINI),)), DEBATE, hall.room)
        whole = hall.saved[-1]
        for on_disk in hall.saved:
            later = Hall()
            record = await play(resumed(on_disk), DEBATE, later.room)
            answered = [e for e in on_disk.events if e.type == "turn_ended"]
            assert record.events[: len(on_disk.events)] == on_disk.events
            assert len(later.prompts) == 6 - len(answered)
            assert (record.status, record.verdict) == ("completed", whole.verdict)

    anyio.run(debate)


def test_a_fault_of_ours_in_one_call_loses_no_answer_of_another() -> None:
    async def debate() -> None:
        hall = Hall()

        async def ask(speech: Speech, prompt: str, _tell: object) -> Envelope:
            if speech.key.seat == "judge-2":
                await anyio.sleep(0.02)
                raise ZeroDivisionError
            return well(speech, prompt)

        room = Room(ask, hall.room.keep_prompt, hall.room.save, hall.room.tell)
        with pytest.raises(ExceptionGroup):
            await play(opened(panels=((CLAUDE, GEMINI),)), DEBATE, room)
        later = Hall()
        record = await play(resumed(hall.saved[-1]), DEBATE, later.room)
        assert (record.status, len(later.prompts)) == ("completed", 1)

    anyio.run(debate)
