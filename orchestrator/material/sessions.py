"""Sessions: whether a speaker's vendor still knows what it was told, read off the record alone."""

from state.failures import FailureKind
from state.models import Key, TurnEnded, TurnStarted
from state.record import Record
from state.rounds import round_of
from state.sessions import is_session_id


def session_of(record: Record, role: str) -> str | None:
    """The vendor's session with which this seat's next speech goes on; None: everything has to be told afresh.

    It is that of the seat's latest speech, if the same tool gave it in the same way. After any failure a fresh one is begun.
    A record may come from somebody else: what cannot name a session is none.
    """
    if record.settings.sessions != "continue":
        return None
    spoken = [e for e in record.events if isinstance(e, TurnEnded) and e.key.seat == role and round_of(e.key)]
    seat = record.seat(role)
    if not spoken:
        return None
    envelope = spoken[-1].envelope
    same = (envelope.tool, envelope.transport) == (seat.tool, seat.transport)
    able = same and envelope.continuable and envelope.response and is_session_id(envelope.session_id)
    return envelope.session_id if able else None


def is_lost(record: Record, turn: TurnEnded) -> bool:
    """Whether this call failed only because the vendor no longer knew the session: then it is made again, afresh."""
    failure = turn.envelope.failure
    return failure is not None and failure.kind is FailureKind.SESSION_LOST and _continued(record, turn.key)


def _continued(record: Record, key: Key) -> bool:
    return any(isinstance(e, TurnStarted) and e.key == key and e.continues for e in record.events)
