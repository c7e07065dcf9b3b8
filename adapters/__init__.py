"""The vendors: what each CLI is told and how its answer is read, and the one room that starts processes."""

from adapters.claude import CLAUDE
from adapters.codex import CODEX
from adapters.copilot import COPILOT
from adapters.gemini import GEMINI
from adapters.opencode import OPENCODE

ADAPTERS = {adapter.name: adapter for adapter in (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT)}
"""Every vendor, in the order in which empty chairs are filled."""
