"""Finding the lines of a folder that bear on a topic, the same ones every time."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LARGEST_FILE = 400_000
MOST_FILES = 4_000
LONGEST_LINE = 400
QUOTE = 110
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "from",
        "that",
        "this",
        "these",
        "those",
        "should",
        "would",
        "could",
        "shall",
        "can",
        "may",
        "must",
        "our",
        "your",
        "their",
        "its",
        "are",
        "was",
        "were",
        "will",
        "not",
        "but",
        "use",
        "using",
        "used",
        "which",
        "what",
        "when",
        "where",
        "who",
        "why",
        "how",
        "than",
        "then",
        "into",
        "onto",
        "over",
        "under",
        "between",
        "versus",
        "about",
        "does",
        "did",
        "has",
        "have",
        "had",
        "you",
        "they",
        "them",
        "one",
        "two",
        "new",
        "make",
        "made",
        "get",
        "set",
        "any",
        "all",
        "more",
        "most",
        "less",
        "least",
        "only",
        "just",
    ]
)
_FUNCTION_CHARACTERS = frozenset("的了是在和与或还吗呢吧我你他她它们这那个有不用要该应用什么怎为以及对把被从到")


@dataclass(frozen=True)
class Hit:
    """A line of a file that holds terms of the topic."""

    path: str
    line: int
    text: str
    terms: frozenset[str]

    @property
    def citation(self) -> str:
        """The line as evidence: where it stands, and what it says there."""
        return f'{self.path}:{self.line} "{self.text}"'


def terms(text: str) -> tuple[str, ...]:
    """The words of a text that carry its subject: Latin words of three letters or more, pairs of Han characters."""
    found: list[str] = []
    for word in re.findall(r"[^\W\d_]+|\d+", text.lower()):
        if re.search(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", word):
            pairs = [word[i : i + 2] for i in range(max(1, len(word) - 1))]
            found += [p for p in pairs if not set(p) & _FUNCTION_CHARACTERS]
        elif len(word) > 2 and word not in _STOP:
            found.append(word)
    return tuple(dict.fromkeys(found))


class Library:
    """The text files below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def _lines(self) -> list[tuple[str, int, str]]:
        found: list[tuple[str, int, str]] = []
        for path in self._files():
            text = self._text(path)
            name = path.relative_to(self._root).as_posix()
            found += [(name, n, line.strip()) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        return found

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(
                f for f in folders if not f.startswith(".") and f not in {"node_modules", "__pycache__"}
            )
            found += [Path(folder, name) for name in sorted(names) if not name.endswith(".lock")]
            if len(found) > MOST_FILES:
                break
        return found[:MOST_FILES]

    @staticmethod
    def _text(path: Path) -> str:
        try:
            if path.is_symlink() or path.stat().st_size > LARGEST_FILE:
                return ""
            data = path.read_bytes()
        except OSError:
            return ""
        return "" if b"\0" in data else data.decode("utf-8", "replace")

    def about(self, wanted: tuple[str, ...], most: int) -> list[Hit]:
        """The lines that hold the most of the wanted terms; rare terms first, then in the order of path and line."""
        hits = [Hit(p, n, t[:QUOTE], held) for p, n, t in self._lines if (held := self._held(t, wanted))]
        often = {term: sum(term in hit.terms for hit in hits) for term in wanted}
        weight = {term: 1 / count for term, count in often.items() if count}
        hits.sort(key=lambda hit: (-sum(weight[t] for t in hit.terms), hit.path, hit.line))
        chosen: dict[str, Hit] = {}
        for hit in hits:
            chosen.setdefault(hit.text, hit)
        return list(chosen.values())[:most]

    @staticmethod
    def _held(text: str, wanted: tuple[str, ...]) -> frozenset[str]:
        if len(text) > LONGEST_LINE:
            return frozenset()
        low = text.lower()
        return frozenset(t for t in wanted if (t in low if not t.isascii() else re.search(rf"\b{re.escape(t)}", low)))

    def stands(self, path: str, line: int, quote: str) -> bool:
        """Whether this quote really stands on this line."""
        return any(p == path and n == line and t.startswith(quote) for p, n, t in self._lines)
