"""The vendors: what each CLI is told and how its answer is read, and the one room that starts processes."""

from dataclasses import replace

from adapters.copilot import COPILOT
from adapters.gemini import GEMINI
from adapters.opencode import OPENCODE

CLAUDE = replace(GEMINI, name="claude", executable="claude")
CODEX = replace(GEMINI, name="codex", executable="codex")
ADAPTERS = {adapter.name: adapter for adapter in (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT)}
"""Every vendor, in the order in which empty chairs are filled."""
