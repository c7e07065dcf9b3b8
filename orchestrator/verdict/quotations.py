"""Whether a quotation stands in a text: exactly, once layout is set aside, and never by likeness."""

import re
import unicodedata

_SIGNS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})
_LINE_MARKS = re.compile(r"^[ \t]*(?:│[ \t]?)?(?:[-*+•>#]+[ \t]+|\d+[.)][ \t]+)*", re.MULTILINE)
_ELLIPSIS = re.compile(r"\s*(?:\[\.\.\.\]|\(\.\.\.\)|\.\.\.)\s*")


def stands_in(quotation: str, text: str) -> bool:
    """Whether every part of the quotation (split at ellipses) stands in the text, in order, word for word."""
    held, at = _plain(text), 0
    parts = [part for part in _ELLIPSIS.split(_plain(quotation)) if part]
    for part in parts:
        found = held.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return bool(parts)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    return " ".join(re.sub(r"\*\*|__|`", "", _LINE_MARKS.sub("", text)).split())
