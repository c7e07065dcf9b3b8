"""The digest of old rounds: passages cut from the speeches word for word and sorted by what they do, never retold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from orchestrator.material.speeches import Spoken

LIMIT = 800
LONGEST = 600
OPENING_SENTENCES = 2

_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)、]|#{1,6})\s*")
_END = re.compile(r"[.!?][\"'”’)\]*_]*(?=\s+(?!\[E\d)\S)|[。！？；][”’」』）]*(?=\s*(?!\[E\d)\S)")
_QUOTED = re.compile(r"\"[^\"]{0,400}\"|“[^”]{0,400}”|「[^」]{0,400}」|『[^』]{0,400}』|`[^`]{0,400}`|«[^»]{0,400}»")

_CONCESSION = re.compile(
    r"\bI (?:(?:do|must|have to|will|fully|readily|freely|therefore|now|also|hereby|can only) )*"
    r"(?:concede|grant|accept|admit|acknowledge|agree|withdraw|retract)\b"
    r"|\bI (?:was|am|stand) (?:wrong|mistaken|corrected)\b"
    r"|\b(?:you|the (?:proposer|challenger|other side)) (?:are|is|was|were) (?:\w+ )?(?:right|correct)\b"
    r"|\byou['’]re right\b|\bfair point\b|^\W*(?:point )?conce(?:ded|ssions?)\W*[:：.]"
    r"|我[^，。；！？不没未无]{0,4}(?:不得不)?(?:承认|让步|收回|接受|同意|认可|撤回)|我错了|^\W*(?:让步|承认)\W*[：:]"
    r"|(?:你|您|对方|提议方|质疑方|正方|反方)[^，。；！？不没未无]{0,4}(?:说得对|说的对|是对的|有道理)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|cannot|nor|neither|refuse|decline|would|might|could)\b|n['’]t\b"
    r"|\b(?:says?|said|claims?|claimed|argues?|argued|pretends?)\b"
    r"|不|没有|未|无法|拒绝|绝非|并非|声称|认为|以为",
    re.IGNORECASE,
)
_CONDITION_BEFORE = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|assuming|had I|were I)\b"
    r"|如果|假如|假设|即使|就算|哪怕|除非|倘若|要是|是否",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(
    r"\b(?:only if|only when|provided|on condition|unless)\b|除非|前提是|只有在", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;:—，；：]|\b(?:but|yet|however|still|though)\b|但|不过|然而", re.IGNORECASE)
_EVIDENCE = re.compile(r"\[E\d+\]|[\w./\\-]+\.\w{1,8}:\d+|https?://\S", re.IGNORECASE)
_OBJECTION = re.compile(
    r"\b(?:wrong|flaw\w*|fails?|missing|ignor\w+|unsupported|no evidence|not support\w*|overlook\w*|risks?|breaks?"
    r"|unanswered|dodg\w+|contradict\w*|insecure|vulnerab\w+|incorrect|unresolved"
    r"|does not (?:address|answer|hold|follow|show))\b"
    r"|错误|缺陷|漏洞|缺少|忽略|忽视|没有证据|风险|未回答|回避|矛盾|站不住|不成立|不安全",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Passage:
    """A sentence of a speech, word for word (runs of white space as one blank), or its first `LONGEST` characters."""

    round: int
    role: str
    kind: str
    text: str


def digest(speeches: Sequence[Spoken]) -> dict[str, Any] | None:
    """The passages of these speeches that later rounds need, at most about `LIMIT` tokens; None without speeches.

    Opening positions and all concessions come first and always whole; then cited evidence and objections, newest
    round first, as far as there is room. `left_out` counts the passages for which there was none.
    """
    found = list(dict.fromkeys(passage for speech in speeches for passage in passages(speech)))
    always = [p for p in found if p.kind in ("position", "concession")]
    others = sorted((p for p in found if p.kind in ("evidence", "objection")), key=lambda p: -p.round)
    kept = {*always, *_fitting(others, LIMIT - sum(tokens(p.text) for p in always))}
    if not speeches:
        return None
    shown = [{"round": p.round, "role": p.role, "kind": p.kind, "text": p.text} for p in found if p in kept]
    return {"passages": shown, "left_out": len(found) - len(kept), "last_round": max(s.round for s in speeches)}


def _fitting(wanted: Iterable[Passage], room: float) -> Iterator[Passage]:
    for passage in wanted:
        if (cost := tokens(passage.text)) <= room:
            room -= cost
            yield passage


def passages(speech: Spoken) -> Iterator[Passage]:
    """The sentences of a speech that a digest may keep, each with what it does."""
    said = list(sentences(speech.text))
    stance = said[:OPENING_SENTENCES] if speech.round == 1 else said[-1:]
    for sentence in said:
        kind = _kind(sentence)
        if kind != "concession" and sentence in stance:
            kind = "position"
        if kind:
            yield Passage(speech.round, speech.role, kind, sentence[:LONGEST])


def _kind(sentence: str) -> str | None:
    if concedes(sentence):
        return "concession"
    if _EVIDENCE.search(sentence):
        return "evidence"
    return "objection" if _OBJECTION.search(sentence) else None


def concedes(sentence: str) -> bool:
    """Whether the speaker gives up a point here: said outright, not denied, not on a condition, not quoting another."""
    bare = _QUOTED.sub("", sentence)
    return any(_outright(bare, match) for match in _CONCESSION.finditer(bare))


def _outright(sentence: str, match: re.Match[str]) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    clause = _CLAUSE.split(before)[-1]
    question = sentence.rstrip().endswith(("?", "？"))
    return not (
        question or _DENIED.search(clause) or _CONDITION_BEFORE.search(before) or _CONDITION_AFTER.search(after)
    )


def sentences(text: str) -> Iterator[str]:
    """The speaker's own sentences: code blocks and quoted lines are left out, list marks are taken off."""
    for paragraph in _paragraphs(_CODE.sub("\n\n", text)):
        cuts = [0, *(end.end() for end in _END.finditer(paragraph)), len(paragraph)]
        parts = (" ".join(paragraph[start:stop].split()) for start, stop in pairwise(cuts))
        yield from filter(None, parts)


def _paragraphs(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        item = _ITEM.match(line)
        if lines and (item or not line.strip() or line.lstrip().startswith(">")):
            yield "\n".join(lines)
            lines = []
        if line.strip() and not line.lstrip().startswith(">"):
            lines.append(line[item.end() :] if item else line)


def tokens(text: str) -> float:
    """About how many tokens the text is, seldom fewer: by its words, digit groups, Han characters, other signs."""
    words = len(re.findall(r"[A-Za-z]+", text))
    digits = len(re.findall(r"\d{1,3}", text))
    han = len(re.findall(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]", text))
    others = len(re.findall(r"[^\w\s]", text))
    return 1.08 * words + 1.92 * digits + 1.15 * han + 0.71 * others
