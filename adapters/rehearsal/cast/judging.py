"""The built-in judge: it looks up every citation in the folder, weighs what stands, and the heavier side wins."""

from typing import Any, NamedTuple

from citing import Citation, citations, mentions, yields
from evidence import Weighed, weigh
from phrases import Phrases
from question import Question, question
from search import Library

MOST_DECISIVE = 3
SURE = 4
"""Points between the sides from which the judge calls itself sure."""


class Proof(NamedTuple):
    """A citation that stands: in which speech, and what its line is worth."""

    speech: str
    cited: Citation
    points: int


class Side(NamedTuple):
    """What a side brought. `place`: 0 for the proposer, 1 for the challenger."""

    name: str
    place: int
    speeches: list[dict[str, Any]]
    proofs: list[Proof]
    false: int

    @property
    def points(self) -> int:
        """What stands, less a point for each citation that does not."""
        return sum(proof.points for proof in self.proofs) - self.false

    @property
    def best(self) -> Proof | None:
        """The proof that carries most."""
        return max(self.proofs, key=lambda proof: proof.points, default=None)


def ballot(values: dict[str, Any], library: Library, *, by_place: bool) -> dict[str, Any]:
    """The ballot. `by_place`: vote for whoever is shown first, as the scenario `judge-split` wants."""
    asked = question(str(values["topic"]))
    transcript = sorted(values["transcript"], key=_number)
    sides = [_side(asked, name, transcript, library) for name in values["sides"]]
    winner = sides[0] if by_place else max(sides, key=lambda side: (side.points, side.place))
    loser = next(side for side in sides if side is not winner)
    return {
        "nonce": values["code"],
        **_Opinion(asked, Phrases(str(values["topic"])), winner, loser, transcript).written(),
    }


def _number(speech: dict[str, Any]) -> int:
    return int(str(speech["id"]).rpartition("-")[2])


def _side(asked: Question, name: str, transcript: list[dict[str, Any]], library: Library) -> Side:
    """A side with each of its citations looked up; a line counts once, for the first speech that brings it."""
    place = int(bool(transcript) and transcript[0]["side"] != name)
    speeches = [speech for speech in transcript if speech["side"] == name]
    found: dict[tuple[str, int], Proof] = {}
    false: set[Citation] = set()
    for speech in speeches:
        for cited in citations(str(speech["text"])):
            if not library.stands(cited):
                false.add(cited)
                continue
            points = _worth(asked, cited, library).weight(place)
            found.setdefault((cited.path, cited.line), Proof(str(speech["id"]), cited, points))
    return Side(name, place, speeches, list(found.values()), len(false))


def _worth(asked: Question, cited: Citation, library: Library) -> Weighed:
    return weigh(asked, cited.path, library.line(cited.path, cited.line) or cited.quote)


class _Opinion:
    """The judge's words about a debate that is decided."""

    def __init__(
        self, asked: Question, say: Phrases, winner: Side, loser: Side, transcript: list[dict[str, Any]]
    ) -> None:
        self._asked, self._say = asked, say
        self._winner, self._loser = winner, loser
        self._sides = (winner, loser)
        self._transcript = transcript

    def written(self) -> dict[str, Any]:
        """The fields of the ballot."""
        return {
            "decisive": self._decisive(),
            "reasoning": self._reasoning(),
            "winner": self._winner.name,
            "quality": self._quality(),
            "agreements": [{"point": self._say("agreed", where=w), "evidence": w} for w in self._conceded()],
            "disagreements": [self._disagreement()],
            "unresolved": [self._unresolved()],
            "recommendation": self._recommendation(),
            "confidence": self._confidence(),
        }

    def _decisive(self) -> list[dict[str, str]]:
        ordered = sorted(self._winner.proofs, key=lambda proof: -proof.points)[:MOST_DECISIVE]
        if ordered:
            why = self._say("why_decisive")
            return [{"speech": proof.speech, "quote": str(proof.cited), "why": why} for proof in ordered]
        speech = (self._winner.speeches or self._transcript)[0]
        line = next((line.strip() for line in str(speech["text"]).splitlines() if line.strip()), "")
        return [{"speech": str(speech["id"]), "quote": line, "why": self._say("why_bare")}]

    def _reasoning(self) -> str:
        winner, loser = (self._brings(side) for side in self._sides)
        ahead = self._winner.points - self._loser.points
        end = self._say("wins" if ahead > 0 else "tie" if not ahead else "by_place", name=self._winner.name)
        return self._say("reasons", winner=winner, other=loser) + self._say.joined + end

    def _brings(self, side: Side) -> str:
        count = len(side.proofs)
        name = "brings_none" if not count else "brings_one" if count == 1 else "brings"
        speeches = ", ".join(dict.fromkeys(proof.speech for proof in side.proofs))
        weight = sum(proof.points for proof in side.proofs)
        said = self._say(name, side=side.name, count=count, speeches=speeches, weight=weight)
        return said + (", " + self._say("false_ones", count=side.false) if side.false else "")

    def _conceded(self) -> list[str]:
        """The places that stand and that the other side conceded."""
        found: list[str] = []
        for side, other in (self._sides, self._sides[::-1]):
            text = "\n".join(str(speech["text"]) for speech in other.speeches)
            places = [proof.cited.where for proof in side.proofs]
            found += [where for where in places if any(yields(line) for line in mentions(text, where))]
        return found[:MOST_DECISIVE]

    def _objections(self) -> int:
        """How many cited places the other side names without conceding them."""
        count = 0
        for side, other in (self._sides, self._sides[::-1]):
            text = "\n".join(str(speech["text"]) for speech in other.speeches)
            places = {cited.where for speech in side.speeches for cited in citations(str(speech["text"]))}
            count += sum(any(not yields(line) for line in mentions(text, where)) for where in places)
        return count

    def _quality(self) -> dict[str, str]:
        proven = sum(bool(side.proofs) for side in self._sides)
        total = sum(len(side.proofs) for side in self._sides)
        objections = self._objections()
        evidence = (
            "low" if not total else "high" if total >= SURE and not any(s.false for s in self._sides) else "medium"
        )
        return {
            "genuine_disagreement": ("low", "medium", "high")[proven],
            "evidence_quality": evidence,
            "challenge_depth": "high" if objections > 2 else "medium" if objections else "low",
        }

    def _disagreement(self) -> dict[str, Any]:
        a, b = self._asked.choices
        return {
            "point": self._say(f"point.{self._asked.kind}", a=a, b=b),
            "positions": {side.name: self._position(side) for side in self._sides},
        }

    def _position(self, side: Side) -> str:
        pair = self._asked.kind == "pair"
        what = self._asked.choices[side.place] if pair else self._say(f"what.{self._asked.kind}.{side.place}")
        if side.best is None:
            return self._say("position_bare", what=what)
        return self._say("position", what=what, where=side.best.cited.where)

    def _unresolved(self) -> str:
        a, b = self._asked.choices
        return self._say("open.pair" if self._asked.kind == "pair" else "open.step", a=a, b=b)

    def _recommendation(self) -> str:
        best, place = self._winner.best, self._winner.place
        name = "do.pair" if self._asked.kind == "pair" else f"do.step.{place}"
        mine, other = self._asked.choices[place], self._asked.choices[1 - place]
        if best is None:
            return self._say(f"{name}.none", mine=mine, other=other)
        return self._say(name, mine=mine, other=other, where=best.cited.where, path=best.cited.path)

    def _confidence(self) -> str:
        gap = self._winner.points - self._loser.points
        return "high" if gap >= SURE else "medium" if gap > 0 else "low"
