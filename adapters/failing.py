"""Telling why a call failed: by the vendor's own codes first, by an HTTP status second, by words last."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters import resetting
from adapters.reading import part, values
from state.clean import without_terminal_codes
from state.failures import FailureKind
from state.models import Failure

K = FailureKind

_BY_STATUS = {
    401: K.NOT_LOGGED_IN,
    402: K.QUOTA,
    403: K.NOT_LOGGED_IN,
    404: K.UNKNOWN_MODEL,
    407: K.NETWORK,
    408: K.OVERLOADED,
    413: K.TOO_LONG,
    429: K.RATE_LIMITED,
}

_BY_CODE = {
    K.NOT_LOGGED_IN: "authentication_error authentication_failed invalid_api_key permission_error unauthenticated "
    "permission_denied oauth_org_not_allowed api_key_invalid invalid_grant",
    K.QUOTA: "billing_error insufficient_quota usage_limit_reached billing_hard_limit_reached quota_exceeded",
    K.RATE_LIMITED: "rate_limit rate_limit_error rate_limit_exceeded resource_exhausted too_many_requests",
    K.OVERLOADED: "overloaded overloaded_error server_error api_error internal internal_error unavailable server_is_overloaded",
    K.TOO_LONG: "context_length_exceeded request_too_large input_too_large string_above_max_length",
    K.UNKNOWN_MODEL: "not_found_error model_not_found",
    K.TRUNCATED: "max_output_tokens max_tokens",
    K.REFUSED: "refusal content_filter content_policy_violation safety",
    K.NETWORK: "econnrefused econnreset enotfound eai_again etimedout",
}
_KIND_OF_CODE = {code: kind for kind, codes in _BY_CODE.items() for code in codes.split()}

_WORDS: Iterable[tuple[FailureKind, str]] = (
    (
        K.UNSUPPORTED_FLAG,
        r"unknown (?:option|argument|flag|configuration field)|unexpected argument|unrecognized (?:option|argument)",
    ),
    (
        K.VENDOR_CONFIG,
        r"configuration error|error (?:loading config|finding codex home)|configuration file|settings file not found|missing environment variable",
    ),
    (K.QUOTA, r"usage limit|quota|credit balance|(?:session|weekly|daily|spending) limit|billing details"),
    (K.RATE_LIMITED, r"rate.?limit|too many requests"),
    (K.NETWORK, r"proxy authentication|\bcertificate|unable_to_verify_leaf|\bCERT_[A-Z]|tls handshake"),
    (
        K.NOT_LOGGED_IN,
        r"not logged in|log ?in (?:to|again)|authenticat|invalid api key|api key not valid|unauthori[sz]ed|/login",
    ),
    (
        K.TOO_LONG,
        r"prompt is too long|context (?:length|window)|maximum (?:context )?length|request too large|input exceeds",
    ),
    (
        K.UNKNOWN_MODEL,
        r"\bmodel\b.*(?:does not exist|not found|not supported|may not exist|not available)|unknown model",
    ),
    (K.TRUNCATED, r"max_output_tokens|output token maximum"),
    (K.REFUSED, r"content_filter|usage policy|content policy"),
    (
        K.OVERLOADED,
        r"overloaded|internal server error|at capacity|high demand|service unavailable|server.side issue|bad gateway",
    ),
    (
        K.NETWORK,
        (
            r"unable to connect|connection (?:refused|failed|error|reset)|econnrefused|enotfound|network error|waiting for network"
            r"|could not connect|timed? ?out|stream (?:disconnected|ended)|empty or malformed response|name does not resolve"
        ),
    ),
    (K.SESSION_LOST, r"no conversation found|no rollout found|session .*not found"),
)

_STATUS = re.compile(
    r"(?:status(?: code)?|API Error|HTTP(?:/[\d.]+)?|code)[\"']?\W{1,3}([45]\d\d)\b|\(([45]\d\d)\)", re.IGNORECASE
)
WAITING = (K.QUOTA, K.RATE_LIMITED, K.OVERLOADED)
"""What passes by itself, so that a vendor may name a time for it."""

_CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_STACK = re.compile(r"\s*at (?:\S+ ?\(|file:|node:|async )|\s*[{}\[\]|^~]+\s*$|\s*-{3,}\s*$")


def by_status(status: int) -> FailureKind | None:
    """The kind that this HTTP status stands for, or None. 400 says too little."""
    return K.OVERLOADED if 500 <= status < 600 else _BY_STATUS.get(status)


def by_code(code: str) -> FailureKind | None:
    """The kind that a vendor's own error code stands for, or None."""
    return _KIND_OF_CODE.get(code.lower())


def by_words(text: str) -> FailureKind | None:
    """The kind that these words speak of, or None: only for vendors' errors, never for an answer."""
    return next((kind for kind, pattern in _WORDS if re.search(pattern, text, re.IGNORECASE)), None)


def status_in(text: str) -> int | None:
    """The HTTP status that an error text names ("API Error: 529 ...", "unexpected status 401 ...", "rejected (429)")."""
    found = _STATUS.search(text)
    return int(found[1] or found[2]) if found else None


@dataclass(frozen=True)
class Inner:
    """What a vendor's error says: its innermost sentence, an HTTP status, the vendor's codes, if it names them."""

    text: str
    status: int | None = None
    codes: tuple[str, ...] = ()


def inner(text: str) -> Inner:
    """Unwraps an error text that is, or ends in, JSON (which may itself hold JSON as its message)."""
    for _ in range(4):
        wrapped = next((v for v in values(text.encode("utf-8", "replace")) if _message(v)), None)
        if wrapped is None:
            return Inner(text)
        deeper = inner(_message(wrapped))
        return Inner(deeper.text, deeper.status or _status(wrapped), (*deeper.codes, *_codes(wrapped)))
    return Inner(text)


def _message(value: Any) -> str:
    found = part(value, "error", "message") or part(value, "message") or part(value, "error")
    return found if isinstance(found, str) else ""


def _status(value: Any) -> int | None:
    found = (part(value, "status"), part(value, "error", "code"), part(value, "code"), part(value, "error", "status"))
    return next((s for s in found if isinstance(s, int) and 400 <= s < 600), None)


def _codes(value: Any) -> tuple[str, ...]:
    found = (
        part(value, "error", "code"),
        part(value, "error", "type"),
        part(value, "error", "status"),
        part(value, "code"),
    )
    return tuple(code for code in found if isinstance(code, str))


def judged(
    text: str,
    *,
    status: int | None = None,
    codes: Iterable[str | None] = (),
    otherwise: FailureKind = K.CRASHED,
    now: datetime | None = None,
) -> Failure:
    """The failure that a vendor's error text (with its codes and HTTP status, where it gives them) tells of.

    `otherwise` is the kind of what says nothing that is known. `now` is needed for "try again at 3:05 PM".
    """
    told = inner(text)
    codes = [code for code in (*codes, *told.codes) if code]
    kind = _kind(told.text, status or told.status or status_in(told.text), codes) or otherwise
    return failure(kind, told.text, resetting.retry_at(text, now) if kind in WAITING else None)


def _kind(text: str, status: int | None, codes: Iterable[str]) -> FailureKind | None:
    told = next((kind for kind in map(by_code, (*codes, *_CODE.findall(text))) if kind), None)
    told = told or (by_status(status) if status else None)
    if told is K.UNKNOWN_MODEL and text.isascii() and "model" not in text.lower():
        return K.VENDOR_CONFIG  # "not found" without a word of a model: a wrong address
    if told in (K.RATE_LIMITED, K.NOT_LOGGED_IN, None):  # the words may tell a used-up allowance from a short limit
        meant = by_words(text)
        return meant if told is None or meant is K.QUOTA else told
    return told


def failure(kind: FailureKind, message: str, retry_at: str | None = None) -> Failure:
    """A failure value with the vendor's words made fit for a person; a whole reset time in them is told as `retry_at`."""
    until = retry_at or (resetting.retry_at(message) if kind in WAITING else None)
    return Failure(kind=kind, message=words(message) or "no words from the vendor", retry_at=until)


def words(text: str, lines: int = 2, limit: int = 300) -> str:
    """The vendor's own words for a person: the first `lines` telling lines, once each, at most `limit` characters.

    No terminal codes, no stack lines, no bare epoch behind a bar.
    """
    told = (
        re.sub(r"\|\d{10,13}\b", "", line).strip()
        for line in without_terminal_codes(text).splitlines()
        if not _STACK.match(line)
    )
    joined = " ".join(list(dict.fromkeys(line for line in told if line))[:lines])
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"
