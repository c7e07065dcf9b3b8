"""One call outside any debate: to see whether a tool works, or to let it answer a question."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio

from adapters import adapter_for
from adapters.ask import Answered, Setting, Teller
from adapters.ask import ask as ask_vendor
from adapters.rehearsal import rehearsing
from adapters.spec import Ask
from orchestrator import outcome
from orchestrator.doors.cli import kept
from orchestrator.doors.cli.output import say, write, write_json
from orchestrator.doors.cli.playing import run_stoppable
from orchestrator.lines import clock, error
from orchestrator.premises import NO_VIEW, Premises, premises_for
from orchestrator.request.request import read_request
from orchestrator.seating import as_rehearsed, check_present, parse_seat, seated
from orchestrator.session import Participants
from orchestrator.usage import UsageError
from orchestrator.vendors import look
from state.models import Envelope, Seat
from state.paths import shelf_folder
from state.store import new_id


def ask_once(tool: str, question: Sequence[str], flags: Mapping[str, Any], environ: Mapping[str, str]) -> int:
    """Ask, print, and return the exit code: 0 for an answer, 1 for a failure."""
    settings = {
        "effort": flags["effort"],
        "timeout": flags["timeout"],
        "view": flags["view"],
        "json": flags["as_json"],
        "state_dir": flags["state_dir"],
    }
    request = read_request(question, settings, environ, sys.stdin.buffer, literal=question != ("-",), cwd=flags["cwd"])
    if request.topic is None:
        raise UsageError(f'Usage: debate ask {tool} "your question"')
    vendors, participants = look(request.settings, environ)
    named = parse_seat(tool, vendors.tools)
    vendors = as_rehearsed(vendors) if flags["rehearse"] else vendors
    check_present([named], vendors)
    seat = seated("answerer", named, flags["model"], request.choices.effort, request, vendors)
    wish = _Wish(flags["keep"], flags["continued"], flags["count"], flags["rehearse"])
    wish.check(seat, has_view=bool(request.choices.view))
    shelf = shelf_folder(request.folder, request.choices.state_dir, environ)
    view = tuple(request.choices.view) or (NO_VIEW,)
    premises = premises_for(new_id("ask"), request.folder, view, (), environ)
    try:
        answers = _asked(seat, request.topic, premises, participants, wish, shelf)
    finally:
        premises.leave(keep=False)
    envelopes = [answered.envelope for answered in answers]
    return (
        _told(envelopes[0], as_json=flags["as_json"])
        if wish.count == 1
        else _all_told(envelopes, as_json=flags["as_json"])
    )


@dataclass(frozen=True)
class _Wish:
    """What is wished for beside the answer. `continued`: a session's ID, empty for the last one, None for a fresh one."""

    keep: bool
    continued: str | None
    count: int
    rehearse: bool

    @property
    def session(self) -> bool:
        return self.keep or self.continued is not None

    def check(self, seat: Seat, *, has_view: bool) -> None:
        """UsageError for what cannot be."""
        if not self.session:
            return
        if self.count > 1:
            raise UsageError("A session is of one call: --keep and --continue exclude --count.")
        if has_view:
            raise UsageError("A kept session knows no files of the project: --keep and --continue exclude --view.")
        if not adapter_for(seat.tool, seat.transport).continuable:
            raise UsageError(f"{seat.tool} keeps no session that could be gone on with.", "Ask it without --keep.")


def _asked(
    seat: Seat, question: str, premises: Premises, participants: Participants, wish: _Wish, shelf: Path
) -> list[Answered]:
    """The answers, in the order in which they were asked for."""
    found = adapter_for(seat.tool, seat.transport, participants.adapters)
    adapter = rehearsing(found, "plain") if wish.rehearse else found
    brief = {"topic": question, "role": "proposer", "round": 1}
    one = Ask(seat, f"Question:\n\n{question}", premises.view, brief, participants.options[seat.tool])
    if wish.session:
        folder = kept.folder_for(shelf, seat.tool)
        going_on = None if wish.continued is None else kept.session(folder, seat, wish.continued)
        one = replace(one, keep=folder, continues=going_on)
    setting = Setting(premises.folder, participants.programs.get(seat.tool, premises.folder), participants.environ)
    answers: dict[int, Answered] = {}

    async def ask(number: int) -> None:
        answers[number] = await ask_vendor(one, adapter, setting, _teller(seat))

    async def all_of_them() -> bool:
        async with anyio.create_task_group() as group:
            for number in range(wish.count):
                group.start_soon(ask, number)
        return True

    done, number = run_stoppable(all_of_them)
    if done is None:
        raise SystemExit(128 + (number or 0))
    if one.keep and answers[0].envelope.response:
        kept.keep(one.keep, seat, question, answers[0].envelope)
    return [answers[number] for number in range(wish.count)]


def _teller(seat: Seat) -> Teller:
    return Teller(
        progress=lambda _progress: None,
        retry=lambda failure, seconds, number, limit: say(
            f"[INFO] {seat.tool}: {failure.kind}: {failure.message}, trying again in {seconds:.0f}s ({number} of {limit})"
        ),
    )


def _all_told(envelopes: Sequence[Envelope], *, as_json: bool) -> int:
    """Several answers, numbered; 0 if each came, 3 if some did, 1 if none."""
    came = sum(envelope.failure is None for envelope in envelopes)
    code = outcome.OK if came == len(envelopes) else outcome.PARTIAL if came else outcome.FAILED
    if as_json:
        return write_json({"answers": [envelope.model_dump(mode="json") for envelope in envelopes]}) or code
    for number, envelope in enumerate(envelopes, 1):
        took = clock(envelope.duration_ms / 1000)
        if failure := envelope.failure:
            say(f"[WARN] Answer {number} failed after {took}: {failure.kind}: {failure.message}")
        elif wrong := write(f"--- Answer {number} of {len(envelopes)} ({took}) ---\n{envelope.response}\n\n"):
            return wrong
    return code


def _told(envelope: Envelope, *, as_json: bool) -> int:
    failure = envelope.failure
    code = outcome.FAILED if failure else outcome.OK
    if as_json:
        return write_json(envelope.model_dump(mode="json")) or code
    if failure:
        say(
            error(
                f"{envelope.tool} failed after {clock(envelope.duration_ms / 1000)}: {failure.kind}: {failure.message}"
            )
        )
        say(f"        {failure.remedy}")
        return code
    for note in envelope.notes:
        say(f"[WARN] {note}")
    return write(f"{envelope.response}\n") or code
