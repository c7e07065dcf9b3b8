"""What a line is worth as evidence: what kind of line it is, whose side it takes, and which words of it to quote."""

import re
from functools import lru_cache
from typing import NamedTuple

from question import Question, pattern

QUOTE = 90
WEIGHTS = {
    "code": 2, "definition": 2, "import": 2, "manifest": 2, "config": 2, "doc": 1, "comment": 1, "test": 1,
}  # fmt: skip
"""How much a line of each kind carries before the judge: what runs counts twice what only says or tries something."""
CODE = ("code", "definition", "import", "comment")
"""Kinds of lines that stand in source files."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)/|(?:^|/)(?:test_|conftest)|[._-](?:test|spec)s?\.\w+$"
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|requirements/.*|package\.json|go\.mod|Cargo\.toml|Gemfile|pom\.xml|build\.gradle\S*|composer\.json|setup\.(?:py|cfg)|pyproject\.toml|Pipfile)$"
)
_DOC = re.compile(
    r"\.(?:md|rst|txt|adoc|org|tex|mdx)$|(?:^|/)(?:README|CHANGELOG|TODO|NOTES|HISTORY)[^/.]*$", re.IGNORECASE
)
_CONFIG = re.compile(
    r"\.(?:toml|ya?ml|json|ini|cfg|conf|properties|env|tf|hcl|plist|xml)$|(?:^|/)(?:Dockerfile|Makefile|Procfile|Vagrantfile|Jenkinsfile)[^/]*$"
)
_COMMENT = re.compile(r"\s*(?:#(?!include|define|\[)|//|/\*|\*(?:\s|/)|--\s|<!--|;|%|\"\"\"|''')")
_IMPORT = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#include|require\b|const .*= require\()")
_DEFINITION = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|abstract|async|pub(?:\(\w+\))?|final)\s+)*"
    r"(?:def|class|function|func|fn|struct|interface|trait|enum|type|impl|module|CREATE TABLE)\s",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:no longer|not|never|without|avoid\w*|drop(?:ped|s)?|remov\w+|deprecat\w+|instead of|rather than|replac\w+|don'?t|can'?t|cannot"
    r"|against|los[et]s?|unreliable|slow\w*|no)\b|不用|不再|不要|避免|弃用|废弃|代替|取代|而不是|而非|移除|放弃|不使用|不需要",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    r"\b(?:instead of|rather than|over|not|replac(?:es|ed)|beats|before)\b|而不是|而非|代替|取代|优于|胜过",
    re.IGNORECASE,
)
_TURNS = re.compile(r"\b(?:from|replaced by|replace|away from)\b|从|改用|换成", re.IGNORECASE)
_TROUBLE = re.compile(
    r"\b(?:TODO|FIXME|HACK|XXX|BUG)\b|\b(?i:slow|broken|workaround|deprecated|legacy|duplicat\w+|fragile|brittle|fails?|failing|outdated|painful|missing|too (?:many|much|long|large|big)|limit(?:ed|ation)s?)\b"
    r"|问题|太慢|缺陷|过时|临时|待办|缺少|重复|麻烦|瓶颈|不足"
)
_RULE = re.compile(
    r"\b(?i:must|never|always|requir\w+|guarantee\w*|compatib\w+|stable|depends? on|rel(?:y|ies) on|do not|don'?t|not|keep|only|unless|supported)\b"
    r"|必须|不要|不得|保证|兼容|稳定|依赖|禁止|不能|只能|务必"
)
_PRIVATE = re.compile(
    r"(?i:passw|secret|token|api_?key|credential|BEGIN [A-Z ]*KEY|bearer\s)|://[^\s/]*:[^\s/]*@|[A-Za-z0-9+/_=-]{36,}"
)


class Weighed(NamedTuple):
    """A line as evidence. `lean`: 0 for the proposer's choice, 1 for the challenger's, None for neither of them alone.

    `both`: it names both choices. `against`: it takes its side by speaking against the other choice. `aside`: it names a
    choice, and neither it nor its file's name holds anything else of the question.
    """

    kind: str
    lean: int | None
    both: bool = False
    against: bool = False
    aside: bool = False

    def weight(self, side: int) -> int:
        """How much this line carries for a side."""
        if self.lean is None:
            return 0 if self.both else 1
        return WEIGHTS[self.kind] + (not self.aside) if self.lean == side else 0


@lru_cache(maxsize=64)
def compiled(term: str) -> re.Pattern[str]:
    """The pattern of a term."""
    return pattern(term)


@lru_cache(maxsize=64)
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for any of these terms."""
    return re.compile("|".join(compiled(word).pattern for word in words))


def first(words: tuple[str, ...], text: str) -> int | None:
    """Where the first of these terms stands in a text, or None."""
    found = [match.start() for term in words if (match := compiled(term).search(text))]
    return min(found, default=None)


def kind(path: str, text: str) -> str:
    """What kind of line this is, from where it stands and how it begins."""
    if _TEST.search(path):
        return "test"
    if _MANIFEST.search(path):
        return "manifest"
    if _DOC.search(path):
        return "doc"
    if _COMMENT.match(text):
        return "comment"
    if _CONFIG.search(path):
        return "config"
    if _IMPORT.match(text):
        return "import"
    return "definition" if _DEFINITION.match(text) else "code"


def weigh(asked: Question, path: str, text: str) -> Weighed:
    """What a line is worth for this question."""
    sort = kind(path, text)
    if asked.kind != "pair":
        return Weighed(sort, _urges(text, sort))
    a, b = (first(words, text) for words in asked.own)
    if a is not None and b is not None:
        return Weighed(sort, _prefers(text, a, b), both=True, aside=_aside(asked, path, text))
    if a is None and b is None:
        named = [first(words, path) is not None for words in asked.own]
        return Weighed(sort, named.index(True) if any(named) and not all(named) else None)
    return _for_one(asked, path, text, sort)


def _for_one(asked: Question, path: str, text: str, sort: str) -> Weighed:
    """A line that names one choice alone: it speaks for it, unless it is prose that speaks against it."""
    named = 0 if first(asked.own[0], text) is not None else 1
    at = first(asked.own[named], text) or 0
    prose = sort in ("doc", "comment", "test")
    against = prose and _AGAINST.search(text[max(0, at - 30) : at + 45]) is not None
    return Weighed(sort, 1 - named if against else named, against=against, aside=_aside(asked, path, text))


def _aside(asked: Question, path: str, text: str) -> bool:
    rest = tuple(term for term in asked.terms if term not in asked.own[0] and term not in asked.own[1])
    return bool(rest) and first(rest, text) is None and first(rest, path) is None


def _urges(text: str, sort: str) -> int | None:
    """Of a question without two named choices: trouble speaks for a change, a rule for leaving things as they are."""
    if _TROUBLE.search(text):
        return 0
    return 1 if sort == "test" or _RULE.search(text) else None


def _prefers(text: str, a: int, b: int) -> int | None:
    """Which of two choices a line prefers that names both: "A instead of B", "from A to B"."""
    left, right = min(a, b), max(a, b)
    earlier = 0 if a < b else 1
    if _TURNS.search(text[max(0, left - 20) : right]):
        return 1 - earlier
    return earlier if _PREFERS.search(text[left:right]) else None


def quotation(text: str, words: tuple[str, ...]) -> str:
    """The words of a line to quote: exactly as they stand, round the terms, without quotation marks; empty where nothing of the
    line should be repeated (it may hold a secret, or what cannot be seen).
    """
    if _PRIVATE.search(text) or "\ufffd" in text:
        return ""
    runs = [(m.start(), m[0]) for m in re.finditer(r'[^"\x00-\x1f]+', text) if m[0].strip() and m[0].isprintable()]
    if not runs:
        return ""
    held = [(sum(first((t,), run) is not None for t in words), len(run), run) for _, run in runs]
    run = max(held, key=lambda item: item[:2])[2].strip()
    return run if len(run) <= QUOTE else _window(run, first(words, run) or 0)


def _window(run: str, at: int) -> str:
    """About `QUOTE` characters round a place, cut between words."""
    start = 0 if at < QUOTE * 2 // 3 else at - QUOTE // 3
    piece = run[start : start + QUOTE]
    if start and " " in piece[: QUOTE // 4]:
        piece = piece.split(" ", 1)[1]
    if start + QUOTE < len(run) and " " in piece[-QUOTE // 4 :]:
        piece = piece.rsplit(" ", 1)[0]
    return piece.strip()
