"""Who sits where: seats from words like `claude:opus@high`, empty chairs filled, judges chosen."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from adapters.openai.address import wrong_url
from orchestrator.request.request import Request
from orchestrator.tools import TOOLS
from orchestrator.usage import UsageError, did_you_mean, one_of
from state.failures import FailureKind
from state.models import Effort, Failure, Seat, Transport

REHEARSAL_TIMEOUT_S = 30.0
ACP_ONLY = "kiro"
NO_MODEL = "default"
"""A seat's model when the person wants none to be passed (R13); `None` leaves it to settings and effort."""

REHEARSAL = 'To see a debate without any of them: debate "your topic" --rehearse'

_QUALIFIED = re.compile(r"(?s)(?P<rest>.*)@(?P<word>cli|acp|low|medium|high|max|https?://.*)")
_MODEL = re.compile(r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*")


@dataclass(frozen=True)
class SeatText:
    """A seat as named: `TOOL[:MODEL][@QUALIFIER]`. None where the words say nothing."""

    tool: str
    model: str | None = None
    effort: Effort | None = None
    transport: Transport | None = None
    url: str | None = None


@dataclass(frozen=True)
class Vendors:
    """What seating must know of the vendors, by tool name.

    `problems`: why a tool cannot be started; a tool that is absent here can. `install`: how to get it.
    `default_timeout`: seconds for tool and effort. `unready(tool)`: why an installed tool cannot be seated without a
    model (opencode that has none, O7), or None. `acp`: the tools that speak ACP. `refused`: why others may not. `urls`:
    the tools that are models reached over the network, with the base address of each. `scenarios`: what can be
    rehearsed. `tools`: all of them, in the order in which empty chairs are filled.
    """

    problems: Mapping[str, Failure]
    install: Mapping[str, str]
    default_timeout: Callable[[str, Effort], float]
    unready: Callable[[str], str | None] = lambda _tool: None
    acp: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    urls: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: tuple[str, ...] = TOOLS
    scenarios: tuple[str, ...] = ("plain",)


@dataclass(frozen=True)
class Table:
    """The seats, and the juries that may judge, in the order in which they are tried. `notes` are for the person."""

    seats: tuple[Seat, Seat]
    panels: tuple[tuple[Seat, ...], ...]
    judge: Literal["auto", "named", "none"]
    notes: tuple[str, ...] = field(default=())


def parse_seat(text: str, tools: Sequence[str] = TOOLS) -> SeatText:
    """The seat that these words name. UsageError for a tool that is none of ours, or a model that could not be one.

    A last `@word` is a qualifier only if it is one of the contract's; else it belongs to the model. Whatever the
    qualifier leaves is split at its first `:`.
    """
    qualified = _QUALIFIED.fullmatch(text.strip())
    rest, word = (qualified["rest"], qualified["word"]) if qualified else (text.strip(), "")
    tool, colon, model = rest.partition(":")
    if tool.lower() not in tools:
        raise UsageError(f"Unknown tool: {tool or '(none)'}.{did_you_mean(tool, tools)} Choose {one_of(tools)}.")
    return SeatText(
        tool=tool.lower(),
        model=normal_model(model) if colon else None,
        effort=next((e for e in get_args(Effort) if e == word), None),
        transport=next((t for t in get_args(Transport) if t == word), None),
        url=word if word.startswith("http") else None,
    )


def normal_model(value: str) -> str:
    """A model's name, or `default` for "pass none" (R13). UsageError for what a program would take for a flag."""
    value = value.strip()
    if value.lower() in ("", "auto", "omit", NO_MODEL):
        return NO_MODEL
    if not _MODEL.fullmatch(value):
        raise UsageError(f"A model has no blanks and does not begin with '-'. Got: {value!r}")
    return value


def seat_table(request: Request, vendors: Vendors) -> Table:
    """The table of this debate. UsageError when a tool is unknown, missing, or seated twice."""
    choices = request.choices
    proposer, challenger = (
        None if text is None else parse_seat(text, vendors.tools) for text in (choices.proposer, choices.challenger)
    )
    jurors = _named_judges(choices.judge, vendors.tools)
    _check_scenario(choices.rehearse, vendors)
    present = vendors if choices.rehearse is None else as_rehearsed(vendors)
    check_present([s for s in (proposer, challenger, *jurors) if s], present)
    first, second = _fill(proposer, challenger, present, rehearsal=choices.rehearse is not None)
    if first.tool == second.tool:
        raise UsageError("Proposer and challenger must be different tools.")
    seats = (
        seated("proposer", first, choices.model_proposer, choices.effort, request, present),
        seated("challenger", second, choices.model_challenger, choices.effort, request, present),
    )
    panels = _panels(seats, jurors, request, present)
    kind = "named" if jurors else "none" if choices.judge == "none" else "auto"
    return Table(
        seats,
        panels,
        kind,
        (*_chosen(proposer, challenger, seats), *_partial(jurors, seats), *_by_cli(seats, request, vendors)),
    )


def _named_judges(judge: str, tools: Sequence[str]) -> list[SeatText]:
    return [] if judge in ("auto", "none") else [parse_seat(part, tools) for part in judge.split(",")]


def _check_scenario(scenario: str | None, vendors: Vendors) -> None:
    if scenario is not None and scenario not in vendors.scenarios:
        near = did_you_mean(scenario, vendors.scenarios)
        raise UsageError(f"Unknown scenario: {scenario}.{near} Choose {one_of(vendors.scenarios)}.")


def as_rehearsed(vendors: Vendors) -> Vendors:
    """The vendors as a rehearsal sees them: every chair can be taken, and nobody thinks for long."""
    return replace(
        vendors, problems={}, unready=lambda _tool: None, default_timeout=lambda _tool, _effort: REHEARSAL_TIMEOUT_S
    )


def check_present(named: Sequence[SeatText], vendors: Vendors) -> None:
    """Every tool that was named must be there: all that are not are said at once."""
    missing = dict.fromkeys(seat.tool for seat in named if seat.tool in vendors.problems and not seat.url)
    lines = [line for tool in missing for line in _absent(tool, vendors)]
    if lines:
        raise UsageError(*lines)


def _absent(tool: str, vendors: Vendors) -> tuple[str, ...]:
    problem, install = vendors.problems[tool], vendors.install[tool]
    if problem.kind is FailureKind.NOT_INSTALLED:
        return f"{tool} is not installed. Install with: {install}", f"({problem.message})"
    if problem.kind is FailureKind.NOT_LOGGED_IN:
        return (f"{tool} cannot be seated: {problem.message}.",)
    return (f"{tool} cannot be started: {problem.message}. Install with: {install}",)


def _fill(
    proposer: SeatText | None, challenger: SeatText | None, vendors: Vendors, *, rehearsal: bool
) -> tuple[SeatText, SeatText]:
    """Both seats: those named, and for an empty chair the first tool that is ready and not seated yet."""
    taken = [seat.tool for seat in (proposer, challenger) if seat]
    order = ("claude", "gemini", *vendors.tools) if rehearsal else vendors.tools
    free = [tool for tool in dict.fromkeys(order) if _is_ready(tool, vendors) and tool not in taken]
    if len(free) + len(taken) < 2:
        raise too_few(vendors)
    spare = iter(free)
    return proposer or SeatText(next(spare)), challenger or SeatText(next(spare))


def ready(vendors: Vendors) -> list[str]:
    """The tools that can be seated without another word, in the order in which chairs are filled."""
    return [tool for tool in vendors.tools if _is_ready(tool, vendors)]


def _is_ready(tool: str, vendors: Vendors) -> bool:
    return tool not in vendors.problems and vendors.unready(tool) is None


def too_few(vendors: Vendors) -> UsageError:
    """What to say where no two tools can be seated: what is here, and how to get the others."""
    found = ready(vendors)
    unready = [f"{tool}: {why}" for tool in TOOLS if tool not in vendors.problems and (why := vendors.unready(tool))]
    return UsageError(
        f"Debate requires at least 2 AI CLI tools installed. Found: {', '.join(found) or 'none'}.",
        *(
            f"{tool}: {problem.message}"
            for tool, problem in vendors.problems.items()
            if problem.kind is FailureKind.NOT_RUNNABLE
        ),
        *unready,
        *(f"Install {tool} with: {vendors.install[tool]}" for tool in TOOLS if tool in vendors.problems),
        REHEARSAL,
    )


def seated(role: str, text: SeatText, model: str | None, effort: Effort, request: Request, vendors: Vendors) -> Seat:
    """The seat with all that is settled before the first call; a seat's own words win."""
    own_effort = text.effort or effort
    return Seat(
        role=role,
        tool=text.tool,
        model=_model(text, model, vendors),
        effort=own_effort,
        transport=_transport(text, request, vendors),
        timeout_s=_timeout(text.tool, own_effort, request, vendors),
        url=seat_url(text, vendors),
    )


def _model(text: SeatText, flag: str | None, vendors: Vendors) -> str | None:
    model = text.model if text.model is not None else None if flag is None else normal_model(flag)
    if model in (None, NO_MODEL) and (lacking := vendors.unready(text.tool)):
        raise UsageError(f"{text.tool} cannot be seated: {lacking}")
    return model


def _transport(text: SeatText, request: Request, vendors: Vendors) -> Transport:
    if text.tool in vendors.urls:
        if text.transport:
            raise UsageError(f"{text.tool} is a model and is not spoken to by {text.transport}.")
        return "http"
    if text.tool == ACP_ONLY:
        if text.transport == "cli":
            raise UsageError(f"{text.tool} is spoken with over ACP only.", f"Write {text.tool}@acp, or {text.tool}.")
        return "acp"
    own = text.transport or request.settings.tool(text.tool).transport
    general = request.choices.transport
    wish = own if own != "auto" else general
    if wish != "acp" or (own == "auto" and text.tool not in vendors.acp):
        return "cli"
    if text.tool not in vendors.acp:
        why = vendors.refused.get(text.tool)
        raise UsageError(f"{text.tool} is not spoken to by ACP{f': {why}' if why else ''}.", f"Write {text.tool}@cli.")
    return "acp"


def _by_cli(seats: Sequence[Seat], request: Request, vendors: Vendors) -> tuple[str, ...]:
    """Who is reached by its CLI although ACP was wished for in general, and why."""
    tools = [seat.tool for seat in seats if seat.transport == "cli" and request.choices.transport == "acp"]
    return tuple(f"{t} is reached by its CLI: {vendors.refused.get(t, 'it does not speak ACP')}." for t in tools)


def seat_url(text: SeatText, vendors: Vendors) -> str | None:
    """The base address of a model that is reached over the network; None for a program. UsageError for a wrong one."""
    if text.url is None:
        return vendors.urls.get(text.tool)
    if text.tool not in vendors.urls:
        raise UsageError(f"{text.tool} is a program and is not reached by an address: {text.url}")
    if wrong := wrong_url(text.url):
        raise UsageError(f"This is not an address: {wrong}.", f"Write {text.tool}:MODEL@http://HOST:PORT/v1")
    return text.url


def _timeout(tool: str, effort: Effort, request: Request, vendors: Vendors) -> float:
    """Seconds a call may take: by this command or variable, by the tool's settings, by general ones, by default."""
    settings = request.settings
    general, own = settings.choices.timeout, settings.tool(tool).timeout
    standing = settings.origin("timeout").kind == "file"
    chosen = (own, general) if standing else (general, own)
    return next((seconds for seconds in chosen if seconds is not None), None) or vendors.default_timeout(tool, effort)


def _panels(
    seats: tuple[Seat, Seat], jurors: Sequence[SeatText], request: Request, vendors: Vendors
) -> tuple[tuple[Seat, ...], ...]:
    """The juries to try in turn. `auto`: each ready tool that is not at the table, alone; at last both that are."""
    if jurors:
        return (tuple(_juror(n, text, request, vendors) for n, text in enumerate(jurors, 1)),)
    if request.choices.judge == "none":
        return ()
    at_table = [SeatText(s.tool, s.model, url=s.url) for s in seats]
    others = [SeatText(t) for t in vendors.tools if t not in (s.tool for s in at_table) and _is_ready(t, vendors)]
    if request.choices.rehearse is not None:
        others = [] if request.choices.rehearse == "judge-split" else others[:1]
    alone = tuple((_juror(1, text, request, vendors),) for text in others)
    return (*alone, tuple(_juror(n, text, request, vendors) for n, text in enumerate(at_table, 1)))


def _juror(number: int, text: SeatText, request: Request, vendors: Vendors) -> Seat:
    """A judge's seat: high effort, whatever the speakers have, unless its own words say otherwise."""
    return seated(f"judge-{number}", text, None, "high", request, vendors)


def _chosen(proposer: SeatText | None, challenger: SeatText | None, seats: Sequence[Seat]) -> tuple[str, ...]:
    filled = [seat for seat, text in zip(seats, (proposer, challenger), strict=True) if text is None]
    return tuple(f"{seat.tool} was chosen as {seat.role}; name another with --{seat.role} TOOL." for seat in filled)


def _partial(jurors: Sequence[SeatText], seats: Sequence[Seat]) -> tuple[str, ...]:
    own = dict.fromkeys(juror.tool for juror in jurors if juror.tool in (seat.tool for seat in seats))
    return tuple(f"{tool} speaks and judges in this debate, as you asked." for tool in own)
