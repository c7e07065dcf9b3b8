"""The tool `openai`, and tools of the user's own that are such a model under another name."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from adapters.openai.address import KEY_VARIABLE
from adapters.spec import Adapter, Ask, Conversed, Place, Progress


async def _converse(ask: Ask, place: Place, seconds: float, tell: Callable[[Progress], None]) -> Conversed:
    from adapters.openai.call import converse  # httpx costs 0.1 s, so whoever does not need it does not pay

    return await converse(ask, place, seconds, tell)


OPENAI = Adapter(
    name="openai",
    executable="",
    install="(nothing: it is reached over the network)",
    login=f"export {KEY_VARIABLE}=...",
    transport="http",
    converse=_converse,
)


def endpoint(name: str, options: Mapping[str, Any]) -> Adapter:
    """The adapter for `[tools.NAME]` with a `base_url`."""
    variable = options.get("api_key_env")
    return replace(OPENAI, name=name, login=f"export {variable}=..." if variable else f"api_key_env in [tools.{name}]")
