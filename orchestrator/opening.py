"""Opening a debate: from a request and a table to the first event of a record, with everything that later steps depend on."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orchestrator
from orchestrator.choices import Choices
from orchestrator.engine import now
from orchestrator.exhibits import read_exhibits
from orchestrator.problem import Problem
from orchestrator.request import Request
from orchestrator.seating import Table
from orchestrator.usage import UsageError
from orchestrator.view import Made, make_view
from orchestrator.view.home import Lease, hold, views_home
from prompts import VERSION
from state.models import Exhibit, Opened, Settings
from state.record import Record
from state.redact import redact, secrets_of

NO_VIEW = "none"


def exhibits_of(request: Request, environ: Mapping[str, str]) -> tuple[Exhibit, ...]:
    """The exhibits asked for, secrets redacted. UsageError when one cannot be read."""
    read = read_exhibits(request.choices.context, request.folder)
    if isinstance(read, Problem):
        raise UsageError(read.message)
    known = secrets_of(environ)
    return tuple(exhibit.model_copy(update={"text": redact(exhibit.text, known)[0]}) for exhibit in read)


@dataclass(frozen=True)
class Premises:
    """The private folder of one run, in use until it is released, and the view of the project in it, if there is one."""

    lease: Lease
    made: Made | None

    @property
    def folder(self) -> Path:
        return self.lease.folder

    @property
    def view(self) -> Path | None:
        return self.made.folder if self.made else None


def premises_for(
    ident: str, project: Path, paths: tuple[str, ...], exclude: tuple[Path, ...], environ: Mapping[str, str]
) -> Premises:
    """A private folder for this debate, with a view unless `paths` is `none`. UsageError where neither can be had."""
    home = views_home(environ)
    lease = home if isinstance(home, Problem) else hold(home.path, ident)
    if isinstance(lease, Problem):
        raise UsageError(lease.message)
    if paths == (NO_VIEW,):
        return Premises(lease, None)
    made = make_view(project, lease.folder / "view", paths, exclude)
    if isinstance(made, Problem):
        raise UsageError(made.message)
    return Premises(lease, made)


def opened(
    ident: str, request: Request, table: Table, exhibits: tuple[Exhibit, ...], premises: Premises, environ: Mapping[str, str]
) -> Record:
    """The record of a debate that has just begun."""
    choices = request.choices
    topic = redact(request.topic or "", secrets_of(environ))[0]
    return Record(
        events=(
            Opened(
                at=now(),
                id=ident,
                format="debate",
                topic=topic,
                seats=table.seats,
                panels=table.panels,
                settings=_settings(choices, table),
                exhibits=exhibits,
                view=premises.made.view if premises.made else None,
                cwd=str(request.folder),
                seed=secrets.token_hex(16),
                rehearsal=choices.rehearse,
                prompts_version=VERSION,
                program=f"debate {orchestrator.__version__}",
            ),
        )
    )


def _settings(choices: Choices, table: Table) -> Settings:
    return Settings(
        rounds=choices.rounds,
        effort=choices.effort,
        judge=table.judge,
        judge_anyway=choices.judge_anyway,
        context=tuple(choices.context),
    )
