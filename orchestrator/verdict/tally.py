"""From ballots to the verdict: who won, how sure that is, and the judges' words with the names put back."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.material.speeches import ROLES
from orchestrator.verdict.ballot import Ballot, Decisive
from orchestrator.verdict.hearing import Hearing
from orchestrator.verdict.quotations import stands_in
from state.clean import clean
from state.models import Agreement, Citation, Disagreement, Envelope, Position, Quality, Rating, Seat, Verdict, Vote
from state.record import Record

BURDEN = "The judges were divided evenly. The burden of proof lies with the proposer, so the challenger wins."
_LEVELS: tuple[Rating, ...] = ("low", "medium", "high")


@dataclass(frozen=True)
class Heard:
    """A juror's valid ballot, the call that it came from, and the view of the debate that it was given on."""

    ballot: Ballot
    seat: Seat
    envelope: Envelope
    hearing: Hearing

    @property
    def winner(self) -> str:
        """The role that this juror names."""
        return self.hearing.role(self.ballot.winner)


def tally(record: Record, heard: Sequence[Heard], lost: Sequence[str] = ()) -> Verdict:
    """The verdict of a panel that heard everything. `lost` says why earlier panels gave none.

    The majority wins; an even split goes to the challenger. The words are those of the first juror who voted for the
    winner, the citations those of all who did.
    """
    winner, split = _winner(heard)
    for_winner = [juror for juror in heard if juror.winner == winner]
    lead, names = for_winner[0], Names(record, for_winner[0].hearing)
    citations = tuple(citation for juror in for_winner for citation in _citations(record, juror))
    return Verdict(
        winner=record.seat(winner).tool,
        reasoning=names.put_back(lead.ballot.reasoning),
        recommendation=names.put_back(lead.ballot.recommendation),
        agreements=tuple(_agreement(names, item.point, item.evidence) for item in lead.ballot.agreements),
        disagreements=_disagreements(record, lead),
        unresolved=tuple(names.put_back(question) for question in lead.ballot.unresolved if question.strip()),
        quality=Quality.model_validate(lead.ballot.quality.model_dump()),
        citations=tuple(dict.fromkeys(citations)),
        votes=tuple(_vote(record, juror) for juror in heard),
        confidence=_confidence(heard, for_winner, split=split),
        notes=tuple(_notes(record, heard, lost, split=split)),
    )


def _winner(heard: Sequence[Heard]) -> tuple[str, bool]:
    votes = Counter(juror.winner for juror in heard)
    split = votes[ROLES[0]] == votes[ROLES[1]]
    return (ROLES[1] if split else votes.most_common(1)[0][0]), split


@dataclass(frozen=True)
class Names:
    """Puts the participants' names and the rounds in the place of one hearing's labels and speech numbers."""

    record: Record
    hearing: Hearing

    def put_back(self, text: str) -> str:
        """The text for a person, cleaned: whole words are put back, whatever their case."""
        known = {label.casefold(): self.record.seat(self.hearing.role(label)).tool for label in self.hearing.labels}
        known |= {speech: self.place(speech) for speech in self.hearing.speeches}
        words = "|".join(re.escape(word) for word in known)
        pattern = rf"(?<![A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])"
        return re.sub(pattern, lambda match: known[match[0].casefold()], clean(text), flags=re.IGNORECASE)

    def place(self, speech: str) -> str:
        """Where a speech stands in the debate."""
        spoken = self.hearing.speeches[speech]
        return f"round {spoken.round} ({self.record.seat(spoken.role).tool})"


def _agreement(names: Names, point: str, evidence: str) -> Agreement:
    return Agreement(point=names.put_back(point), evidence=names.put_back(evidence))


def _disagreements(record: Record, juror: Heard) -> tuple[Disagreement, ...]:
    names = Names(record, juror.hearing)
    return tuple(
        Disagreement(
            point=names.put_back(item.point),
            positions=tuple(
                Position(
                    tool=record.seat(role).tool, position=names.put_back(item.positions[juror.hearing.label(role)])
                )
                for role in ROLES
            ),
        )
        for item in juror.ballot.disagreements
    )


def _citations(record: Record, juror: Heard) -> tuple[Citation, ...]:
    names = Names(record, juror.hearing)
    return tuple(
        Citation(speech=names.place(d.speech), quote=clean(d.quote), found=_found(juror, d), why=names.put_back(d.why))
        for d in juror.ballot.decisive
    )


def _found(juror: Heard, item: Decisive) -> bool | None:
    return stands_in(item.quote, juror.hearing.speeches[item.speech].text) if item.quote.strip() else None


def _vote(record: Record, juror: Heard) -> Vote:
    return Vote(
        judge=juror.seat.tool,
        model=juror.envelope.model or juror.seat.model,
        order=tuple(record.seat(role).tool for role in juror.hearing.order),
        winner=record.seat(juror.winner).tool,
        reasoning=Names(record, juror.hearing).put_back(juror.ballot.reasoning),
    )


def _confidence(heard: Sequence[Heard], for_winner: Sequence[Heard], *, split: bool) -> Rating:
    """How sure the verdict is: bounded by who agrees with whom, lowered by what the winner's judges say.

    A split is low, a lone judge or a bare majority at most medium, judges who agree in opposite orders at most high.
    With one side unheard, or a judge whose every quotation is invented, it is low.
    """
    if split or _one_sided(for_winner[0].hearing) or any(_invents(juror) for juror in for_winner):
        return "low"
    ceiling: Rating = "high" if len(heard) == len(for_winner) > 1 else "medium"
    ratings: tuple[Rating, ...] = (ceiling, *(juror.ballot.confidence for juror in for_winner))
    return min(ratings, key=_LEVELS.index)


def _one_sided(heard: Hearing) -> bool:
    return len({speech.role for speech in heard.speeches.values()}) == 1


def _quotes(juror: Heard) -> list[bool]:
    return [found for item in juror.ballot.decisive if (found := _found(juror, item)) is not None]


def _invents(juror: Heard) -> bool:
    quotes = _quotes(juror)
    return bool(quotes) and not any(quotes)


def _notes(record: Record, heard: Sequence[Heard], lost: Sequence[str], *, split: bool) -> list[str]:
    table = {seat.tool for seat in record.seats}
    own = dict.fromkeys(juror.seat.tool for juror in heard if juror.seat.tool in table)
    misquotes = [(juror.seat.tool, _quotes(juror).count(False), len(_quotes(juror))) for juror in heard]
    return [
        *(f"Another judge was asked because this one failed: {reason}." for reason in lost),
        *([f"Judged by those who debated, each on its own speeches too: {', '.join(own)}."] if own else []),
        *([BURDEN] if split else []),
        *(["Only one side was heard."] if _one_sided(heard[0].hearing) else []),
        *(
            f"{tool} quotes words that the named speech does not hold ({n} of {of} quotations)."
            for tool, n, of in misquotes
            if n
        ),
    ]
