"""The names that can sit at the table."""

TOOLS = ("claude", "codex", "gemini", "opencode", "copilot", "kiro")
"""The tools that can be seated, in the order in which empty chairs are filled."""

NETWORKED = "openai"
"""The tool that is a model, asked over the network."""
