"""What a server's refusal, a broken stream or an odd answer means: the same kinds of failure as everywhere. No I/O."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from adapters.failing import WAITING, by_code, by_status, failure, judged
from adapters.openai.stream import Reply
from adapters.resetting import iso
from state.failures import FailureKind as K
from state.models import Failure

_TOO_LONG = re.compile(
    r"context (?:length|window|size)|maximum context|too long|exceeds? .{0,40}context|exceed_context|num_ctx|too many tokens",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(r"\btools?\b|\bfunctions?\b|tool_choice|tool[- ]use", re.IGNORECASE)
_NO_OPTION = re.compile(r"stream_options|include_usage", re.IGNORECASE)
_TAGS = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]{0,500}>", re.DOTALL | re.IGNORECASE)
_NARROWABLE = (400, 404, 405, 422, 500, 501)


def refused(status: int, headers: Mapping[str, str], body: bytes, now: datetime, url: str) -> Failure:
    """The failure that an answer with this HTTP status tells of."""
    text = body.decode("utf-8", "replace")
    if 300 <= status < 400:
        where = headers.get("location", "elsewhere").partition("?")[0]
        told = failure(K.VENDOR_CONFIG, f"HTTP {status}: the server sends us to {where}, where no key of yours is sent")
        return told.model_copy(update={"remedy": f"If that is right, make it the base_url in the place of {url}"})
    if is_html(headers, body):
        found = judged(f"HTTP {status}: {plain(text)}", status=status, otherwise=_rest(status), now=now)
    elif _TOO_LONG.search(text) and status in (400, 413, 422, 500):
        found = failure(K.TOO_LONG, judged(text).message)
    else:
        found = judged(text or f"HTTP {status}", status=status, otherwise=_rest(status), now=now)
    if (
        found.kind is K.OVERLOADED and 400 <= status < 500 and status != 408
    ):  # a code that fits everything ("api_error")
        found = failure(_plain_kind(status, found.message), found.message)
    if not re.search(rf"\b{status}\b", found.message):
        found = found.model_copy(update={"message": f"HTTP {status}: {found.message}"})
    return _waiting(found, headers, now)


def narrowed(status: int, body: bytes) -> str | None:
    """What a server that lacks something should not be sent again: `tools`, `stream_options`, or None."""
    text = body.decode("utf-8", "replace")
    if status not in _NARROWABLE or _TOO_LONG.search(text):
        return None
    if _NO_OPTION.search(text):
        return "stream_options"
    return "tools" if _NO_TOOLS.search(text) else None


def in_reply(reply: Reply, now: datetime) -> Failure | None:
    """The failure that a whole reply tells of itself, or None."""
    if reply.error:
        text = reply.error if isinstance(reply.error, str) else orjson.dumps({"error": reply.error}).decode()
        if _TOO_LONG.search(text):
            return failure(K.TOO_LONG, judged(text).message)
        return judged(text, status=_status(reply.error), codes=_codes(reply.error), otherwise=K.OVERLOADED, now=now)
    if reply.refusal:
        return failure(K.REFUSED, reply.refusal)
    match reply.finish:
        case "content_filter":
            return failure(K.REFUSED, "the answer was filtered (content_filter)")
        case "length":
            return failure(
                K.TRUNCATED, f"the answer was cut off after {reply.written} characters (finish_reason length)"
            )
        case _:
            return None


def strange(kind: str, shown: str, url: str) -> Failure:
    """An answer that is none of this API's. `kind` says what came in its place."""
    told = failure(
        K.UNPARSABLE, f"{kind} in the place of an answer: {shown}" if shown else f"{kind} in the place of an answer"
    )
    return told.model_copy(update={"remedy": f"Check the address: {url}"})


def is_html(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether this is a page for people: a proxy, a login page, a wrong address."""
    return "text/html" in headers.get("content-type", "") or body.lstrip()[:15].lower().startswith(
        (b"<!doctype", b"<html")
    )


def plain(page: str) -> str:
    """The words of a page."""
    return " ".join(_TAGS.sub(" ", page).split())[:200]


def _plain_kind(status: int, message: str) -> K:
    told = by_status(status) or _rest(status)
    return K.VENDOR_CONFIG if told is K.UNKNOWN_MODEL and "model" not in message.lower() else told


def _rest(status: int) -> K:
    """The kind where neither code nor words tell: 400 and its like are a request that the server cannot take."""
    return K.VENDOR_CONFIG if 400 <= status < 500 else K.OVERLOADED


def _waiting(found: Failure, headers: Mapping[str, str], now: datetime) -> Failure:
    if found.kind not in WAITING or not (until := retry_after(headers, now)):
        return found
    return found.model_copy(update={"retry_at": until})


def retry_after(headers: Mapping[str, str], now: datetime) -> str | None:
    """The time (UTC, ISO 8601) that `Retry-After` names, in seconds or as a date; None where it names none."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
        return iso(now + timedelta(seconds=seconds)) if 0 <= seconds < 1e8 else None
    except (ValueError, OverflowError):
        pass
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    return iso(date if date.tzinfo else date.replace(tzinfo=UTC))


def _status(error: Any) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _codes(error: Any) -> list[str]:
    found = [error.get(key) for key in ("code", "type")] if isinstance(error, dict) else []
    return [code for code in found if isinstance(code, str) and by_code(code)]
