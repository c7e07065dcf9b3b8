"""Opening a debate: from a request and a table to the first event of a record, with everything that later steps depend on."""

import secrets
from collections.abc import Mapping

import orchestrator
from orchestrator.engine import now
from orchestrator.material.exhibits import read_exhibits
from orchestrator.premises import Premises
from orchestrator.problem import Problem
from orchestrator.request.choices import Choices
from orchestrator.request.request import Request
from orchestrator.seating import Table
from orchestrator.usage import UsageError
from prompts import VERSION
from state.models import Exhibit, Opened, Settings
from state.record import Record
from state.redact import redact, secrets_of
from state.store import Store


def exhibits_of(request: Request, environ: Mapping[str, str]) -> tuple[Exhibit, ...]:
    """The exhibits asked for, secrets redacted. UsageError when one cannot be read."""
    read = read_exhibits(request.choices.context, request.folder)
    if isinstance(read, Problem):
        raise UsageError(read.message)
    known = secrets_of(environ)
    return tuple(exhibit.model_copy(update={"text": redact(exhibit.text, known)[0]}) for exhibit in read)


def opened(
    ident: str,
    store: Store,
    request: Request,
    table: Table,
    exhibits: tuple[Exhibit, ...],
    premises: Premises,
    environ: Mapping[str, str],
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
                view=premises.made,
                cwd=str(request.folder),
                state_file=str(store.path) if choices.state else None,
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
        research=choices.research,
        sessions=choices.sessions,
    )
