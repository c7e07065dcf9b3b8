"""Each vendor over ACP: what starts its agent, how it is set, and how it tells an error.

Programs, environment, settings and policies are those of the vendor's own CLI adapter: what keeps it to reading there
keeps it to reading here, and what it asks beyond that is refused (permission.py).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from adapters import copilot, efforts, gemini, opencode
from adapters.acp.answer import read
from adapters.acp.conversation import Question, Ways, begun, farewell, heard, usual_ways
from adapters.environment import AWS, child_environment
from adapters.failing import failure
from adapters.outcome import Dialect
from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Envelope, Failure

K = FailureKind
Words = Callable[[Ask, Command], tuple[str, ...]]
_LONGEST_KEPT = 20_000


@dataclass(frozen=True)
class Agent:
    """What is a vendor's own over ACP.

    `words` turns the command of its CLI into the one that starts its agent. `ways`: how model and effort are set. `aside`:
    see `conversation.Question`. `continuable`: whether it loads sessions that it kept. `dialect`: what its phrases mean.
    """

    words: Words
    dialect: Dialect
    ways: Ways = usual_ways
    aside: re.Pattern[str] | None = None
    continuable: bool = False


def over_acp(cli: Adapter, agent: Agent) -> Adapter:
    """The adapter that speaks ACP with this vendor."""

    def build(ask: Ask, place: Place) -> Command | Failure:
        made = cli.build(replace(ask, continues=None), place)
        if isinstance(made, Failure):
            return made
        question = Question(
            prompt=_harmless(ask.prompt),
            cwd=ask.view or place.folder / "cwd",
            view=ask.view,
            model=efforts.model(ask),
            effort=ask.seat.effort,
            ways=agent.ways,
            aside=agent.aside,
            session=ask.continues,
        )
        return replace(made, argv=agent.words(ask, made), stdin=b"", opening=begun(question))

    def answer(ask: Ask, finished: Finished) -> Envelope:
        return read(ask, finished, agent.dialect)

    def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
        return heard(progress, line) if stream == "stdout" else cli.watch(progress, line, stream)

    return replace(
        cli,
        build=build,
        read=answer,
        watch=watch,
        keep=_keep,
        farewell=farewell,
        transport="acp",
        continuable=agent.continuable,
    )


def _keep(line: bytes) -> bool:
    """What may help a person after a failure: all but long frames, as the conversation holds the answer itself."""
    return len(line) < _LONGEST_KEPT


def _harmless(prompt: str) -> str:
    """A slash as the very first character would be a command of the agent's own."""
    return f"Question:\n\n{prompt}" if prompt.lstrip().startswith("/") else prompt


def _gemini_words(_ask: Ask, made: Command) -> tuple[str, ...]:
    return (made.argv[0], "--acp", *(word for word in made.argv[1:] if not word.startswith("--output-format")))


def _opencode_words(_ask: Ask, made: Command) -> tuple[str, ...]:
    return (made.argv[0], "acp", "--pure", "--print-logs", "--log-level=ERROR")


def _copilot_words(_ask: Ask, made: Command) -> tuple[str, ...]:
    """Without the effort: over ACP a model that knows none refuses the session."""
    left_out = ("--output-format", "--reasoning-effort")
    return (made.argv[0], "--acp", *(word for word in made.argv[1:] if not word.startswith(left_out)))


def _also(dialect: Dialect, *kinds: tuple[FailureKind, str]) -> Dialect:
    """The vendor's dialect, and phrases that it uses over ACP only."""
    return replace(dialect, kinds=(*kinds, *dialect.kinds))


_GEMINI = Agent(
    words=_gemini_words,
    dialect=_also(
        gemini.DIALECT,
        (K.QUOTA, r"exhausted your (?:daily )?quota"),
        (K.NOT_LOGGED_IN, r"API key is missing|Authentication required|UNAUTHENTICATED"),
    ),
    # the model stands on the command line, where an unknown one is told; session/set_model takes any name
    ways=lambda _result, _question: (),
)
_OPENCODE = Agent(
    words=_opencode_words,
    dialect=_also(
        opencode.DIALECT,
        (K.TOO_LONG, r"too large to compact"),
        (K.NOT_LOGGED_IN, r"invalid authentication"),
    ),
    continuable=True,
)
_COPILOT = Agent(
    words=_copilot_words,
    dialect=_also(
        copilot.DIALECT,
        (K.NOT_LOGGED_IN, r"Authentication required"),
        (K.DENIED, r"Operation cancelled by user"),
        (K.OVERLOADED, r"transient API error"),
        (K.TOO_LONG, r"rejected the prompt as too long"),
    ),
    aside=re.compile(r"\s*(?:Error|Info): (?P<told>.*)", re.DOTALL),
    continuable=True,
)


def _kiro_build(ask: Ask, place: Place) -> Command | Failure:
    return Command(
        argv=(str(place.program), "acp", "--agent-engine=v3"),
        stdin=b"",
        env=child_environment(KIRO_CLI, place, ask.options),
        cwd=ask.view or place.folder / "cwd",
    )


def _no_cli(ask: Ask, _finished: Finished) -> Envelope:
    return Envelope(tool=ask.seat.tool, failure=failure(K.UNSUPPORTED_FLAG, "kiro is spoken with over ACP only"))


KIRO_CLI = Adapter(
    name="kiro",
    executable="kiro-cli",
    install="curl -fsSL https://cli.kiro.dev/install | bash",
    login="kiro-cli login",
    read_only="all that it asks for but reading in the view is refused (never run here)",
    usage="as the agent says",
    build=_kiro_build,
    read=_no_cli,
    watch=lambda progress, _line, _stream: progress,
    keep=_keep,
    env=("KIRO_*", *AWS),
    denied_env=("KIRO_TRUST_ALL_TOOLS",),
)
_KIRO = Agent(
    words=lambda _ask, made: made.argv,
    dialect=Dialect(
        noise=re.compile(r"error: (?!un)"),
        kinds=(
            (K.NOT_LOGGED_IN, r"Authentication failed|API key may be invalid|not logged in|Authentication required"),
            (K.UNSUPPORTED_FLAG, r"unrecognized subcommand|unexpected argument|invalid subcommand"),
        ),
    ),
)

AGENTS: Mapping[str, tuple[Adapter, Agent]] = {
    "gemini": (gemini.GEMINI, _GEMINI),
    "opencode": (opencode.OPENCODE, _OPENCODE),
    "copilot": (copilot.COPILOT, _COPILOT),
    "kiro": (KIRO_CLI, _KIRO),
}
ACP: Mapping[str, Adapter] = {name: over_acp(cli, agent) for name, (cli, agent) in AGENTS.items()}
"""The vendors that can be spoken with over ACP."""
KIRO = ACP["kiro"]
"""Kiro, which is spoken with over ACP only."""


def own_agent(cli: Adapter) -> Adapter:
    """The adapter for an agent of the person's own: its command is all that is known of it."""

    def build(ask: Ask, place: Place) -> Command | Failure:
        options = {name: value for name, value in ask.options.items() if name not in ("model", "models")}
        modelless = replace(ask, seat=ask.seat.model_copy(update={"model": None}), options=options)
        return cli.build(modelless, place)  # the model is asked for in the conversation

    plain = Dialect(noise=re.compile(r"(?:error|fatal): (?=\S)", re.IGNORECASE))
    return over_acp(replace(cli, build=build), Agent(words=lambda _ask, made: made.argv, dialect=plain))


REFUSED: Mapping[str, str] = {
    "claude": "claude-agent-acp reads files outside the copy of the project, and instruction files round it, whatever it is told",
    "codex": "codex-acp lets its sandbox read the whole disk, and lets a model of its own approve writes",
}
"""Vendors whose agent cannot be kept to reading the view, and why."""
