"""Finding the lines of a folder that bear on a question, the same ones every time, in bounded time and memory."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from math import log
from typing import Any, NamedTuple

from citing import Citation
from evidence import WEIGHTS, Weighed, any_of, compiled, first, quotation, weigh
from question import Question, needles

LARGEST_FILE = 400_000
MOST_BYTES = 32_000_000
MOST_FILES = 12_000
MOST_HITS = 2_000
MOST_LINES_A_FILE = 60
ENOUGH_ASIDE = 300
LONGEST_LINE = 400
SHORTEST_QUOTE = 4
TELLING_QUOTE = 12

_SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn node_modules __pycache__ .venv venv dist build target vendor third_party site-packages .tox .idea".split()
)
_SKIPPED = re.compile(
    r"(?:^|/)(?:licen[cs]e|copying|notice|authors|.*[.-]lock(?:\.\w+)?|package-lock\.json|go\.sum|npm-shrinkwrap\.json|codeowners|\.gitignore)[^/]*$"
    r"|\.(?:png|jpe?g|gif|webp|ico|svg|pdf|zip|gz|bz2|xz|zst|tar|jar|whl|so|dylib|dll|exe|bin|o|a|class|pyc|woff2?|ttf|otf|mp[34]|mov|wav"
    r"|csv|tsv|parquet|sqlite3?|db|map|ipynb|lock|sum|min\.js|min\.css)$",
    re.IGNORECASE,
)
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")


class Hit(NamedTuple):
    """A line that bears on the question: where, what to quote of it, which terms it holds, what it is worth."""

    cited: Citation
    text: str
    terms: tuple[str, ...]
    worth: Weighed
    shown: bool = False


class Findings(NamedTuple):
    """What a search found: the hits, best first; how many files were looked at; how many lines hold each term."""

    hits: tuple[Hit, ...]
    files: int
    lines: Counter[str]


class Library:
    """The text files below a folder, and the exhibits that everybody was given."""

    def __init__(self, root: str, exhibits: Iterable[dict[str, Any]] = ()) -> None:
        self._root = os.path.realpath(root)
        self._shown = _shown(exhibits)

    def line(self, path: str, number: int) -> str | None:
        """A line of a file or of an exhibit; None where there is none. Nothing outside the folder is ever opened."""
        text = self._text(path) if self._contains(path) else None
        lines = text.split("\n") if text is not None else []
        if 0 < number <= len(lines):
            return lines[number - 1].rstrip("\r")
        return self._shown.get(path, {}).get(number)

    def stands(self, cited: Citation) -> bool:
        """Whether the quoted words really stand on this line."""
        held = (self.line(cited.path, cited.line), self._shown.get(cited.path, {}).get(cited.line))
        return any(line is not None and cited.quote in line for line in held)

    def search(self, asked: Question) -> Findings:
        """The lines that bear on the question; most telling first, then in the order of path and line."""
        found: list[Hit] = []
        counted: Counter[str] = Counter()
        paths = self._paths()
        for path, number, text, shown in self._candidates(asked, paths):
            held = tuple(term for term in asked.terms if compiled(term).search(text))
            counted.update(held)
            quote = quotation(text, held) if len(found) < MOST_HITS else ""
            if len(quote) >= SHORTEST_QUOTE:
                found.append(Hit(Citation(path, number, quote), text.strip(), held, weigh(asked, path, text), shown))
        return Findings(_ranked(found, asked, counted), len(paths), counted)

    def _candidates(self, asked: Question, paths: list[str]) -> Iterator[tuple[str, int, str, bool]]:
        """Lines of exhibits, whatever they hold; lines that hold a term; a telling line of a file that is named for a choice.

        Of lines that hold only what the question is about, and neither choice, the first few hundred are enough.
        """
        for path, lines in self._shown.items():
            yield from ((path, number, text, True) for number, text in lines.items() if len(text) <= LONGEST_LINE)
        own = (*asked.own[0], *asked.own[1])
        plenty = 0
        for path, data in self._read(paths) if asked.terms else ():
            wanted = asked.terms if plenty < ENOUGH_ASIDE else own
            named = bool(own) and first(own, path) is not None
            if not named and not _may_hold(data, wanted):
                continue
            text = data.decode("utf-8", "replace")
            shown = self._shown.get(path, {})
            for number, line in _telling(text, wanted, named=named):
                if number not in shown:
                    plenty += not own or first(own, line) is None
                    yield path, number, line, False

    def _read(self, paths: list[str]) -> Iterator[tuple[str, bytes]]:
        """The text files, until enough has been read."""
        budget = MOST_BYTES
        for path in paths:
            data = self._bytes(path)
            budget -= len(data)
            if budget < 0:
                return
            if data and b"\0" not in data:
                yield path, data

    def _paths(self) -> list[str]:
        """The files worth reading, nearest to the root first."""
        found: list[str] = []
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
            below = os.path.relpath(folder, self._root).replace(os.sep, "/")
            prefix = "" if below == "." else f"{below}/"
            found += [prefix + name for name in sorted(names) if not _SKIPPED.search(prefix + name)]
            if len(found) >= MOST_FILES:
                break
        return sorted(found[:MOST_FILES], key=lambda path: (path.count("/"), path))

    def _contains(self, path: str) -> bool:
        whole = os.path.realpath(os.path.join(self._root, path))
        return not os.path.isabs(path) and whole.startswith(self._root.rstrip(os.sep) + os.sep)

    def _bytes(self, path: str) -> bytes:
        """The bytes of a regular file that is not too large, else none."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            with open(os.open(os.path.join(self._root, path), flags), "rb") as file:
                data = file.read(LARGEST_FILE + 1)
        except (OSError, ValueError):
            return b""
        return data if len(data) <= LARGEST_FILE else b""

    def _text(self, path: str) -> str | None:
        data = self._bytes(path)
        return data.decode("utf-8", "replace") if data and b"\0" not in data else None


def _shown(exhibits: Iterable[dict[str, Any]]) -> dict[str, dict[int, str]]:
    """The lines of the exhibits by path and number; of a diff those that it adds."""
    found: dict[str, dict[int, str]] = {}
    for exhibit in exhibits:
        text = str(exhibit.get("text", ""))
        if exhibit.get("kind") == "diff":
            for path, number, line in _added(text):
                found.setdefault(path, {})[number] = line
        else:
            found[str(exhibit.get("name", ""))] = dict(enumerate(text.split("\n"), 1))
    return found


def _added(diff: str) -> Iterator[tuple[str, int, str]]:
    path, number = "", 0
    for line in diff.split("\n"):
        hunk = _HUNK.match(line)
        if line.startswith("+++ "):
            path, number = line[4:].removeprefix("b/").strip(), 0
        elif hunk:
            number = int(hunk[1])
        elif number and line.startswith(("+", " ")):
            if line[0] == "+":
                yield path, number, line[1:]
            number += 1


def _may_hold(data: bytes, wanted: tuple[str, ...]) -> bool:
    low = data.lower()
    return any(needle in low for term in wanted for needle in needles(term))


def _telling(text: str, wanted: tuple[str, ...], *, named: bool) -> Iterator[tuple[int, str]]:
    """The lines of one file that hold a term; of a file named for a choice at least the first one that says something."""
    found = list(islice(_holding(text, wanted), MOST_LINES_A_FILE)) if wanted else []
    if named and not found:
        head = enumerate(text.split("\n", 60)[:60], 1)
        found = [(number, line.rstrip("\r")) for number, line in head if re.match(r"\s*\w.{8,200}$", line)][:1]
    yield from found


def _holding(text: str, wanted: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The lines that hold a term, with their numbers; found by leaping from match to match."""
    any_term = any_of(wanted)
    number, counted_to, match = 1, 0, any_term.search(text)
    while match:
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        end = len(text) if end < 0 else end
        number += text.count("\n", counted_to, start)
        counted_to = start
        if end - start <= LONGEST_LINE:
            yield number, text[start:end].rstrip("\r")
        match = any_term.search(text, end)


def _ranked(hits: list[Hit], asked: Question, counted: Counter[str]) -> tuple[Hit, ...]:
    """The hits by worth, one for each text; the second and further ones of a file come after the first ones of all."""
    ordered = sorted(hits, key=lambda hit: (-_score(hit, asked, counted), hit.cited))
    seen: Counter[str] = Counter()
    texts: dict[str, tuple[int, Hit]] = {}
    for hit in ordered:
        if hit.text.casefold() not in texts:
            texts[hit.text.casefold()] = (seen[hit.cited.path], hit)
            seen[hit.cited.path] += 1
    return tuple(hit for _, hit in sorted(texts.values(), key=lambda item: item[0]))


def _score(hit: Hit, asked: Question, counted: Counter[str]) -> float:
    own = {*asked.own[0], *asked.own[1]}
    rarity = sum((2.0 if term in own else 1.0) / (1 + log(counted[term])) for term in hit.terms)
    share = 0.5 if hit.worth.both and hit.worth.lean is None else 1.0
    share *= 0.6 if len(hit.cited.quote) < TELLING_QUOTE else 1.0
    weight = 0.5 if hit.worth.kind == "test" else 0.8 + 0.1 * WEIGHTS[hit.worth.kind]
    return rarity * share * weight + (2.0 if hit.shown else 0.0) + (0.3 if hit.worth.lean is not None else 0.0)
