"""What is said when a command cannot be begun: wrong words, wrong settings, a tool that is not there (exit code 2)."""

from collections.abc import Iterable


class UsageError(Exception):
    """Nothing was begun, and the person must change something first.

    `lines` is what to say, one sentence a line, the cause first and what to do last. They carry no `[ERROR]` tag: the
    door puts it before the first one.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def one_of(words: Iterable[str]) -> str:
    """The words as a choice for a sentence: `low, medium, high or max`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that this one may be a slip of, or None."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean X?`, or nothing when no known word is close."""
    near = nearest(word, known)
    return f" Did you mean {near}?" if near else ""
