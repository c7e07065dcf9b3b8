"""The engine, the formats and the doors of `debate`."""

from importlib.util import find_spec
from pathlib import Path

__version__ = "0.1.0"


def _siblings_beside_us() -> None:
    """Refuse to run when another distribution has taken one of our import names."""
    here = Path(__file__).resolve().parent.parent
    for name in ("adapters", "prompts", "state"):
        spec = find_spec(name)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found is None or found.parent.parent != here:
            message = (
                f"debate needs its own package '{name}' beside {here / 'orchestrator'}, but Python found "
                f"{found or 'nothing'}. Install debate-orchestrator in an environment of its own (pipx or uv tool install)."
            )
            raise ImportError(message)


_siblings_beside_us()
