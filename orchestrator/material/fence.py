"""Fences: random codes and cleaning that keep quoted text what it is, material, whatever it says."""

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from state.clean import clean

_RESERVED = re.compile(r"(`{3,}|~{3,})[ \t]*json-schema")


@lru_cache(maxsize=64)  # each step reads the same speeches again
def harmless(text: str) -> str:
    """The text as a prompt may carry it: cleaned, and unable to pose as the schema block of our judging prompts."""
    return _RESERVED.sub(r"\1json schema", clean(text))


def code(seed: str, purpose: str, texts: Iterable[str]) -> str:
    """A code of 128 bits for this purpose, the same whenever it is derived again, that stands in none of the texts."""
    held = tuple(texts)
    found = sha256(f"{seed}\n{purpose}".encode()).hexdigest()[:32]
    while any(found in text for text in held):
        found = sha256(found.encode()).hexdigest()[:32]
    return found
