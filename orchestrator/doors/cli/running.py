"""From a command line to a finished run: what `debate TOPIC` and `debate resume` have in common."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from orchestrator import outcome
from orchestrator.choices import Choices
from orchestrator.doors.cli.listening import listeners
from orchestrator.doors.cli.output import say, write, write_json
from orchestrator.opening import exhibits_of, opened, premises_for
from orchestrator.request import USAGE, Request, read_request
from orchestrator.seating import seat_table
from orchestrator.session import Session
from orchestrator.usage import UsageError
from orchestrator.vendors import look
from state.record import Record
from state.store import Store

PARTICIPANT = "DEBATE_PARTICIPANT"


def begin(
    words: Sequence[str], flags: Mapping[str, Any], environ: Mapping[str, str], stdin: BinaryIO, **source: Any
) -> int:
    """Open a debate, play it to the end of the run, and print the result. Returns the exit code."""
    if environ.get(PARTICIPANT):
        raise UsageError("A participant of a debate cannot start a debate.", f"({PARTICIPANT} is set.)")
    request = read_request(words, flags, environ, stdin, **source)
    request = _completed(request)
    vendors, participants = look(request.settings, environ)
    table = seat_table(request, vendors)
    report = report_path(request.choices, request.folder)
    exhibits = exhibits_of(request, environ)
    store = Store.create(request.folder, request.choices.state_dir, request.choices.state, environ)
    premises = premises_for(store.id, request.folder, request.choices.view, (store.folder,), environ)
    record = opened(store.id, request, table, exhibits, premises, environ)
    session = Session(store, participants, premises.folder, premises.view, listeners(request.choices, environ))
    for note in (*request.notes, *table.notes):
        say(f"[INFO] {note}")
    session.save(record)
    session.tell(record, record.opened)
    return finish(session, record, request.choices, report)
