"""What a status means for programs: one table of exit codes, which the documentation is made from too."""

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

MEANINGS: dict[int, str] = {
    OK: "done as asked",
    FAILED: "no verdict: a participant or judge failed; most of these can be resumed",
    USAGE: "nothing begun: bad usage or settings, or a tool that is not installed or cannot run",
    PARTIAL: "rounds are missing; there is a verdict from what there is",
    NOT_SAVED: "the state could not be saved",
    NO_OUTPUT: "the result could not be written; the state is saved",
    RUNNING: "still running",
    INTERRUPTED: "stopped by Ctrl-C (143: by SIGTERM, 129: by a closed terminal); can be resumed",
}

_BY_STATUS: dict[Status, int] = {
    "open": OK,
    "running": RUNNING,
    "completed": OK,
    "awaiting_verdict": OK,
    "abandoned": OK,
    "aborted": FAILED,
    "failed": FAILED,
    "interrupted": INTERRUPTED,
}


def exit_code(record: Record) -> int:
    """The exit code for a record as it stands. A partial debate counts by whether it has a verdict."""
    if record.status == "partial":
        return PARTIAL if record.verdict else FAILED
    return _BY_STATUS[record.status]
