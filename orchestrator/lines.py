"""The lines that people and programs may rely on (contract, "Lines"): one place for their exact words."""

from datetime import UTC, datetime

from adapters.spec import Progress
from orchestrator.events import Activity, Retrying
from state.clean import one_line
from state.failures import FailureKind
from state.models import Ended, Key, TurnEnded
from state.record import Record
from state.rounds import round_of, speeches

MESSAGE_LIMIT = 400
UNCONTESTED = "Challenger failed. Showing proposer's uncontested position."


def info(text: str) -> str:
    return f"[INFO] {text}"


def warned(text: str) -> str:
    return f"[WARN] {text}"


def error(text: str) -> str:
    return f"[ERROR] {text}"


def plan(record: Record) -> str:
    """What will be spent: speeches, judging calls, the most time."""
    seats, settings = record.seats, record.settings
    speeches = settings.rounds * len(seats)
    panel = record.panels[0] if record.panels else ()
    seconds = settings.rounds * sum(s.timeout_s for s in seats) + max((s.timeout_s for s in panel), default=0)
    names = ", ".join(s.tool for s in seats)
    judged = (
        f"; {' and '.join(s.tool for s in panel)} judge{'s' if len(panel) == 1 else ''}" if panel else "; nobody judges"
    )
    return info(
        f"Plan: {speeches} speeches + {len(panel)} judging calls, at most {duration(seconds)}; {names} speak{judged}"
    )


def duration(seconds: float) -> str:
    """A length of time for a person: `45 s`, `12 min`, `1 h 30 min`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def running(record: Record, key: Key) -> str:
    """A call begins."""
    seat = record.asked(key)
    number = round_of(key)
    if number:
        return info(f"Running round {number} {seat.role} ({seat.tool}) - timeout {seat.timeout_s:.0f}s")
    what = "Asking for a mended verdict" if key.step.startswith("repair") else "Judging"
    return info(f"{what}: {seat.role} ({seat.tool}) - timeout {seat.timeout_s:.0f}s")


def header(record: Record, key: Key) -> str:
    """The heading of a speech."""
    return f"--- {place(record, key)} ---"


def place(record: Record, key: Key) -> str:
    """Who is asked as what: `Round 1: claude (Proposer)`, `Judging: copilot`."""
    seat, number = record.asked(key), round_of(key)
    return f"Round {number}: {seat.tool} ({seat.role.capitalize()})" if number else f"Judging: {seat.tool}"


def trying_again(record: Record, retry: Retrying) -> str:
    """A transient failure, and another try."""
    tool = record.asked(retry.key).tool
    what = f"{retry.failure.kind}: {one_line(retry.failure.message, 160)}"
    return info(f"{tool}: {what}, trying again in {retry.seconds:.0f}s ({retry.attempt} of {retry.limit})")


def failed(record: Record, turn: TurnEnded) -> list[str]:
    """A call failed: what, the one thing to do, and where the raw output lies."""
    failure = turn.envelope.failure
    if failure is None or failure.kind is FailureKind.CANCELLED:
        return []
    seat, number = record.asked(turn.key), round_of(turn.key)
    where = f"in round {number}" if number else "while judging"
    if failure.kind is FailureKind.TIMED_OUT and number:
        lines = [
            warned(f"{seat.role} ({seat.tool}) timed out {where}"),
            f"       {one_line(failure.message, MESSAGE_LIMIT)}",
        ]
    else:
        words = one_line(failure.message, MESSAGE_LIMIT)
        lines = [warned(f"{seat.role} ({seat.tool}) failed {where}: {failure.kind}: {words}")]
    details = [failure.retry_at and f"It resets at {when(failure.retry_at)}.", failure.remedy]
    raw = turn.envelope.raw and f"Its raw output, and the command to try by hand: {turn.envelope.raw}.*"
    return [*lines, *(f"       {detail}" for detail in (*details, raw) if detail)]


def when(time: str) -> str:
    """A time of the record in the person's own zone, and how far off it is."""
    moment = datetime.fromisoformat(time).astimezone()
    away = (moment - datetime.now(UTC)).total_seconds()
    return f"{moment:%Y-%m-%d %H:%M %Z}" + (f" (in {duration(away)})" if away > 0 else "")


def ended(record: Record, end: Ended) -> list[str]:
    """The run is over: why, where it is not completed, and how to go on."""
    if end.status == "completed":
        return []
    uncontested = UNCONTESTED if is_uncontested(record) else None
    says = warned if end.status in {"partial", "interrupted"} else error
    lines = [says(one_line(end.reason, MESSAGE_LIMIT))] if end.reason else []
    lines = [warned(uncontested), *lines] if uncontested else lines
    return [*lines, f"Resume with: debate resume {record.opened.state_file or record.id}"]


def is_uncontested(record: Record) -> bool:
    """Whether only the proposer was heard, so that nothing was judged."""
    return record.status == "partial" and len(speeches(record)) == 1 and record.verdict is None


def at_work(record: Record, activity: Activity) -> str:
    """A sign of life of a call."""
    return info(f"{record.asked(activity.key).tool}: {doing(activity.progress)}")


def doing(progress: Progress) -> str:
    """What a participant does, and how much of its answer is there."""
    activity = one_line(progress.activity or "at work", 120)
    told = activity.startswith("writes") or not progress.written
    return activity if told else f"{activity}, {progress.written:,} characters written"


def clock(seconds: float) -> str:
    """A length of time as a clock shows it: `0:07`, `4:00`, `1:02:03`."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
