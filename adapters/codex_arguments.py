"""What the user's own arguments for codex mean for a call."""

import re
from collections.abc import Sequence

_WIDE = re.compile(
    r"-[sp]|--(?:sandbox|profile|dangerously|full-auto|yolo|add-dir|trust|cd\b|enable|approve|ask-for-approval|search|remote)|-[aC]\b"
    r"|(?:-c|--config=)?\s*(?:sandbox|default_permissions|permissions|approval|shell_environment|allow_login_shell|profile|projects"
    r"|mcp_servers|notify|hooks|features|web_search|plugins|tools)"
)
_BUILT_IN = ("openai", "ollama", "lmstudio", "amazon-bedrock")
"""Providers that codex does not let anyone change: it ends with an error."""


def opening(extra: Sequence[str]) -> str | None:
    """The first argument that would widen rights or run programs. Even `--sandbox read-only` does: it ends our profile."""
    return next((word for word in extra if _WIDE.match(word)), None)


def without_retries(extra: Sequence[str]) -> tuple[str, ...]:
    """Settings that keep codex from trying again by itself: for a provider of the user's own, the only kind that has them."""
    chosen = [name for name in _values(extra, "model_provider", r"[\w-]+") if name not in _BUILT_IN]
    return tuple(
        f"model_providers.{name}.{what}_max_retries=0" for name in chosen[-1:] for what in ("request", "stream")
    )


def keys(extra: Sequence[str]) -> list[str]:
    """The variables that a provider of the user's own takes its key from: without them it would be of no use."""
    return _values(extra, "env_key", r"\w+")


def _values(extra: Sequence[str], name: str, form: str) -> list[str]:
    return re.findall(rf"""\b{name}\s*=\s*["']?({form})""", "\n".join(extra))
