"""Where a model is asked, and which key and headers may go there. Keys are known by the names of variables only."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from adapters import efforts
from adapters.failing import failure
from adapters.spec import Ask
from state.failures import FailureKind as K
from state.models import Failure

DEFAULT = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
TOOL = "openai"

_REFERENCE = re.compile(r"\$\{(\w+)\}")
_REFUSED_HEADERS = ("host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding")


@dataclass(frozen=True)
class Address:
    """What a request needs beside its body. `url` is the whole address of chat completions."""

    url: str
    model: str
    headers: Mapping[str, str] = field(repr=False)
    is_local: bool


def wrong_url(url: str) -> str | None:
    """Why this cannot be a base URL, or None."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "it does not begin with http:// or https:// and a host"
    if parts.username is not None or parts.password is not None:
        return "it holds a user or a password; name a variable with api_key_env instead"
    if parts.query or parts.fragment or port == 0 or re.search(r"[\s\x00-\x1f\x7f\\]", url):
        return "it is more than scheme, host, port and path"
    return None


def wrong_header(name: str, value: str) -> str | None:
    """Why this header cannot be sent, or None."""
    from state.redact import is_secret_name

    if not re.fullmatch(r"[A-Za-z0-9-]+", name) or name.lower() in _REFUSED_HEADERS:
        return f"{name} is not a header that can be set"
    if not re.fullmatch(r"[\t\x20-\x7e]*", value):
        return f"the value of {name} is not one line of ASCII"
    named = _REFERENCE.findall(value)
    if re.search(r"auth|key|token|secret|cookie|password", name, re.IGNORECASE) and not any(map(is_secret_name, named)):
        return f'{name} is a secret: give the name of its variable, {name} = "${{SOME_API_KEY}}"'
    return None


def variables(options: Mapping[str, Any], base_url: str) -> tuple[str, ...]:
    """The variables whose values go to this address. No key goes to an address for which it was not set up."""
    settled = options.get("base_url") or DEFAULT
    if origin(base_url) != origin(settled):
        return ()
    key = options.get("api_key_env") or (KEY_VARIABLE if origin(settled) == origin(DEFAULT) else None)
    in_headers = (name for value in _headers(options).values() for name in _REFERENCE.findall(value))
    return tuple(dict.fromkeys([*([key] if key else []), *in_headers]))


def missing(options: Mapping[str, Any], base_url: str, environ: Mapping[str, str]) -> str | None:
    """The first variable that is needed there and not set; an empty value counts as none."""
    return next((name for name in variables(options, base_url) if not environ.get(name)), None)


def address(ask: Ask, environ: Mapping[str, str]) -> Address | Failure:
    """Where and how this question is asked, or why it cannot be."""
    options = ask.options
    base = ask.seat.url or options.get("base_url") or DEFAULT
    if wrong := wrong_url(base):
        return failure(K.VENDOR_CONFIG, f"{base} is not an address: {wrong}")
    model = efforts.model(ask)
    if model is None:
        return failure(K.UNKNOWN_MODEL, f"no model is named for {ask.seat.tool}")
    if absent := missing(options, base, environ):
        return failure(K.NOT_LOGGED_IN, f"the environment variable {absent} is not set")
    names = variables(options, base)
    if names and not _is_private(base):
        return failure(K.VENDOR_CONFIG, f"keys go to another machine by https only, and {base} is not")
    return Address(_completions(base), model, _filled(options, base, environ, names), is_loopback(base))


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port: what a key is tied to."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)


def is_loopback(url: str) -> bool:
    """Whether this address is this machine: never asked through a proxy."""
    host = (urlsplit(url).hostname or "").lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    ip = _ip(host)
    return ip is not None and ip.is_loopback


def _is_private(url: str) -> bool:
    """Whether nobody between us and the address reads along: TLS, this machine, or an address of the local network."""
    ip = _ip(urlsplit(url).hostname or "")
    return url.startswith("https:") or is_loopback(url) or (ip is not None and ip.is_private)


def _ip(host: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _completions(base: str) -> str:
    base = base.rstrip("/")
    return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


def _headers(options: Mapping[str, Any]) -> Mapping[str, str]:
    return options.get("headers") or {}


def _filled(
    options: Mapping[str, Any], base: str, environ: Mapping[str, str], names: tuple[str, ...]
) -> dict[str, str]:
    """The user's own headers with the values of their variables; none at all for an address that is not theirs."""
    settled = origin(base) == origin(options.get("base_url") or DEFAULT)
    own = _headers(options) if settled else {}
    headers = {name: _REFERENCE.sub(lambda m: environ.get(m[1], ""), value) for name, value in own.items()}
    key = options.get("api_key_env") or KEY_VARIABLE
    bearer = {"Authorization": f"Bearer {environ[key].strip()}"} if key in names else {}
    return bearer | headers
