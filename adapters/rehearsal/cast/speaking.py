"""The speeches of a rehearsal: a stance, objections to the other side's lines, a concession, claims that cite real lines."""

from collections.abc import Iterator
from typing import Any

from citing import Citation, citations, mentions, yields
from evidence import CODE, Weighed, weigh
from phrases import Phrases
from question import Question, question
from search import Findings, Hit, Library

CLAIMS = 3
LATER_CLAIMS = 2
OBJECTIONS = 2
ROLES = ("proposer", "challenger")


def speech(values: dict[str, Any], library: Library) -> str:
    """What this seat says now."""
    return "\n\n".join(_Speaker(values, library).parts())


class _Speaker:
    """One seat in one round: what it knows, and its parts of speech."""

    def __init__(self, values: dict[str, Any], library: Library) -> None:
        topic = str(values["topic"])
        self._asked: Question = question(topic)
        self._say = Phrases(topic)
        self._library = library
        self._side = ROLES.index(values["role"]) if values["role"] in ROLES else 0
        self._round = int(values.get("round", 1))
        self._latest = str((values.get("latest") or {}).get("text", ""))
        earlier: list[dict[str, Any]] = [*(values.get("earlier") or []), *_passages(values)]
        self._said = [*(str(s["text"]) for s in earlier), self._latest]
        self._mine = "\n".join(str(s["text"]) for s in earlier if s.get("role") == values["role"])
        self._findings: Findings = library.search(self._asked)

    def parts(self) -> Iterator[str]:
        """The paragraphs of the speech, in their order."""
        if self._round == 1:
            yield self._stance()
        if self._latest:
            yield from self._kept()
            yield from self._answer()
        fresh = self._fresh()
        yield from self._claims(fresh)
        if self._round == 1 and self._side == 1:
            yield self._smaller(fresh)
        if self._round > 1:
            yield self._holds()

    def _words(self) -> dict[str, str]:
        """What phrases are filled with: the choices as this side sees them, what a yes would be, the opponent."""
        mine, other = self._asked.choices[self._side], self._asked.choices[1 - self._side]
        opponent = self._say(f"the {ROLES[1 - self._side]}")
        step = self._say("yes" if self._asked.kind == "yesno" else "change")
        subject = self._say("and").join(
            t for t in self._asked.terms if t not in (*self._asked.own[0], *self._asked.own[1])
        )
        name = opponent[0].upper() + opponent[1:]
        return {"mine": mine, "other": other, "step": step, "Opponent": name, "subject": subject}

    def _stance(self) -> str:
        stance = self._say(f"stance.{self._asked.kind}.{self._side}", **self._words())
        if self._side or self._asked.kind != "pair" or not self._findings.hits:
            return stance
        a, b = (sum(self._findings.lines[term] for term in own) for own in self._asked.own)
        return stance + self._say.joined + self._say("count", files=self._findings.files, a=a, b=b, **self._words())

    def _holds(self) -> str:
        name = "holds.pair" if self._asked.kind == "pair" else f"holds.{self._asked.kind}.{self._side}"
        return self._say(name, **self._words())

    def _fresh(self) -> list[Hit]:
        """The best lines for this side that nobody has brought yet."""
        used = {(c.path, c.line) for text in self._said for c in citations(text)}
        open_ = [hit for hit in self._findings.hits if (hit.cited.path, hit.cited.line) not in used]
        own = [hit for hit in open_ if hit.worth.lean == self._side]
        neutral = [hit for hit in open_ if hit.worth.lean is None and not hit.worth.both]
        most = CLAIMS if self._round == 1 else LATER_CLAIMS
        return [*_varied(own), *neutral][:most]

    def _claims(self, hits: list[Hit]) -> Iterator[str]:
        if not hits:
            brought = any(citations(text) for text in self._mine.splitlines())
            yield self._say("nothing_new" if brought else "nothing")
        for number, hit in enumerate(hits, 1):
            yield f"{number}. {self._say(self._claim(hit.worth), **self._words())} [E{number}] {hit.cited}"

    def _claim(self, worth: Weighed) -> str:
        if self._asked.kind != "pair":
            return f"claim.step.{'neutral' if worth.lean is None else 'own'}.{self._side}"
        if worth.lean is None:
            return f"claim.pair.neutral.{self._side}"
        return f"claim.pair.{'against' if worth.against else 'prefers' if worth.both else worth.kind}"

    def _kept(self) -> Iterator[str]:
        """What becomes of one's own lines that the other side has just spoken of: one conceded, one set aside."""
        done: set[str] = set()
        for cited in citations(self._mine) if self._round > 1 else ():
            for line in mentions(self._latest, cited.where):
                name = "granted" if yields(line) else "kept"
                if name not in done and self._library.stands(cited):
                    done.add(name)
                    yield self._say(name, where=cited.where, **self._words())

    def _answer(self) -> Iterator[str]:
        """Object to the lines of the latest speech, and concede the strongest that stands."""
        cited = citations(self._latest)
        if not cited:
            yield self._say("unsupported", **self._words())
            return
        strongest = max(cited, key=self._strength)
        conceded = strongest if self._strength(strongest) > 0 else None
        yield from self._objections([c for c in cited if c != conceded or len(cited) == 1])
        if conceded:
            yield self._say("concede", where=conceded.where, fact=self._fact(conceded))

    def _strength(self, cited: Citation) -> int:
        """How much a line carries for the other side; less than 1 where it does not stand."""
        return self._worth(cited).weight(1 - self._side) if self._library.stands(cited) else -1

    def _worth(self, cited: Citation) -> Weighed:
        return weigh(self._asked, cited.path, self._library.line(cited.path, cited.line) or "")

    def _fact(self, cited: Citation) -> str:
        worth = self._worth(cited)
        own = self._asked.kind == "pair" and worth.lean == 1 - self._side and not worth.against
        return self._say(f"fact.{worth.kind}" if own else "fact.step", **self._words())

    def _objections(self, cited: list[Citation]) -> Iterator[str]:
        """At most two, each for another reason, false citations first."""
        reasons: dict[str, Citation] = {}
        for one in sorted(cited, key=self._library.stands):
            reasons.setdefault(self._reason(one), one)
        for reason, one in list(reasons.items())[:OBJECTIONS]:
            why = self._say(reason, **self._words())
            yield self._say("object", where=one.where, why=why, **self._words())

    def _reason(self, cited: Citation) -> str:
        """Why a line of the other side does not carry."""
        worth = self._worth(cited)
        if not self._library.stands(cited):
            return "why.false"
        if self._asked.kind == "pair" and worth.lean == self._side:
            return "why.mine"
        if worth.both and worth.lean is None:
            return "why.both"
        if worth.aside:
            return "why.aside"
        return f"why.neutral.{self._asked.kind}" if worth.lean is None else f"why.{worth.kind}"

    def _smaller(self, fresh: list[Hit]) -> str:
        """The alternative that a challenger offers."""
        hits = (*fresh, *self._findings.hits)
        code = [hit.cited.path for hit in hits if hit.worth.kind in CODE]
        paths = code or [hit.cited.path for hit in hits]
        name = "smaller" if self._asked.kind == "pair" else "smaller_step"
        return self._say(name if paths else "smaller_bare", path=paths[0] if paths else "")


def _passages(values: dict[str, Any]) -> list[dict[str, Any]]:
    """What the digest keeps of older rounds."""
    return list((values.get("digest") or {}).get("passages", ()))


def _varied(hits: list[Hit]) -> list[Hit]:
    """The hits with one of each kind first: three kinds of evidence say more than three imports."""
    firsts: dict[str, Hit] = {}
    for hit in hits:
        firsts.setdefault(hit.worth.kind, hit)
    chosen = set(firsts.values())
    return [*firsts.values(), *(hit for hit in hits if hit not in chosen)]
