"""What is installed, and what the user's settings say of it: what seating and sessions must know of the vendors."""

from collections.abc import Mapping
from typing import Any

from adapters import adapters
from adapters.acp.agents import ACP, REFUSED
from adapters.detect import Found, endings, find
from adapters.efforts import timeout_s
from adapters.openai.address import DEFAULT, missing
from adapters.rehearsal import SCENARIOS
from adapters.spec import Adapter
from orchestrator.request.choices import Endpoint, OwnTool
from orchestrator.request.settings import Settings
from orchestrator.seating import Vendors
from orchestrator.session import Participants
from state.failures import FailureKind
from state.models import Failure


def look(settings: Settings, environ: Mapping[str, str]) -> tuple[Vendors, Participants]:
    """Look for every vendor's program on PATH, or where the user's settings say it is."""
    tools = seatable(settings)
    urls = {name: base_url(name, settings) for name, adapter in tools.items() if adapter.converse}
    found = {name: program(a, settings, environ) for name, a in tools.items() if name not in urls}
    locked = {name: problem for name in urls if (problem := keyless(name, settings, environ))}
    vendors = Vendors(
        problems={name: f for name, f in found.items() if isinstance(f, Failure)} | locked,
        install={name: adapter.install for name, adapter in tools.items()},
        default_timeout=timeout_s,
        unready=lambda tool: unready(tool, settings, reached=tool in urls),
        acp=frozenset(ACP)
        | {n for n, own in settings.tools.items() if isinstance(own, OwnTool) and own.transport == "acp"},
        refused=REFUSED,
        urls=urls,
        tools=tuple(tools),
        scenarios=tuple(SCENARIOS),
    )
    participants = Participants(
        programs={name: f.path for name, f in found.items() if isinstance(f, Found)},
        options={name: _options(name, settings) for name in tools},
        environ=environ,
        adapters=tools,
    )
    return vendors, participants


def seatable(settings: Settings) -> dict[str, Adapter]:
    """Every tool that can be seated with these settings, the person's own last."""
    own = {name: tool.options() for name, tool in settings.tools.items() if isinstance(tool, OwnTool)}
    return adapters(own)


def keyless(tool: str, settings: Settings, environ: Mapping[str, str]) -> Failure | None:
    """Why a model that is asked over the network cannot be: its key is not set. Whether it is, is asked; it is not read."""
    url = base_url(tool, settings)
    absent = missing(settings.tool(tool).options(), url, environ)
    words = f"the environment variable {absent} is not set, and {url} wants a key"
    return Failure(kind=FailureKind.NOT_LOGGED_IN, message=words) if absent else None


def _options(name: str, settings: Settings) -> dict[str, Any]:
    """What an adapter is told of the settings: the tool's own table, and whether models may read the project."""
    return settings.tool(name).options() | {"research": settings.choices.research}


def program(adapter: Adapter, settings: Settings, environ: Mapping[str, str]) -> Found | Failure:
    """The program to start for this tool: on PATH, or where the settings say it is."""
    own = settings.tool(adapter.name)
    command = adapter.executable if isinstance(own, OwnTool) else own.command
    return find(adapter.executable, command, environ.get("PATH", ""), endings(environ))


def base_url(name: str, settings: Settings) -> str:
    """Where a model is asked when its seat names no other address."""
    own = settings.tool(name)
    return own.base_url or DEFAULT if isinstance(own, Endpoint) else DEFAULT


def unready(tool: str, settings: Settings, *, reached: bool = False) -> str | None:
    """Why this tool cannot be seated yet, or None. `reached`: it is a model that is asked over the network.

    opencode without a model would send the prompt to a hosted service of its own choice (O7).
    """
    own = settings.tool(tool)
    if own.model or own.models.model_dump(exclude_none=True):
        return None
    if reached:
        return f"no model is named for it. Name one: {tool}:MODEL, or model in [tools.{tool}] of {settings.path}"
    if tool != "opencode":
        return None
    return (
        "no model is set for it, and without one it would send the question to a hosted service. "
        f'Name one: opencode:PROVIDER/MODEL, or in {settings.path}: [tools.opencode] model = "PROVIDER/MODEL"'
    )
