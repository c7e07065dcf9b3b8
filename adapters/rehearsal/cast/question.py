"""What a topic asks: a choice between two things, a yes or no, or something open; and the words that carry its subject."""

import re
from typing import Literal, NamedTuple

CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
MOST_TERMS = 12

_WORD = re.compile(rf"[{CJK}]+|\d+(?:\.\d+)+|(?:(?![{CJK}])[^\W_])+[+#]*")
_PARTICLES = frozenset(
    "的了是在和与或还吗呢吧我你他她它们这那个有不用要该应什么怎为以及对把被从到更好のはをにがでとかもへ"
)
_STOP = frozenset(
    """a an the and or for with from that this these those should would could shall can may must might our your their its
    are was were will not but use using used which what when where who why how than then into onto over under between versus
    vs about does did do has have had you they them we us it is be been being one two new make made get set any all more most
    less least only just better best worse good bad keep go going choose pick adopt prefer want need like as at by in of on
    to so if no yes there here now still too very much many some each other else next stay start stop move switch instead
    whether i me my he she really ever worth enough first""".split()
)
_BETWEEN = re.compile(
    r"\s+(?:or|vs\.?|versus|oder)\s+|\s*(?:还是|還是|或者|或是|抑或|それとも|아니면|또는)\s*|(?<=[A-Za-z])\s*(?:或|对比?|對|対|か)\s*(?=[A-Za-z])",
    re.IGNORECASE,
)
_NO_CHOICE = frozenset(
    "not no older newer later earlier more less fewer both neither so else something similar worse 不 不是 否".split()
)
_ASKS_YES = re.compile(
    r"\W*(?:should|shall|can|could|may|must|would|will|is|are|was|do|does|did|has|have)\b|.*(?:吗|嗎|是否|要不要|该不该|應不應該|应不应该|能否|可否|值得|べきか|ですか|ますか)"
    r"|.*\bor not\b",
    re.IGNORECASE | re.DOTALL,
)
_HAN_LEAD = re.compile(
    r".*(?:使用|采用|選擇|选择|选用|应该|應該|应当|继续|改成|换成|[用选是放该做,，、:：])(?=.)", re.DOTALL
)
_HAN_TAIL = re.compile(r"(?:更?好|更?合适|来?(?:做|作为|实现|存)|比较|呢|吗|嗎|哪个|か$|ですか).*", re.DOTALL)
_ENDS = re.compile(r"[\s?？!！。.,，、;；:：\"'“”‘’()（）「」]+")
_BOUNDARY = frozenset(
    "for in as when on at with to of by under from if because here now first instead is are be and".split()
)
_KIN = {
    "postgres": ("postgres", "psycopg", "asyncpg"),
    "postgresql": ("postgres", "psycopg", "asyncpg"),
    "kubernetes": ("kubernetes", "k8s", "kubectl"),
    "mongodb": ("mongo",),
    "javascript": ("javascript", "js"),
    "typescript": ("typescript", "tsconfig"),
    "elasticsearch": ("elastic",),
}
_ENDINGS = re.compile(r"(?:ing|ed|es|s)$")


class Question(NamedTuple):
    """A topic as the speakers understand it.

    `choices`: the proposer's and the challenger's, as the topic names them; empty unless `kind` is `pair`. `own`: the
    terms that tell the choices apart. `terms`: all that carry the subject, those of the choices first.
    """

    kind: Literal["pair", "yesno", "open"]
    choices: tuple[str, str]
    own: tuple[tuple[str, ...], tuple[str, ...]]
    terms: tuple[str, ...]


def question(topic: str) -> Question:
    """The question that a topic asks."""
    rest = terms(topic)[:MOST_TERMS]
    pair = _pair(topic)
    if pair:
        left, right = (terms(choice, least=1) for choice in pair)
        own = (tuple(t for t in left if t not in right), tuple(t for t in right if t not in left))
        if all(own):
            return Question("pair", pair, own, tuple(dict.fromkeys([*own[0], *own[1], *rest]))[:MOST_TERMS])
    kind = "yesno" if _ASKS_YES.match(topic) else "open"
    return Question(kind, ("", ""), ((), ()), rest)


def terms(text: str, least: int = 3) -> tuple[str, ...]:
    """The words that carry a subject: of Latin script those with `least` letters, abbreviations, numbers of versions;
    of Han, kana and Hangul pairs of characters. All in small letters, but for names of one or two letters (Go, R).
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if re.match(rf"[{CJK}]", word):
            pairs = [word[i : i + 2] for i in range(max(1, len(word) - 1))]
            found += [pair for pair in pairs if not set(pair) & _PARTICLES]
        elif _carries(word, least):
            found.append(word if len(word) <= 2 else word.lower())
    return tuple(dict.fromkeys(found))


def _carries(word: str, least: int) -> bool:
    if word.lower() in _STOP:
        return False
    return len(word) >= least or (len(word) == 2 and word.isupper())


def pattern(term: str) -> re.Pattern[str]:
    """What counts as this term in a line: the word and its forms, at the beginning of a word or of a part of a name."""
    if re.match(rf"[{CJK}]", term):
        return re.compile(re.escape(term))
    if len(term) <= 2:
        return re.compile(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9+#])")
    forms = "|".join(_form(needle) for needle in _KIN.get(term, (stem(term),)))
    return re.compile(rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:{forms})")


def _form(needle: str) -> str:
    tail = "" if len(needle) >= 5 else r"(?:s|es|ed|ing)?(?![a-z])"
    return re.escape(needle) + tail


def needles(term: str) -> tuple[bytes, ...]:
    """What a file must hold, in small letters, for the term to be in it: cheap to look for before anything else."""
    return tuple(needle.lower().encode() for needle in _KIN.get(term, (stem(term),)))


def stem(term: str) -> str:
    """The term without an ending that its other forms lack, where enough of it is left."""
    short = _ENDINGS.sub("", term)
    return short if len(short) >= 4 and term.isascii() else term


def _pair(topic: str) -> tuple[str, str] | None:
    halves = _BETWEEN.split(topic.strip(), maxsplit=1)
    if len(halves) != 2:
        return None
    left, right = _left(halves[0]), _right(halves[1])
    return (left, right) if left and right and right.lower().split()[0] not in _NO_CHOICE else None


def _left(text: str) -> str:
    """The choice that ends here: the last words before `or` that are no scaffold of the question."""
    text = text.rstrip(" ,，、")
    if re.search(rf"[{CJK}]", text):
        return _ENDS.sub(" ", _HAN_LEAD.sub("", text)).strip()
    words: list[str] = []
    for word in reversed(re.split(r"[,:;]\s", text)[-1].split()):
        if (_bare(word).lower() in _STOP and _bare(word) != "Go") or len(words) == 3:
            break
        words.insert(0, _bare(word))
    return " ".join(words)


def _right(text: str) -> str:
    """The choice that begins here, up to a word that begins what it is for."""
    if re.search(rf"[{CJK}]", text):
        return _ENDS.sub(" ", _HAN_TAIL.sub("", re.split(r"[?？,，。]", text)[0])).strip()
    words: list[str] = []
    for raw in re.split(r"[?,:;!]|\.(?:\s|$)", text)[0].split():
        word = _bare(raw)
        if (words and word.lower() in _BOUNDARY) or len(words) == 3:
            break
        if words or word.lower() not in _STOP or word.lower() in _NO_CHOICE:
            words.append(word)
    return " ".join(words)


def _bare(word: str) -> str:
    return word.strip("?？!！。.,，;；:：\"'“”‘’()（）`*")
