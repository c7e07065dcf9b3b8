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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean X?` when one of the known words is close to this one, else nothing."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]}?" if near else ""
