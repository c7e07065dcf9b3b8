"""The built-in judge: it looks up every citation, and the side with more lines that really stand there wins."""

from dataclasses import dataclass, field
from typing import Any

from phrases import phrases
from search import Library
from speaking import citations

ENOUGH = 3


@dataclass
class Side:
    """What a side brought: its speeches by number, and its citations that stand word for word."""

    name: str
    speeches: list[dict[str, Any]] = field(default_factory=list)
    proven: list[tuple[str, int, str]] = field(default_factory=list)


def ballot(values: dict[str, Any], library: Library, *, by_place: bool) -> dict[str, Any]:
    """The ballot. `by_place`: vote for whoever is shown first, as the scenario `judge-split` wants."""
    sides = [_side(name, values["transcript"], library) for name in values["sides"]]
    say = phrases(str(values["topic"]))
    last_to_speak = max(values["transcript"], key=_number)["side"]
    best = max(sides, key=lambda side: (len(side.proven), side.name == last_to_speak))
    winner = sides[0] if by_place else best
    other = next(side for side in sides if side is not winner)
    return _written(winner, other, values["code"], say)


def _number(speech: dict[str, Any]) -> int:
    return int(str(speech["id"]).rpartition("-")[2])


def _side(name: str, transcript: list[dict[str, Any]], library: Library) -> Side:
    side = Side(name, [speech for speech in transcript if speech["side"] == name])
    cited = [c for speech in side.speeches for c in citations(_own_words(speech["text"]))]
    side.proven = [c for c in dict.fromkeys(cited) if library.stands(*c)]
    return side


def _own_words(text: str) -> str:
    """The numbered claims: lines that repeat the other side's citation in order to concede it prove nothing for this side."""
    return "\n".join(line for line in text.splitlines() if "[E" in line)


def _written(winner: Side, other: Side, nonce: str, say: dict[str, str]) -> dict[str, Any]:
    won, lost = len(winner.proven), len(other.proven)
    key = "tie" if won == lost else "wins"
    level = "high" if won >= ENOUGH else "medium" if won else "low"
    speech = winner.speeches[0] if winner.speeches else {"id": other.speeches[0]["id"], "text": ""}
    first = next((line.strip() for line in str(speech["text"]).splitlines() if line.strip()), "")
    where = f"{winner.proven[0][0]}:{winner.proven[0][1]}" if winner.proven else ""
    recommend = say["recommend" if where else "recommend_bare"]
    return {
        "nonce": nonce,
        "decisive": [{"speech": speech["id"], "quote": first, "why": say["point"]}],
        "reasoning": say[key].format(winner=winner.name, count=won, other=lost),
        "winner": winner.name,
        "quality": {"genuine_disagreement": "medium", "evidence_quality": level, "challenge_depth": "low"},
        "agreements": [{"point": say["agreed"], "evidence": where}] if where else [],
        "disagreements": [
            {
                "point": say["point"],
                "positions": {
                    side.name: say["holds_position"].format(count=len(side.proven)) for side in (winner, other)
                },
            }
        ],
        "unresolved": [say["open"]],
        "recommendation": recommend.format(winner=winner.name, where=where),
        "confidence": "medium" if won != lost else "low",
    }
