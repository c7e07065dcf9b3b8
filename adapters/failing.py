"""Telling why a call failed: by the vendor's own codes first, by an HTTP status second, by words last."""

import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.reading import part, values
from adapters.resetting import retry_at
from adapters.spec import Finished
from state.clean import without_terminal_codes
from state.failures import FailureKind
from state.models import Failure

K = FailureKind

_BY_STATUS = {
    401: K.NOT_LOGGED_IN,
    402: K.QUOTA,
    403: K.NOT_LOGGED_IN,
    404: K.UNKNOWN_MODEL,
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
    (K.UNSUPPORTED_FLAG, r"unknown (?:option|argument|flag|configuration field)|unexpected argument|unrecognized (?:option|argument)"),
    (K.VENDOR_CONFIG, r"configuration error|error (?:loading config|finding codex home)|configuration file|settings file not found|missing environment variable"),
    (K.QUOTA, r"usage limit|quota|credit balance|(?:session|weekly|daily|spending) limit|billing details"),
    (K.RATE_LIMITED, r"rate.?limit|too many requests"),
    (K.NOT_LOGGED_IN, r"not logged in|log ?in (?:to|again)|authenticat|invalid api key|api key not valid|unauthori[sz]ed|/login"),
    (K.TOO_LONG, r"prompt is too long|context (?:length|window)|maximum (?:context )?length|request too large|input exceeds"),
    (K.UNKNOWN_MODEL, r"\bmodel\b.*(?:does not exist|not found|not supported|may not exist|not available)|unknown model"),
    (K.TRUNCATED, r"max_output_tokens|output token maximum"),
    (K.REFUSED, r"content_filter|usage policy|content policy"),
    (K.OVERLOADED, r"overloaded|internal server error|at capacity|high demand|service unavailable|server.side issue|bad gateway"),
    (
        K.NETWORK,
        r"unable to connect|connection (?:refused|failed|error|reset)|econnrefused|enotfound|network error|waiting for network"
        r"|could not connect|timed? ?out|stream (?:disconnected|ended)|empty or malformed response|name does not resolve",
    ),
    (K.SESSION_LOST, r"no conversation found|no rollout found|session .*not found"),
)

_STATUS = re.compile(r"(?:status(?: code)?|API Error|HTTP(?:/[\d.]+)?|code)[\"']?\W{1,3}([45]\d\d)\b|\(([45]\d\d)\)", re.IGNORECASE)
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
class Said:
    """What a vendor's error says: its innermost sentence, an HTTP status, the vendor's codes, if it names them."""

    text: str
    status: int | None = None
    codes: tuple[str, ...] = ()


def heard(text: str) -> Said:
    """Unwraps an error text that is, or ends in, JSON (which may itself hold JSON as its message)."""
    for _ in range(4):
        wrapped = next((v for v in values(text.encode("utf-8", "replace")) if _message(v)), None)
        if wrapped is None:
            return Said(text)
        inner = heard(_message(wrapped))
        return Said(inner.text, inner.status or _status(wrapped), (*inner.codes, *_codes(wrapped)))
    return Said(text)


def _message(value: Any) -> str:
    found = part(value, "error", "message") or part(value, "message") or part(value, "error")
    return found if isinstance(found, str) else ""


def _status(value: Any) -> int | None:
    found = (part(value, "status"), part(value, "error", "code"), part(value, "code"), part(value, "error", "status"))
    return next((s for s in found if isinstance(s, int) and 400 <= s < 600), None)


def _codes(value: Any) -> tuple[str, ...]:
    found = (part(value, "error", "code"), part(value, "error", "type"), part(value, "error", "status"), part(value, "code"))
    return tuple(code for code in found if isinstance(code, str))


def said(
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
    inner = heard(text)
    codes = [code for code in (*codes, *inner.codes) if code]
    kind = _kind(inner.text, status or inner.status or status_in(inner.text), codes) or otherwise
    return failure(kind, inner.text, retry_at(text, now) if kind in (K.QUOTA, K.RATE_LIMITED, K.OVERLOADED) else None)


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
    """A failure value with the vendor's words made fit for a person."""
    return Failure(kind=kind, message=words(message) or "no words from the vendor", retry_at=retry_at)


def words(text: str, lines: int = 2, limit: int = 300) -> str:
    """The vendor's own words for a person: the first `lines` telling lines, once each, at most `limit` characters.

    No terminal codes, no stack lines, no bare epoch behind a bar.
    """
    told = (re.sub(r"\|\d{10,13}\b", "", line).strip() for line in without_terminal_codes(text).splitlines() if not _STACK.match(line))
    joined = " ".join(list(dict.fromkeys(line for line in told if line))[:lines])
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def unparsable(what: str, code: object, seen: Iterable[object] = ()) -> Failure:
    """Output that cannot be read: `PARSE_ERROR:<what>:<code>` and the kinds of events seen; never the output itself."""
    kinds = ", ".join(dict.fromkeys(re.sub(r"[^\w./-]", "?", str(kind))[:30] for kind in seen))
    message = f"PARSE_ERROR:{what}:{code}" + (f" (events seen: {kinds})" if kinds else "")
    return Failure(kind=K.UNPARSABLE, message=message if len(message) <= 200 else message[:199] + "…")


def by_ending(finished: Finished) -> Failure | None:
    """The failure that the way the process was ended stands for by itself, or None where it ended on its own.

    A complete answer is judged before this, and words that tell of a better reason than the deadline are too.
    """
    if finished.ended == "hopeless":
        return finished.progress.hopeless or Failure(kind=K.CRASHED, message="given up")
    if finished.ended == "cancelled":
        return Failure(kind=K.CANCELLED, message="stopped before its answer was complete")
    if finished.ended == "too_much_output":
        return Failure(kind=K.TOO_MUCH_OUTPUT, message="printed more than can be kept, and no complete answer")
    if finished.ended == "deadline":
        return Failure(kind=K.TIMED_OUT, message=f"no complete answer after {finished.duration_s:.0f} s; {last_seen(finished)}")
    return None


def by_exit(finished: Finished) -> Failure:
    """The failure of a process that ended on its own without saying why."""
    code = finished.exit_code
    number = -code if code is not None and code < 0 else (code or 0) - 128
    if number in _SIGNALS:
        perhaps = ", perhaps out of memory" if number == 9 else ""
        return Failure(kind=K.CRASHED, message=f"killed by {_SIGNALS[number]} ({number}){perhaps}; {last_seen(finished)}")
    ended = "did not end" if code is None else f"ended with exit code {code}"
    return Failure(kind=K.CRASHED, message=f"{ended}; {last_seen(finished)}")


_SIGNALS = {int(s): s.name for s in signal.Signals if s.name in "SIGHUP SIGINT SIGQUIT SIGABRT SIGKILL SIGSEGV SIGPIPE SIGTERM SIGBUS"}


def last_seen(finished: Finished) -> str:
    """What a call showed last, for a person: its activity, else the last telling line of stderr, else of stdout."""
    if finished.progress.activity:
        return f"last seen: {finished.progress.activity}"
    for stream in (finished.stderr, finished.stdout):
        lines = [line for line in stream[-4096:].decode("utf-8", "replace").splitlines() if words(line)]
        if lines and not lines[-1].lstrip().startswith("{"):
            return f"last printed: {words(lines[-1], limit=160)}"
    return "it printed no text" if finished.stdout or finished.stderr else "it printed nothing"
