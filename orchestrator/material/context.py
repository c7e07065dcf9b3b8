"""What a speaker may know: the material that both sides share, and the speeches so far, in full or as a digest."""

from collections.abc import Mapping
from typing import Any

from orchestrator.material.digest import digest
from orchestrator.material.fence import code, harmless
from orchestrator.material.speeches import Spoken, spoken
from state.models import Exhibit, Key
from state.record import Record

FULL_ROUNDS = 2


def shared(record: Record) -> dict[str, Any]:
    """What every prompt of a deliberation carries: the question, the exhibits, whether there are files to read.

    Its fence has the deliberation's own code and not the call's, so that this long part is the same in every prompt
    and vendors' prompt caches can serve it. What participants wrote never stands in it.
    """
    opened = record.opened
    topic = harmless(opened.topic)
    exhibits = [_exhibit(exhibit) for exhibit in opened.exhibits]
    return {
        "topic": topic,
        "exhibits": exhibits,
        "files": opened.view is not None,
        "shared_code": code(opened.seed, "shared", (topic, *(e["text"] for e in exhibits))),
    }


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    name = " ".join(harmless(exhibit.name).split())
    return {"kind": exhibit.kind, "name": name, "text": harmless(exhibit.text), "truncated": exhibit.truncated}


def call_code(record: Record, key: Key, *texts: str) -> str:
    """The code of this call's own fences."""
    return code(record.opened.seed, f"{key.step}/{key.seat}/{key.attempt}", texts)


def briefing(record: Record, key: Key, round_number: int) -> Mapping[str, Any]:
    """The values of a speaker's prompt: the shared material, its part, and what it may know of the speeches so far.

    Up to round 2 that is all of them in full; from round 3 on a digest of the rounds before the last, and the last in
    full. The other side's latest speech stands apart, and only there.
    """
    so_far = spoken(record)
    latest = next((speech for speech in reversed(so_far) if speech.role != key.seat), None)
    full_from = 1 if round_number <= FULL_ROUNDS else round_number - 1
    return {
        **shared(record),
        "continued": False,
        "role": key.seat,
        "round": round_number,
        "rounds": record.settings.rounds,
        "digest": digest([s for s in so_far if s.round < full_from]),
        "earlier": [_plain(s) for s in so_far if s.round >= full_from and s is not latest],
        "latest": _plain(latest) if latest else None,
        "code": call_code(record, key, *(s.text for s in so_far)),
    }


def news(record: Record, key: Key, round_number: int) -> Mapping[str, Any]:
    """The values of a prompt in a session that already knows the rest: the other side's latest speech, and the part."""
    return {**briefing(record, key, round_number), "continued": True, "digest": None, "earlier": []}


def _plain(speech: Spoken) -> dict[str, Any]:
    return {"round": speech.round, "role": speech.role, "text": speech.text}
