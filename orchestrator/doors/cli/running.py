"""From a command line to a finished run: what `debate TOPIC` and `debate resume` have in common."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from orchestrator import outcome
from orchestrator.doors.cli.listening import listeners
from orchestrator.doors.cli.output import is_terminal, say, write_json, write_page
from orchestrator.doors.cli.playing import play
from orchestrator.doors.cli.questions import completed
from orchestrator.lines import error, info, warned
from orchestrator.opening import exhibits_of, opened
from orchestrator.premises import Premises, premises_again, premises_for
from orchestrator.reopening import request_again, resumed
from orchestrator.request.choices import Choices
from orchestrator.request.folder import project_folder
from orchestrator.request.request import USAGE, Request, read_request
from orchestrator.request.settings import load
from orchestrator.seating import seat_table
from orchestrator.session import Session
from orchestrator.usage import UsageError
from orchestrator.vendors import look
from state.document import document
from state.files import replace_file
from state.models import Resumed
from state.paths import shelf_folder
from state.record import Record
from state.shelf import locate, read, store_of
from state.store import InUse, Store, file_store, new_id, new_store

PARTICIPANT = "DEBATE_PARTICIPANT"
_OUTPUT = ("state_dir", "report", "json", "events", "quiet", "verbose", "plain", "no_input")


def begin(
    words: Sequence[str], flags: Mapping[str, Any], environ: Mapping[str, str], stdin: BinaryIO, **source: Any
) -> int:
    """Open a debate, play it to the end of the run, and print the result. Returns the exit code."""
    refuse_participants(environ)
    request = completed(read_request(words, flags, environ, stdin, **source), words, flags, environ, source)
    if request.topic is None:
        raise UsageError(USAGE)
    report = report_path(request.choices, request.folder)
    vendors, participants = look(request.settings, environ)
    table = seat_table(request, vendors)
    exhibits = exhibits_of(request, environ)
    tellers = listeners(request.choices, environ)
    ident = new_id()
    store = _store(request, ident, environ)
    unseen = (*store.places, *filter(None, (report,)))
    premises = premises_for(ident, request.folder, tuple(request.choices.view), unseen, environ)
    with _in(premises, session := Session(store, participants, premises.folder, premises.view, tellers)):
        record = opened(ident, store, request, table, exhibits, premises, environ)
        for note in () if request.choices.quiet else (*request.notes, *table.notes):
            say(f"[INFO] {note}")
        return finish(session, record, request.choices, report)


def go_on(name: str, flags: Mapping[str, Any], environ: Mapping[str, str], cwd: str | None) -> int:
    """Play what is missing of a debate, or print it where nothing is. Returns the exit code."""
    refuse_participants(environ)
    folder = project_folder(cwd)
    choices = load(environ, folder, flags={key: flags[key] for key in _OUTPUT if key in flags}).choices
    shelf = shelf_folder(folder, choices.state_dir, environ)
    path = locate(name, shelf, folder)
    record = read(path)
    if not outcome.is_resumable(record):
        return _print(record, choices, environ) or outcome.exit_code(record)
    try:
        store = store_of(path, shelf, environ)
    except InUse as problem:
        say(error(str(problem)))
        return _print(record, choices, environ) or outcome.RUNNING
    record = read(path)
    if not outcome.is_resumable(record):  # another process has played it to its end since
        store.release()
        return _print(record, choices, environ) or outcome.exit_code(record)
    return _resume(record, store, flags, choices, environ)


def _resume(
    record: Record, store: Store, flags: Mapping[str, Any], choices: Choices, environ: Mapping[str, str]
) -> int:
    request = request_again(record, flags, environ)
    report = report_path(choices, request.folder)
    vendors, participants = look(request.settings, environ)
    event = resumed(record, flags, seat_table(request, vendors))
    tellers = listeners(choices, environ)
    premises, changed = premises_again(record, (*store.places, *filter(None, (report,))), environ)
    with _in(premises, session := Session(store, participants, premises.folder, premises.view, tellers, record)):
        for note in (changed, *request.notes):
            if note:
                say(warned(note))
        return finish(session, record.after(event), choices, report)


@contextmanager
def _in(premises: Premises, session: Session) -> Generator[None]:
    """Whatever happens, the premises are left as the debate's record wants it, and the debate is let go of."""
    try:
        yield
    finally:
        premises.leave(keep=session.record is not None and outcome.is_resumable(session.record))
        session.store.release()


def refuse_participants(environ: Mapping[str, str]) -> None:
    """A participant's own shell may run us: a debate inside a debate would never end."""
    if environ.get(PARTICIPANT):
        raise UsageError("A participant of a debate cannot start a debate.", f"({PARTICIPANT} is set.)")


def _store(request: Request, ident: str, environ: Mapping[str, str]) -> Store:
    choices = request.choices
    shelf = shelf_folder(request.folder, choices.state_dir, environ)
    if choices.state:
        return file_store(request.folder / Path(choices.state).expanduser(), shelf, environ)
    return new_store(ident, shelf, environ)


def report_path(choices: Choices, folder: Path) -> Path | None:
    """Where the report goes beside stdout. UsageError for a kind of file that is not written."""
    if choices.as_json and choices.events:
        raise UsageError("--json and --events exclude each other.", "Give one of them.")
    if choices.report is None:
        return None
    path = folder / Path(choices.report).expanduser()
    if path.suffix.lower() != ".md":
        raise UsageError(f"A report is a .md file. Got: {choices.report}", "Name it --report FILE.md")
    if not path.parent.is_dir():
        raise UsageError(f"Folder not found: {path.parent}", "Make it first, or name another file with --report.")
    return path


def finish(session: Session, record: Record, choices: Choices, report: Path | None) -> int:
    """Play the record, print and write the result. Returns the exit code; that of a stop tells more than a closed pipe."""
    record, number = play(session, record)
    code = 128 + number if number else outcome.exit_code(record)
    if session.problem:
        code = outcome.NOT_SAVED
    heard = _heard(record, choices)
    written = _print(record, choices, session.participants.environ, transcript=not heard)
    if not (choices.quiet or session.problem):
        say(info(f"Saved: {session.store.path} (debate show {record.opened.state_file or record.id})"))
    reported = _reported(record, report)
    return code if number else reported or written or code


def _heard(record: Record, choices: Choices) -> bool:
    """Whether all speeches stand above the report, on the same terminal."""
    resumed_one = any(isinstance(event, Resumed) for event in record.events)
    return not (resumed_one or choices.quiet) and is_terminal(sys.stderr) and is_terminal(sys.stdout)


def _print(record: Record, choices: Choices, environ: Mapping[str, str], *, transcript: bool = True) -> int:
    if choices.events:
        return outcome.OK
    if choices.as_json:
        return write_json(document(record))
    from orchestrator.report.markdown import report as as_markdown

    return write_page(as_markdown(record, transcript=transcript), environ)


def _reported(record: Record, path: Path | None) -> int:
    from orchestrator.report.markdown import report as as_markdown

    if path is None:
        return outcome.OK
    try:
        replace_file(path, as_markdown(record).encode("utf-8", "replace"))
    except OSError as problem:
        say(error(f"The report could not be written: {path}: {problem.strerror}. The state is saved."))
        return outcome.NO_OUTPUT
    return outcome.OK
