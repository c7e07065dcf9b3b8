"""When waiting ends: the reset times that vendors write into their errors."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_EPOCH = re.compile(r"\|(\d{10})(?:\d{3})?\b")
_CLOCK = re.compile(
    r"(?:resets?|try again|available again)(?: at| on)?\s+"
    r"(?:(?P<month>[a-z]{3})[a-z]*\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?,? (?:at )?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap]m)?\b(?: \((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?:try again|retry|resets?|wait|retry-after)\W{0,3}(?:in |after )?"
    r"((?:\d+(?:\.\d+)?\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[dhms])\b[ ,]*(?:and )?)+)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[dhms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_MONTHS: list[str] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def retry_at(text: str, now: datetime | None = None) -> str | None:
    """The time (UTC, ISO 8601) at which an error text says that waiting ends, or None.

    Understood: an epoch behind a bar, a date or a time of day with or without zone, a span. Without `now` (aware, in the
    user's zone) only what names a whole date and zone, or an epoch, can be told.
    """
    for read in (_epoch, _clock, _span):
        try:
            if found := read(text, now):
                return iso(found)
        except (ValueError, OverflowError, OSError, KeyError):
            continue
    return None


def iso(time: datetime) -> str:
    """The time in UTC, ISO 8601, to the second."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _epoch(text: str, _now: datetime | None) -> datetime | None:
    found = _EPOCH.search(text)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _clock(text: str, now: datetime | None) -> datetime | None:
    found = _CLOCK.search(text)
    if not found or not (found["half"] or found["minute"]):
        return None
    zone = _zone(found["zone"]) or (now.tzinfo if now else None)
    if zone is None or (now is None and not found["year"]):
        return None
    today = now.astimezone(zone) if now else datetime.now(zone)
    hour = (
        int(found["hour"]) % 12 + (12 if found["half"].lower() == "pm" else 0) if found["half"] else int(found["hour"])
    )
    time = today.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
    if not found["month"]:
        return time if time > today else time + timedelta(days=1)
    month = _MONTHS.index(found["month"].lower()) + 1
    time = time.replace(year=int(found["year"] or today.year), month=month, day=int(found["day"]))
    return time if found["year"] or time > today else time.replace(year=time.year + 1)


def _zone(name: str | None) -> ZoneInfo | None:
    return ZoneInfo(name) if name else None


def _span(text: str, now: datetime | None) -> datetime | None:
    found = _SPAN.search(text)
    if not found or now is None:
        return None
    seconds = sum(
        float(n) * _SECONDS["ms" if unit.lower() == "ms" else unit[0].lower()] for n, unit in _AMOUNT.findall(found[1])
    )
    return now + timedelta(seconds=seconds)
