"""Natural language on the command line: `codex vs gemini 3 rounds about X` (R5-R10), without ever damaging a topic.

Words are taken as settings in three shapes only; everything else is topic, untouched:

1. *Head, `about`, topic.* Before the first `about` outside quotes stands nothing but markers (tool pair, rounds,
   effort) and small words that join them ("let codex and gemini argue deeply about X"). One foreign word: all is topic.
2. *Markers, quoted topic.* `thoroughly codex vs gemini "Tabs or spaces?"`: the quotes say where the topic begins.
3. *Markers, bare topic*, typed as separate words: only with `X vs Y`, `with X and Y`, `between X and Y` or `N rounds`
   in front, and only if what follows does not read on as part of the same sentence ("codex vs gemini for reviews").

A text that was given as one quoted argument is topic by its quotes: only the first shape is looked for in it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from state.models import Effort

TOOL_NAMES = ("claude", "gemini", "codex", "opencode", "copilot", "kiro", "openai")
"""Names that make a pair (R1). Whether the tool can be seated is not decided here."""


@dataclass(frozen=True)
class Words:
    """What the words say. None: they do not say it. `hint` tells the person when a pair was left in the topic."""

    topic: str | None = None
    tools: tuple[str, str] | None = None
    rounds: int | None = None
    effort: Effort | None = None
    hint: str | None = None

    def choices(self) -> dict[str, Any]:
        """What was said, under the names of the flags."""
        proposer, challenger = self.tools or (None, None)
        said = {"proposer": proposer, "challenger": challenger, "rounds": self.rounds, "effort": self.effort}
        return {key: value for key, value in said.items() if value is not None}


def words_of(arguments: Sequence[str], *, literal: bool = False, own_tools: Sequence[str] = ()) -> Words:
    """What the arguments say that are left when flags are taken out.

    One argument with blanks was quoted by the person, and so was each such argument among several. `literal`: they
    stood behind `--`, so all of it is topic. `own_tools` are names of the person's own tools.
    """
    text = " ".join(arguments)
    if literal:
        return Words(topic=text.strip() or None)
    if len(arguments) == 1:
        return parse_words(text, quoted=_has_blank(text), own_tools=own_tools)
    return _read(text, (*_quoted_arguments(arguments), *_quoted_spans(text)), _marker(tuple(own_tools)), bare=True)


def parse_words(text: str, *, quoted: bool = False, own_tools: Sequence[str] = ()) -> Words:
    """What this text says. `quoted`: the person marked it as one piece, so it is a topic unless it has a clear form."""
    return _read(text, _quoted_spans(text), _marker(tuple(own_tools)), bare=not quoted)


Span = tuple[int, int]


@cache
def _marker(own_tools: tuple[str, ...]) -> re.Pattern[str]:
    """A setting among the words, with seats of our tools and of the person's own."""
    names = "|".join(re.escape(name) for name in sorted((*TOOL_NAMES, *own_tools), key=len, reverse=True))
    seat = rf"(?:{names})(?:[:@][^\s,;]+)?"
    return re.compile(_MARKER.replace("SEAT", seat), re.IGNORECASE | re.VERBOSE)


_MARKER = r"""(?:
      (?:(?P<strong>with|between)\s+)?(?P<first>SEAT)\s+(?:(?P<vs>vs\.?|versus|against)|and|&)\s+(?P<second>SEAT)
    | (?P<rounds>[0-9]{1,9}|single|one|two|three|four|five)[\s-]+round(?P<several>s)?
    | (?:(?P<level>low|medium|high|max|maximum)[\s-]+effort)
    | (?P<low>quick(?:ly)?|fast|brief(?:ly)?)
    | (?P<high>thorough(?:ly)?|careful(?:ly)?|detailed)
    | (?P<max>maximum|max|exhaustive(?:ly)?)
    | (?P<deep>deep(?:ly)?)
    | (?P<extended>extended)
    )(?=[\s,;:]|$)[\s,;:]*"""
_JOINT = re.compile(
    r"""(?:a|an|and|argue|argument|ask|at|between|debate|discuss|discussion|do|effort|for|have|hold|in|it|let|let's|make
    |of|please|run|start|the|to|use|using|with)(?=[\s,;:]|$)[\s,;:]*""",
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT = re.compile(r"(?<!\S)about(?=:?(?:\s|$)):?\s*", re.IGNORECASE)
_READS_ON = re.compile(
    r"(?:and|are|as|at|but|by|for|from|in|is|of|on|or|than|to|versus|vs|was|were|which|who|whose|with)\b", re.IGNORECASE
)
_QUOTED = re.compile(
    r"""
    "[^"]*" | “[^”]*” | «[^»]*» | 「[^」]*」 | 『[^』]*』 | `[^`]*`
    | (?<!\w)'(?:[^']|(?<=\w)'(?=\w))*'(?!\w)
    | (?<!\w)‘(?:[^‘’]|(?<=\w)’(?=\w))*’(?!\w)
    """,
    re.VERBOSE,
)
_NUMBERS = {"single": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_EFFORTS: tuple[Effort, ...] = get_args(Effort)
_DEEP_ROUNDS = 3

Marks = Sequence[re.Match[str]]


def _read(text: str, quotes: Sequence[Span], marker: re.Pattern[str], *, bare: bool) -> Words:
    start = len(text) - len(text.lstrip())
    about = next((m for m in _ABOUT.finditer(text) if not _inside(m.start(), quotes)), None)
    if about is not None:
        marks = _head(text[: about.start()], marker)
        if marks is not None and (marks or bare):
            return _said(marks, text[about.end() :])
    marks, end = _run(text, start, quotes, marker)
    if bare and _begins_topic(text, marks, end, quotes):
        return _said(marks, text[end:])
    return Words(topic=_unquoted(text), hint=_hint(marks))


def _head(text: str, marker: re.Pattern[str]) -> Marks | None:
    """The markers of a head that consists of markers and joints alone, with at most one pair; else None."""
    marks, at = [], len(text) - len(text.lstrip())
    while at < len(text):
        mark = marker.match(text, at)
        step = mark or _JOINT.match(text, at)
        if step is None:
            return None
        marks += [mark] if mark else []
        at = step.end()
    return marks if sum(map(_is_pair, marks)) <= 1 else None


def _run(text: str, at: int, quotes: Sequence[Span], marker: re.Pattern[str]) -> tuple[Marks, int]:
    """The markers with which the text begins, and where they end. Nothing inside quotes is a marker."""
    marks: list[re.Match[str]] = []
    while (
        not _inside(at, quotes)
        and (mark := marker.match(text, at))
        and not (_is_pair(mark) and any(map(_is_pair, marks)))
    ):
        marks.append(mark)
        at = mark.end()
    return marks, at


def _begins_topic(text: str, marks: Marks, end: int, quotes: Sequence[Span]) -> bool:
    """Whether what follows the leading markers is a topic of its own, and not the rest of their sentence."""
    if any(start == end and stop == len(text.rstrip()) for start, stop in quotes):
        return bool(marks)
    rest, paired, clear = text[end:].strip(), any(map(_is_pair, marks)), any(map(_is_clear, marks))
    if not rest:
        return paired or clear
    if paired and len(marks) > 1:
        return True
    return clear and not _READS_ON.match(rest) and _has_blank(rest)


def _is_pair(mark: re.Match[str]) -> bool:
    return mark["first"] is not None


def _is_clear(mark: re.Match[str]) -> bool:
    """Whether it is a setting even without `about`: a bare `X and Y`, "quick" or "one round" may begin a sentence."""
    return bool(mark["several"] or mark["vs"] or mark["strong"])


def _said(marks: Marks, rest: str) -> Words:
    pair = next(((_seat(m["first"]), _seat(m["second"])) for m in marks if _is_pair(m)), None)
    efforts: list[Effort] = [effort for mark in marks if (effort := _effort(mark))]
    return Words(
        topic=_unquoted(rest),
        tools=pair,
        rounds=_rounds(marks),
        effort=max(efforts, key=_EFFORTS.index) if efforts else None,
    )


def _rounds(marks: Marks) -> int | None:
    """The number named; else 3 for "deep" and "extended" (R7)."""
    named = [m["rounds"].lower() for m in marks if m["rounds"]]
    if named:
        return _NUMBERS.get(named[-1]) or int(named[-1])
    return _DEEP_ROUNDS if any(m["deep"] or m["extended"] for m in marks) else None


def _effort(mark: re.Match[str]) -> Effort | None:
    levels: Mapping[str, Effort] = {"low": "low", "medium": "medium", "high": "high", "max": "max", "maximum": "max"}
    if mark["level"]:
        return levels[mark["level"].lower()]
    by_group: Mapping[str, Effort] = {"low": "low", "high": "high", "deep": "high", "max": "max"}
    return next((effort for group, effort in by_group.items() if mark[group]), None)


def _seat(text: str) -> str:
    """The seat with its tool in lower case; a model keeps its letters."""
    tool = re.match(r"[^:@]+", text)
    return text if tool is None else tool[0].lower() + text[tool.end() :]


def _hint(marks: Marks) -> str | None:
    for mark in marks:
        if _is_pair(mark):
            first, second = _seat(mark["first"]), _seat(mark["second"])
            return (
                f"'{mark[0].strip(' ,;:')}' was read as part of the topic. To seat them: "
                f"debate {first} vs {second} about ..., or --tools {first},{second}"
            )
    return None


def _unquoted(text: str) -> str | None:
    """The topic without blanks around it and without one pair of quotes around all of it; None when nothing is left."""
    text = text.strip()
    if _QUOTED.fullmatch(text) and not text.startswith("`"):
        text = text[1:-1].strip()
    return text or None


def _quoted_spans(text: str) -> tuple[Span, ...]:
    return tuple(m.span() for m in _QUOTED.finditer(text))


def _quoted_arguments(arguments: Sequence[str]) -> tuple[Span, ...]:
    """Where the arguments with blanks stand in the joined text."""
    ends = [sum(len(a) + 1 for a in arguments[: i + 1]) - 1 for i in range(len(arguments))]
    return tuple((end - len(a), end) for a, end in zip(arguments, ends, strict=True) if _has_blank(a))


def _has_blank(text: str) -> bool:
    return bool(re.search(r"\s", text))


def _inside(at: int, spans: Sequence[Span]) -> bool:
    return any(start <= at < end for start, end in spans)
