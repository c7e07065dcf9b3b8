"""The speeches of a rehearsal: a stance, claims that cite real lines, objections to the other side's, a concession."""

import re
from typing import Any

from phrases import phrases
from search import Hit, Library, terms

CLAIMS = 3
_BETWEEN = re.compile(r"\s+(?:or|vs\.?|versus)\s+|\s*(?:还是|或者|或是|対|それとも)\s*", re.IGNORECASE)
_CITED = re.compile(r'([\w./\-\u3040-\uffee]+):(\d+) "([^"\n]+)"')


def options(topic: str) -> tuple[str, str] | None:
    """The two choices that a topic names ("Postgres or Redis for the queue?"), or None."""
    halves = _BETWEEN.split(topic.strip(" ?？。."), maxsplit=1)
    if len(halves) != 2:
        return None
    left, right = halves[0].split()[-2:], halves[1].split()[:1]
    if not left or not right:
        return None
    return (left[-1].strip(",:，："), right[0].strip(",:，："))


def citations(text: str) -> list[tuple[str, int, str]]:
    """The lines that a speech cites: path, line, quote."""
    return list(dict.fromkeys((path, int(line), quote) for path, line, quote in _CITED.findall(text)))


def speech(values: dict[str, Any], library: Library) -> str:
    """What this seat says now."""
    topic = str(values["topic"])
    say = phrases(topic)
    proposer = values["role"] == "proposer"
    latest = (values.get("latest") or {}).get("text", "")
    said = [*(s.get("text", "") for s in values.get("earlier") or []), latest]
    hits = _fresh(_hits(topic, library, 0 if proposer else 1), said)
    parts = [_stance(topic, say, proposer=proposer, first=not latest or (not proposer and values.get("round", 1) == 1))]
    if latest:
        parts += _answer(latest, library, say)
    parts += _claims(hits, say, first=not said)
    if not proposer:
        parts.append(say["alternative"])
    return "\n\n".join(parts)


def _hits(topic: str, library: Library, side: int) -> list[Hit]:
    """Lines about the side's own choice first, then lines about the topic."""
    pair = options(topic)
    own = library.about(terms(pair[side]), 12) if pair else []
    common = library.about(terms(topic), 24)
    return list(dict.fromkeys([*own, *(common if side == 0 else common[::-1])]))


def _fresh(hits: list[Hit], said: list[str]) -> list[Hit]:
    used = {(path, line) for text in said for path, line, _ in citations(text)}
    return [hit for hit in hits if (hit.path, hit.line) not in used][:CLAIMS]


def _stance(topic: str, say: dict[str, str], *, proposer: bool, first: bool) -> str:
    pair = options(topic)
    mine, other = (pair if proposer else pair[::-1]) if pair else (say["yes"], say["no"])
    if not pair and not proposer:
        mine, other = say["no"], say["yes"]
    key = ("stance" if proposer else "flaw") if first else "holds"
    return say[key].format(mine=mine, other=other)


def _claims(hits: list[Hit], say: dict[str, str], *, first: bool) -> list[str]:
    if not hits:
        return [say["nothing"] if first else say["nothing_new"]]
    return [f"{n}. {say['claim'].format(path=hit.path)} [E{n}] {hit.citation}" for n, hit in enumerate(hits, 1)]


def _answer(latest: str, library: Library, say: dict[str, str]) -> list[str]:
    """Object to what does not stand where it is cited, and concede one thing that does."""
    cited = citations(latest)
    true = [c for c in cited if library.stands(*c)]
    false = [c for c in cited if c not in true]
    parts = [say["false"].format(where=f"{path}:{line}") for path, line, _ in false]
    if true:
        path, line, quote = true[0]
        parts.append(say["concede"].format(where=f"{path}:{line}", quote=quote))
    if not cited:
        parts.append(say["unsupported"])
    return parts
