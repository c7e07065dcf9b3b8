"""What a status means for programs: one table of exit codes, which the documentation is made from too."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from state.models import Status
    from state.record import Record

OK = 0
FAILED = 1
USAGE = 2
PARTIAL = 3
NOT_SAVED = 4
NO_OUTPUT = 5
RUNNING = 75
INTERRUPTED = 130

MEANINGS: dict[int, tuple[str, str]] = {
    OK: ("done", "Done as asked."),
    FAILED: ("no verdict", "A participant or a judge failed, so there is no verdict; it can be resumed."),
    USAGE: ("nothing begun", "Bad usage or settings, or a tool that is not installed or cannot run."),
    PARTIAL: ("verdict, but rounds missing", "Rounds are missing; the verdict rests on what there is."),
    NOT_SAVED: ("state not saved", "The state could not be saved; the result was printed all the same."),
    NO_OUTPUT: ("result not written", "The result could not be written (closed pipe, full disk); the state is saved."),
    RUNNING: ("still running", "The debate is being played by another process."),
    INTERRUPTED: ("stopped", "Stopped by Ctrl-C (143: by SIGTERM, 129: by a closed terminal); it can be resumed."),
}
"""What each exit code means: in a few words, and in a sentence."""

_BY_STATUS: dict["Status", int] = {
    "open": OK,
    "running": RUNNING,
    "completed": OK,
    "awaiting_verdict": OK,
    "abandoned": OK,
    "aborted": FAILED,
    "failed": FAILED,
    "interrupted": INTERRUPTED,
}


def is_resumable(record: "Record") -> bool:
    """Whether something of this debate is still to be played."""
    return record.status not in ("completed", "abandoned", "awaiting_verdict")


def exit_code(record: "Record") -> int:
    """The exit code for a record as it stands. A partial debate counts by whether it has a verdict."""
    if record.status == "partial":
        return PARTIAL if record.verdict else FAILED
    return _BY_STATUS[record.status]
