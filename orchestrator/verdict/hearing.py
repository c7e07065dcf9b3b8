"""What a judge is given: the sides under random names, the speeches in this judge's order, the schema to answer in."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from orchestrator.material.context import call_code, shared
from orchestrator.material.speeches import ROLES, Spoken, spoken
from orchestrator.verdict.ballot import schema
from state.models import Key
from state.record import Record

# Names without rank, praise or place in an alphabet that begins with A and B; one that a text uses is passed over.
_NAMES = (
    "Basalt", "Cedar", "Cobalt", "Copper", "Flint", "Garnet", "Granite", "Hazel", "Indigo", "Juniper", "Larch",
    "Linden", "Maple", "Marble", "Ochre", "Onyx", "Quartz", "Rowan", "Sable", "Slate", "Spruce", "Teal", "Umber",
    "Walnut", "Willow",
)  # fmt: skip


@dataclass(frozen=True)
class Hearing:
    """One judge's view of a debate: the roles in the order in which it sees them, their names, numbered speeches."""

    order: tuple[str, ...]
    labels: tuple[str, ...]
    speeches: Mapping[str, Spoken]

    def role(self, label: str) -> str:
        """The role behind a label."""
        return self.order[self.labels.index(label)]

    def label(self, role: str) -> str:
        """The name under which this judge knows a role."""
        return self.labels[self.order.index(role)]


def hearing(record: Record, step: str, chair: int) -> Hearing:
    """How the judge in this chair of a panel hears the debate; neighbouring chairs see the sides in opposite orders."""
    speeches = spoken(record)
    dice = random.Random(f"{record.opened.seed}/{step}")  # noqa: S311  fairness, not secrecy
    order = ROLES if (dice.randrange(2) + chair) % 2 == 0 else tuple(reversed(ROLES))
    texts = (record.opened.topic, *(e.text for e in record.opened.exhibits), *(s.text for s in speeches))
    text = "\n".join(texts).casefold()
    labels = _labels(random.Random(f"{record.opened.seed}/{step}/{chair}"), text)  # noqa: S311  likewise
    number = next(word for word in _numbers() if f"{word}-" not in text)
    return Hearing(order, labels, {f"{number}-{n}": speech for n, speech in enumerate(speeches, 1)})


def _labels(dice: random.Random, text: str) -> tuple[str, ...]:
    used = set(re.findall(r"\w+", text))
    free = (name for name in _candidates(dice) if name.casefold() not in used)
    return tuple(next(free) for _ in ROLES)


def _candidates(dice: random.Random) -> Iterator[str]:
    yield from dice.sample(_NAMES, len(_NAMES))
    yield from (f"Side{number}" for number in count(dice.randrange(100, 1000)))


def _numbers() -> Iterator[str]:
    yield from ("turn", "speech")
    yield from (f"turn{number}" for number in count(1))


def ballot_code(record: Record, key: Key, heard: Hearing) -> str:
    """The code of this judging call: it marks the fences, and a ballot must carry it to be one."""
    return call_code(record, key, *(speech.text for speech in heard.speeches.values()))


def judging(record: Record, key: Key, heard: Hearing) -> dict[str, Any]:
    """The values of a judging prompt."""
    nonce = ballot_code(record, key, heard)
    return {
        **shared(record),
        "sides": list(heard.labels),
        "unordered": heard.order != ROLES,
        "transcript": _transcript(heard),
        "code": nonce,
        "schema": schema(heard.labels, list(heard.speeches), nonce),
    }


def _transcript(heard: Hearing) -> list[dict[str, Any]]:
    shown = sorted(heard.speeches.items(), key=lambda item: (item[1].round, heard.order.index(item[1].role)))
    return [
        {
            "id": name,
            "round": speech.round,
            "side": heard.label(speech.role),
            "text": speech.text,
            "unanswered": _unanswered(speech, list(heard.speeches.values())),
        }
        for name, speech in shown
    ]


def _unanswered(speech: Spoken, speeches: Sequence[Spoken]) -> bool:
    return speech.role == ROLES[0] and not any(s.round == speech.round and s.role != speech.role for s in speeches)
