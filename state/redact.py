"""Taking secrets out of text before it is shown, stored or handed to the other side.

Three kinds are found: the values of the user's own secret variables, well-known shapes of keys, and values that stand
behind a telling name. What then still looks random is taken for a key too. Hashes, paths, identifiers and code that
only reads a secret stay. Clean the text first (`state.clean`): an invisible character would hide a key.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

Mark = Callable[[re.Match[str]], str | None]


@dataclass(frozen=True)
class _Rule:
    """What to look for and what to put in its place (None: this one stays). `hint` must occur, which is cheap to tell."""

    hint: str
    pattern: re.Pattern[str]
    mark: Mark


def _shape(hint: str, pattern: str, mark: str) -> _Rule:
    return _Rule(hint, re.compile(pattern), lambda found: found.expand(mark))


_KEY, _TOKEN, _VALUE = "[REDACTED_API_KEY]", "[REDACTED_TOKEN]", "[REDACTED]"
_PEM = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_SHAPES = (
    _shape(
        "PRIVATE KEY",  # to its end, or as far as lines of base64 reach where the end was cut off
        rf"-----BEGIN {_PEM}(?:(?:[^-]|-(?!----)){{0,20000}}+-----END {_PEM}|(?:(?:\s|\\[nr]|[>|+\"',])*+[A-Za-z0-9+/=]{{16,}}+)++)",
        "[REDACTED_PRIVATE_KEY]",
    ),
    _shape("sk-", r"(?<![A-Za-z0-9])sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}", _KEY),
    # a word such as sk-learn-compatible is no key: one has digits, capitals or a long unbroken run
    _shape("sk-", r"(?<![A-Za-z0-9])sk-(?=[a-z_-]{0,64}[A-Z0-9]|[a-z_-]{0,64}[a-z]{20})[A-Za-z0-9_-]{20,}", _KEY),
    _shape("k_", r"(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)|gsk)_[A-Za-z0-9]{16,}", _KEY),
    _shape("xai-", r"(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}", _KEY),
    _shape("AIza", r"AIza[A-Za-z0-9_-]{30,}", _KEY),
    _shape("gh", r"gh[opusr]_[A-Za-z0-9]{36,}", _TOKEN),
    _shape("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}", _TOKEN),
    _shape("glpat-", r"glpat-[A-Za-z0-9_-]{20,}", _TOKEN),
    _shape("xox", r"xox[a-z]-[A-Za-z0-9-]{10,}", _TOKEN),
    _shape("xapp-", r"xapp-[A-Za-z0-9-]{10,}", _TOKEN),
    _shape("hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}", _TOKEN),
    _shape("npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}", _TOKEN),
    _shape("pypi-", r"pypi-[A-Za-z0-9_-]{40,}", _TOKEN),
    _shape("ya29.", r"ya29\.[A-Za-z0-9_-]{20,}", _TOKEN),
    _shape("A", r"(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])", "[REDACTED_AWS_KEY]"),
    _shape("earer", r"([Bb]earer[ \t]+)[A-Za-z0-9._~+/=-]{19,}[A-Za-z0-9_=-]", rf"\1{_VALUE}"),
    _shape("asic", r"([Bb]asic[ \t]+)(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{12,}={0,2}", rf"\1{_VALUE}"),
    _shape("eyJ", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{2,}+){1,4}+", _TOKEN),
    _shape("://", r"(://[^\s/:@\"'<>]{0,200}+:)(?!\[REDACTED|[${<*%])[^\s/?#\"'<>]{1,500}@", rf"\1{_VALUE}@"),
)

_WORDS = frozenset(
    """true false yes no none null nil undefined value values string str int bool bytes text secret token password passwd key
    example changeme required optional hidden placeholder""".split()
)
_REFERENCE = re.compile(
    r"\$[{(A-Za-z_]|[<{%*(&]|\$?\[REDACTED|\.\.\.|…|x+$|X+$|your[-_]|YOUR[-_]"
    r"|(?:os|sys|process|self|this|env|config|settings|secrets|vars|var|data|local)\."
    r"|[A-Za-z_][\w.]*[(\[]"
)


def _is_literal(value: str) -> bool:
    """Whether a value is written out, and not a placeholder, a type, or code that gets it from elsewhere."""
    return bool(value) and value.lower() not in _WORDS and not _REFERENCE.match(value)


def _variable(found: re.Match[str]) -> str | None:
    name, value = found["name"], found["value"]
    bare = value.strip("\"'") if value[0] in "\"'" else value.rstrip(",.;:)]}>")
    if not _is_literal(bare) or (bare.isdigit() and not name.startswith("PASS")):
        return None
    return f"{name}={value.replace(bare, _VALUE, 1)}"


_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def _named(found: re.Match[str]) -> str | None:
    name, between, value = found["name"].lower(), found["between"], found["quoted"] or found["bare"]
    before = found.string[max(0, found.start() - 16) : found.start()]
    if name == "key" and not _KEY_OF.search(before):
        return None
    if not _is_literal(value) or value[0] in "/~." or not re.search(r"[A-Za-z]", value):
        return None
    quoted, password = found["quoted"] is not None, name.startswith("p")
    assigned_name = not quoted and _IDENTIFIER.fullmatch(value) and ("." in value or between.endswith("= "))
    digits = len(re.findall(r"[0-9]", value))
    signs = password and re.search(r"[!@#$%^&*?]", value)
    if assigned_name or not (digits or signs) or len(value) < (6 if password else 8 if quoted else 12):
        return None
    return found["name"] + between + found[0][len(found["name"] + between) :].replace(value, _VALUE, 1)


_ENVIRONMENT = re.compile(
    r"(?P<name>KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)="
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|(?:[^\s\"'`\\&]|\\(?![nrt\"'\\]))++)"
)
_SETTING = re.compile(
    r"(?P<name>[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Cc]redentials?|CREDENTIALS?"
    r"|[Pp]ass(?:[Ww](?:or)?d|phrase)|PASS(?:W(?:OR)?D|PHRASE)|[Pp]wd|PWD)"
    r"(?P<between>\\?[\"']?[ \t]{0,3}(?::=|=>|[=:])[ \t]{0,3})"
    r"(?:\\?[\"'](?P<quoted>[^\s\"'\\]{4,500}+)\\?[\"']|(?P<bare>[^\s\"'`\\,;&<>(){}\[\]]{6,}+)(?![(\[{]))"
)
_KEY_OF = re.compile(
    r"(?:api|access|secret|private|signing|encryption|auth|account|client|shared|master|service|app)[_-]?$",
    re.IGNORECASE,
)
_HEX = r"((?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Pp]assword|PASSWORD|[Ss]eed|SEED)[\"'`]?(?:[ \t]{0,3}(?:[:=]|is)[ \t]{0,3}|[ \t])[\"'`]?)"
_NAMED = (
    _Rule("=", _ENVIRONMENT, _variable),
    _Rule("", _SETTING, _named),
    _shape("", rf"{_HEX}[0-9A-Fa-f]{{48,128}}(?![0-9A-Za-z])", rf"\1{_VALUE}"),
    _shape("=", r"([?&](?:key|sig|signature)=)(?=[^&\s0-9]{0,40}[0-9])[A-Za-z0-9._~%+/=-]{16,}", rf"\1{_VALUE}"),
)

_HASH = re.compile(r"^(?:sha\d{1,3}|md5|blake\w{2,3})[-=].*|^eyJ.*|[0-9a-fA-F-]{36,}")
_SWITCH = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")


def _bits(text: str) -> float:
    """Shannon's entropy in bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _random(found: re.Match[str]) -> str | None:
    """A run is taken for a key if its characters are spread like chance and it changes between capitals, small letters
    and digits as often as no words do.
    """
    run = _HASH.sub("", found[0])
    switches = sum(1 for _ in _SWITCH.finditer(run))
    if len(run) < 20 or switches < 0.28 * len(run) or _bits(run) <= 4.0:
        return None
    return "[REDACTED_HIGH_ENTROPY]"


_ENTROPY = _Rule(
    "",
    re.compile(r"(?<![A-Za-z0-9_/.+-])(?<!h1:)[A-Za-z0-9+/_-]{32,}+={0,2}(?!\.?[A-Za-z0-9_/-])"),
    _random,
)

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL", re.IGNORECASE)
_PLAIN_NAME = re.compile(
    r"_(?:FILE|PATH|DIR|SOCK|HOME|NAME|TOKENS)$|^GIT_CONFIG_KEY_\d+$|TOKENIZERS|KEYBOARD|KEYMAP|KEYRING|KEYCHAIN"
)
_PLAIN_VALUE = re.compile(r"[a-z]{0,11}|[A-Z]{0,11}|[0-9.]+")
_SHORTEST = 8


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name is taken for a secret, so that its value is redacted."""
    return bool(_SECRET_NAME.search(name)) and not _PLAIN_NAME.search(name.upper())


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that are named like secrets, the longest first.

    Left out are values that would wreck ordinary text: under eight characters, single words, numbers, names of files.
    """
    values = {value.strip() for name, value in environ.items() if is_secret_name(name)}
    kept = (v for v in values if len(v) >= _SHORTEST and not _PLAIN_VALUE.fullmatch(v))
    return tuple(sorted(kept, key=lambda v: (-len(v), v)))


def redact(text: str, secrets: Iterable[str] = ()) -> tuple[str, int]:
    """The text with a mark in the place of each secret, and how many there were. Doing it twice changes nothing more."""
    total = 0
    for secret in secrets:
        text, count = _without(secret, text)
        total += count
    for rule in (*_SHAPES, *_NAMED, _ENTROPY):
        if rule.hint in text:
            text, count = _apply(rule, text)
            total += count
    return text, total


def _apply(rule: _Rule, text: str) -> tuple[str, int]:
    count = 0

    def put(found: re.Match[str]) -> str:
        nonlocal count
        mark = rule.mark(found)
        count += mark is not None
        return found[0] if mark is None else mark

    return rule.pattern.sub(put, text), count


def _without(secret: str, text: str) -> tuple[str, int]:
    """The text without this very value, also where it was escaped for JSON or for a URL."""
    spellings = dict.fromkeys((secret, json.dumps(secret)[1:-1], quote(secret, safe="")))
    total = 0
    for spelling in spellings:
        if spelling in text:
            total += text.count(spelling)
            text = text.replace(spelling, _mark_of(secret))
    return text, total


def _mark_of(secret: str) -> str:
    marked = secret
    for rule in _SHAPES:
        marked = _apply(rule, marked)[0]
    return marked if re.fullmatch(r"\[REDACTED\w*\]", marked) else _VALUE
