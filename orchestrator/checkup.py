"""Looking a vendor's program over: where it is, which version, whether it is logged in, and, if wished, whether it answers."""

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from adapters import ADAPTERS
from adapters.ask import Setting, Teller
from adapters.ask import ask as ask_vendor
from adapters.detect import Found, LoggedIn, endings, executables, logged_in, version
from adapters.environment import child_environment
from adapters.spec import Adapter, Ask, Place
from orchestrator.request.settings import Settings
from orchestrator.vendors import base_url, keyless, program, seatable, unready
from state.models import Failure, Seat

QUESTION = "Answer with the one word OK."
DEEP_TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Checkup:
    """What was found of one tool. `others` are programs of the same name that are not used; `problem` is why it is unusable, `unready`
    what the person must choose before it can be seated.

    `settings` are those of the person that apply: key, value, where it comes from. `url`: where a model is asked that
    is no program.
    """

    adapter: Adapter
    program: Path | None
    others: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    version: str | None = None
    logged_in: LoggedIn = "unknown"
    problem: Failure | None = None
    unready: str | None = None
    settings: tuple[tuple[str, Any, str], ...] = ()

    url: str | None = None

    @property
    def tool(self) -> str:
        return self.adapter.name

    @property
    def install(self) -> str:
        return self.adapter.install

    @property
    def login(self) -> str:
        return self.adapter.login


async def check_up(
    tools: Iterable[str], settings: Settings, environ: Mapping[str, str], *, deep: bool
) -> tuple[Checkup, ...]:
    """Look these tools over, all at the same time. `deep`: ask each that can be asked a tiny question, which costs a little."""
    found: dict[str, Checkup] = {}
    order, known = tuple(tools), seatable(settings)

    async def one(tool: str) -> None:
        checkup = await anyio.to_thread.run_sync(_looked_over, known[tool], settings, environ)
        found[tool] = await _asked(checkup, settings, environ) if deep and (checkup.program or checkup.url) else checkup

    async with anyio.create_task_group() as group:
        for tool in order:
            group.start_soon(one, tool)
    return tuple(found[tool] for tool in order)


def _looked_over(adapter: Adapter, settings: Settings, environ: Mapping[str, str]) -> Checkup:
    tool = adapter.name
    path_env, suffixes = environ.get("PATH", ""), endings(environ)
    made = tuple((key, value, str(o)) for key, value, o in settings.rows() if key.startswith(f"tools.{tool}."))
    if adapter.converse:
        locked, lacking = keyless(tool, settings, environ), unready(tool, settings, reached=True)
        return Checkup(adapter, None, problem=locked, unready=lacking, settings=made, url=base_url(tool, settings))
    seen = tuple(executables(adapter.executable, path_env, suffixes))
    found = program(adapter, settings, environ)
    if isinstance(found, Failure):
        return Checkup(adapter, None, seen, problem=found, settings=made)
    others = tuple(path for path in seen if path != found.path)
    checkup = Checkup(adapter, found.path, others, found.notes, unready=unready(tool, settings), settings=made)
    if tool not in ADAPTERS:
        return checkup  # what `--version` does to a program of the person's own, nobody knows
    return _probed(adapter, checkup, found, settings.tool(tool).options(), environ)


def _probed(
    adapter: Adapter, checkup: Checkup, found: Found, options: Mapping[str, Any], environ: Mapping[str, str]
) -> Checkup:
    with tempfile.TemporaryDirectory(prefix="debate-") as name:
        env = child_environment(adapter, Place(found.path, Path(name), environ), options)
        told, login = version(found.path, env), logged_in(adapter, found.path, env)
    if isinstance(told, Failure):
        return replace(checkup, logged_in=login, problem=told)
    return replace(checkup, version=told, logged_in=login)


async def _asked(checkup: Checkup, settings: Settings, environ: Mapping[str, str]) -> Checkup:
    """An answer shows a login; a failure shows what is wrong."""
    adapter, options = checkup.adapter, settings.tool(checkup.tool).options()
    transport = "http" if checkup.url else "cli"
    seat = Seat(
        role="answerer", tool=checkup.tool, effort="low", timeout_s=DEEP_TIMEOUT_S, transport=transport, url=checkup.url
    )
    quiet = Teller(progress=lambda _progress: None, retry=lambda *_: None)
    with tempfile.TemporaryDirectory(prefix="debate-") as name:
        setting = Setting(home=Path(name), program=checkup.program or Path(), environ=environ)
        answered = await ask_vendor(Ask(seat, QUESTION, options=options), adapter, setting, quiet)
    failure = answered.envelope.failure
    if failure is None:
        return replace(checkup, logged_in="yes", problem=None)
    return replace(checkup, logged_in="no" if failure.kind == "not_logged_in" else checkup.logged_in, problem=failure)
