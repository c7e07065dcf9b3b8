"""The vendors: what each CLI is told and how its answer is read, and the one room that starts processes."""

from collections.abc import Mapping
from typing import Any

from adapters.acp.agents import ACP, KIRO, own_agent
from adapters.claude import CLAUDE
from adapters.codex import CODEX
from adapters.copilot import COPILOT
from adapters.custom import custom
from adapters.gemini import GEMINI
from adapters.openai import OPENAI, endpoint
from adapters.opencode import OPENCODE
from adapters.spec import Adapter
from state.models import Transport

ADAPTERS = {adapter.name: adapter for adapter in (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, KIRO)}
"""Every vendor, in the order in which empty chairs are filled."""


def adapters(own: Mapping[str, Mapping[str, Any]]) -> dict[str, Adapter]:
    """Every tool that can be seated: the vendors, `openai`, and the user's own tables by name (checked settings)."""
    return {**ADAPTERS, OPENAI.name: OPENAI, **{name: _own(name, table) for name, table in own.items()}}


def _own(name: str, table: Mapping[str, Any]) -> Adapter:
    if table.get("base_url"):
        return endpoint(name, table)
    return own_agent(custom(name, table)) if table.get("transport") == "acp" else custom(name, table)


def adapter_for(tool: str, transport: Transport, known: Mapping[str, Adapter] = ADAPTERS) -> Adapter:
    """The adapter that reaches this tool by this transport; `known` are all tools, as `adapters` makes them."""
    return ACP[tool] if transport == "acp" and tool in ACP else known[tool]


def transports(adapter: Adapter) -> tuple[Transport, ...]:
    """How this tool can be reached, the usual way first."""
    return (adapter.transport, "acp") if adapter.transport == "cli" and adapter.name in ACP else (adapter.transport,)
