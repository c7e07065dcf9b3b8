"""Telling why a call failed: by the vendor's own codes first, by an HTTP status second, by words last."""

import re
from collections.abc import Iterable

from state.clean import without_terminal_codes
from state.failures import FailureKind
from state.models import Failure

K = FailureKind

_BY_STATUS = {
    400: K.CRASHED,
    401: K.NOT_LOGGED_IN,
    402: K.QUOTA,
    403: K.NOT_LOGGED_IN,
    404: K.UNKNOWN_MODEL,
    408: K.OVERLOADED,
    413: K.TOO_LONG,
    429: K.RATE_LIMITED,
}


def by_status(status: int) -> FailureKind | None:
    """The kind that this HTTP status stands for, or None."""
    if status >= 500:
        return K.OVERLOADED
    return _BY_STATUS.get(status)


def words(text: str, lines: int = 2, limit: int = 300) -> str:
    """The vendor's own words for a person: the first `lines` telling lines, no terminal codes, no stack, at most `limit` characters."""
    kept = [line.strip() for line in without_terminal_codes(text).splitlines() if _tells(line)]
    joined = " ".join(dict.fromkeys(kept[:lines]))
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def _tells(line: str) -> bool:
    return bool(line.strip()) and not re.match(r"\s*at \S+ ?\(|\s*at (?:file|node):|\s*[{}\]]", line)


def failure(kind: FailureKind, message: str, retry_at: str | None = None) -> Failure:
    """A failure value with the vendor's words made fit for a person."""
    return Failure(kind=kind, message=words(message) or "no words from the vendor", retry_at=retry_at)


_WORDS: Iterable[tuple[FailureKind, str]] = (
    (K.NOT_LOGGED_IN, r"not logged in|authentication (?:failed|required|information)|invalid api key|unauthori[sz]ed"),
    (K.QUOTA, r"usage limit|quota|credit balance|insufficient_quota|session limit"),
    (K.RATE_LIMITED, r"rate.?limit|too many requests"),
    (K.OVERLOADED, r"overloaded|internal server error|at capacity|high demand|service unavailable"),
    (K.TOO_LONG, r"prompt is too long|context (?:length|window)|maximum length"),
    (K.UNKNOWN_MODEL, r"model .*(?:does not exist|not found|not supported)"),
    (K.UNSUPPORTED_FLAG, r"unknown (?:option|argument|flag)|unexpected argument"),
    (K.NETWORK, r"unable to connect|connection refused|econnrefused|enotfound|network error|could not connect"),
)


def by_words(text: str) -> FailureKind | None:
    """The kind that these words speak of, or None: only for vendors' errors, never for an answer."""
    return next((kind for kind, pattern in _WORDS if re.search(pattern, text, re.IGNORECASE)), None)
