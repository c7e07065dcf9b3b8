"""One call outside any debate: to see whether a tool works, or to let it answer a question."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from adapters import adapter_for
from adapters.ask import Answered, Setting, Teller
from adapters.ask import ask as ask_vendor
from adapters.rehearsal import rehearsing
from adapters.spec import Ask
from orchestrator import outcome
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
from state.store import new_id


def ask_once(tool: str, question: Sequence[str], flags: Mapping[str, Any], environ: Mapping[str, str]) -> int:
    """Ask, print, and return the exit code: 0 for an answer, 1 for a failure."""
    settings = {"effort": flags["effort"], "timeout": flags["timeout"], "view": flags["view"], "json": flags["as_json"]}
    request = read_request(question, settings, environ, sys.stdin.buffer, literal=question != ("-",), cwd=flags["cwd"])
    if request.topic is None:
        raise UsageError(f'Usage: debate ask {tool} "your question"')
    vendors, participants = look(request.settings, environ)
    named = parse_seat(tool, vendors.tools)
    vendors = as_rehearsed(vendors) if flags["rehearse"] else vendors
    check_present([named], vendors)
    seat = seated("answerer", named, flags["model"], request.choices.effort, request, vendors)
    view = tuple(request.choices.view) or (NO_VIEW,)
    premises = premises_for(new_id("ask"), request.folder, view, (), environ)
    try:
        answered = _asked(seat, request.topic, premises, participants, rehearse=flags["rehearse"])
    finally:
        premises.leave(keep=False)
    return _told(answered.envelope, as_json=flags["as_json"])


def _asked(seat: Seat, question: str, premises: Premises, participants: Participants, *, rehearse: bool) -> Answered:
    found = adapter_for(seat.tool, seat.transport, participants.adapters)
    adapter = rehearsing(found, "plain") if rehearse else found
    program = participants.programs.get(seat.tool, premises.folder)
    brief = {"topic": question, "role": "proposer", "round": 1}
    one = Ask(seat, f"Question:\n\n{question}", premises.view, brief, participants.options[seat.tool])
    setting = Setting(premises.folder, program, participants.environ)
    teller = Teller(
        progress=lambda _progress: None,
        retry=lambda failure, seconds, number, limit: say(
            f"[INFO] {seat.tool}: {failure.kind}: {failure.message}, trying again in {seconds:.0f}s ({number} of {limit})"
        ),
    )
    answered, number = run_stoppable(lambda: ask_vendor(one, adapter, setting, teller))
    if answered is None:
        raise SystemExit(128 + (number or 0))
    return answered


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
