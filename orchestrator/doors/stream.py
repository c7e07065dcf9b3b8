"""`--events`: every happening as one JSON object a line, for programs that follow a run."""

from typing import Any

from orchestrator.doors.cli.output import write_json
from orchestrator.engine import now
from orchestrator.events import Activity, Happening, Retrying, Warned
from state.models import Ended, Key, Opened, Resumed, Seat, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import round_of, rounds_completed

VERSION = 1
_LEFT_OUT = {"type", "at", "id", "seed", "prompts_version"}


class Stream:
    """Writes `{v, seq, time, debate_id, type, ...}` lines to stdout. A closed stdout ends the writing, not the debate."""

    def __init__(self) -> None:
        self._seq = 0
        self._judging = False

    def tell(self, record: Record, happening: Happening) -> None:
        """Write the events that this happening stands for."""
        for kind, values in self._events(record, happening):
            self._seq += 1
            head = {"v": VERSION, "seq": self._seq, "time": now(), "debate_id": record.id, "type": kind}
            if write_json({**head, **values}, indent=False):
                raise OSError("stdout is gone")

    def _events(self, record: Record, happening: Happening) -> list[tuple[str, dict[str, Any]]]:
        match happening:
            case Opened() | Resumed():
                return [("opened", happening.model_dump(mode="json", exclude=_LEFT_OUT))]
            case TurnStarted():
                return self._started(record, happening)
            case Activity():
                said = happening.progress
                return [("activity", {**_who(record, happening.key), "what": said.activity, "written": said.written})]
            case Retrying():
                failure = happening.failure.model_dump(mode="json")
                again = {"failure": failure, "seconds": happening.seconds, "attempt": happening.attempt}
                return [("retrying", {**_who(record, happening.key), **again, "limit": happening.limit})]
            case TurnEnded():
                return self._ended(record, happening)
            case Warned():
                return [("warning", {"text": happening.text})]
            case Ended():
                return _closing(happening)

    def _started(self, record: Record, turn: TurnStarted) -> list[tuple[str, dict[str, Any]]]:
        first_judge = round_of(turn.key) is None and not self._judging
        self._judging = self._judging or first_judge
        judging = (
            [("judging_started", {"panel": [seat.model_dump() for seat in _panel(record, turn)]})]
            if first_judge
            else []
        )
        return [*judging, ("turn_started", {**_who(record, turn.key), "timeout_s": turn.seat.timeout_s})]

    def _ended(self, record: Record, turn: TurnEnded) -> list[tuple[str, dict[str, Any]]]:
        envelope = turn.envelope.model_dump(mode="json")
        found = [("turn_ended", {**_who(record, turn.key), "envelope": envelope})]
        number, last = round_of(turn.key), record.seats[-1].role
        if number and turn.key.seat == last and rounds_completed(record) == number:
            found.append(("round_ended", {"round": number}))
        return found


def _closing(end: Ended) -> list[tuple[str, dict[str, Any]]]:
    verdict = end.verdict
    votes = [("vote", vote.model_dump(mode="json")) for vote in verdict.votes] if verdict else []
    said = [("verdict", verdict.model_dump(mode="json"))] if verdict else []
    return [*votes, *said, ("ended", {"status": end.status, "reason": end.reason})]


def _who(record: Record, key: Key) -> dict[str, Any]:
    seat = record.asked(key)
    return {"round": round_of(key), "role": seat.role, "tool": seat.tool, "key": key.model_dump()}


def _panel(record: Record, turn: TurnStarted) -> list[Seat]:
    return next((list(panel) for panel in record.panels if turn.seat in panel), [turn.seat])
