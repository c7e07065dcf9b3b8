"""Models without a coding CLI: anything that speaks OpenAI's chat completions, hosted or on this machine."""

from adapters.openai.adapter import OPENAI, endpoint

__all__ = ["OPENAI", "endpoint"]
