"""The vendors: what each CLI is told and how its answer is read, and the one room that starts processes."""

from adapters.acp.agents import ACP, KIRO
from adapters.claude import CLAUDE
from adapters.codex import CODEX
from adapters.copilot import COPILOT
from adapters.gemini import GEMINI
from adapters.opencode import OPENCODE
from adapters.spec import Adapter
from state.models import Transport

ADAPTERS = {adapter.name: adapter for adapter in (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, KIRO)}
"""Every vendor, in the order in which empty chairs are filled."""


def adapter_for(tool: str, transport: Transport) -> Adapter:
    """The adapter that reaches this vendor by this transport."""
    return ACP[tool] if transport == "acp" else ADAPTERS[tool]
