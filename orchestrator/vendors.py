"""What is installed, and what the user's settings say of it: what seating and sessions must know of the vendors."""

from collections.abc import Mapping

from adapters import ADAPTERS
from adapters.acp.agents import ACP, REFUSED
from adapters.detect import Found, endings, find
from adapters.efforts import timeout_s
from adapters.rehearsal import SCENARIOS
from orchestrator.request.settings import Settings
from orchestrator.seating import Vendors
from orchestrator.session import Participants
from state.models import Failure


def look(settings: Settings, environ: Mapping[str, str]) -> tuple[Vendors, Participants]:
    """Look for every vendor's program on PATH, or where the user's settings say it is."""
    found = {name: _find(name, settings, environ) for name in ADAPTERS}
    vendors = Vendors(
        problems={name: f for name, f in found.items() if isinstance(f, Failure)},
        install={name: adapter.install for name, adapter in ADAPTERS.items()},
        default_timeout=timeout_s,
        unready=lambda tool: unready(tool, settings),
        acp=frozenset(ACP),
        refused=REFUSED,
        scenarios=tuple(SCENARIOS),
    )
    participants = Participants(
        programs={name: f.path for name, f in found.items() if isinstance(f, Found)},
        options={name: settings.tool(name).options() for name in ADAPTERS},
        environ=environ,
    )
    return vendors, participants


def _find(name: str, settings: Settings, environ: Mapping[str, str]) -> Found | Failure:
    return find(ADAPTERS[name].executable, settings.tool(name).command, environ.get("PATH", ""), endings(environ))


def unready(tool: str, settings: Settings) -> str | None:
    """Why this tool cannot be seated yet: opencode without a model would send the prompt to a hosted service of its own choice (O7)."""
    own = settings.tool(tool)
    if tool != "opencode" or own.model or own.models.model_dump(exclude_none=True):
        return None
    return (
        "no model is set for it, and without one it would send the question to a hosted service. "
        f'Name one: opencode:PROVIDER/MODEL, or in {settings.path}: [tools.opencode] model = "PROVIDER/MODEL"'
    )
