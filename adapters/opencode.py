"""OpenCode: run from a private empty folder (it executes modules that lie in its own), with `--dir` naming the view."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.activity import using, writing
from adapters.efforts import flags, model
from adapters.environment import AWS, AZURE, GOOGLE, child_environment
from adapters.failing import by_status, failure, inner
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import cost, count, part, text_of, value, values
from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind

NO_RIGHTS = {"*": "deny"}
READ_RIGHTS = {"*": "deny", "read": "allow", "glob": "allow", "grep": "allow", "external_directory": "deny"}
OWN_CONFIG = ("provider", "enabled_providers", "disabled_providers")
"""What the user may put into opencode's configuration: where models are, nothing that gives rights or runs programs."""

EMPTY_STEPS = 5
"""Steps in a row without a token after which it is clear that opencode would go on like this for ever."""

ATTEMPTS = 3
"""How often opencode may fail and try again by itself before the call is given up."""

FIXED = {
    "OPENCODE_DB": ":memory:",
    "npm_config_offline": "true",
    "npm_config_registry": "http://127.0.0.1:9",
    **dict.fromkeys(
        (
            *("OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE"),
            *("OPENCODE_DISABLE_DEFAULT_PLUGINS", "OPENCODE_DISABLE_CLAUDE_CODE", "OPENCODE_DISABLE_EXTERNAL_SKILLS"),
            *("OPENCODE_DISABLE_SHARE", "OPENCODE_DISABLE_LSP_DOWNLOAD"),
        ),
        "1",
    ),
}

REPOSITORY = {
    "cwd/.git/HEAD": b"ref: refs/heads/main\n",
    "cwd/.git/config": b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    "cwd/.git/objects/info/.keep": b"",
    "cwd/.git/refs/heads/.keep": b"",
}
"""An empty repository: without one of its own, opencode takes its configuration from the folders above."""

DIALECT = Dialect(
    noise=re.compile(
        r"(?:timestamp=\S+ level=.*|> \S+ · .*|! +(?=permission)|Error: (?:Unexpected error$)?|EPIPE: .*|(?:fd|syscall|errno|code): .*)"
    ),
    kinds=(
        (K.DENIED, r"auto-rejecting|rejected permission|permission requested"),
        (K.VENDOR_CONFIG, r"is not valid JSON|Config file|Falling back to default agent"),
        (K.TOO_LONG, r"context_length_exceeded|ContextOverflow|request_too_large"),
        (K.OVERLOADED, r"database is locked|SQLITE_BUSY|server_error"),
        (K.QUOTA, r"insufficient_quota|exceeded your current quota|payment required|billing"),
        (K.NOT_LOGGED_IN, r"incorrect API key|invalid_api_key"),
        (K.UNKNOWN_MODEL, r"ModelNotFound|model_not_found"),
        (K.REFUSED, r"content filter"),
        (K.NETWORK, r"cannot connect to API|socket connection|unable to connect|getaddrinfo|ECONN|error decoding"),
        (K.SESSION_LOST, r"Session not found"),
    ),
)

_BY_NAME = {
    "ContextOverflowError": K.TOO_LONG,
    "ContentFilterError": K.REFUSED,
    "ProviderAuthError": K.NOT_LOGGED_IN,
    "ProviderModelNotFoundError": K.UNKNOWN_MODEL,
    "MessageOutputLengthError": K.TRUNCATED,
    "ConfigInvalidError": K.VENDOR_CONFIG,
    "ConfigJsonError": K.VENDOR_CONFIG,
}


def build(ask: Ask, place: Place) -> Command | Failure:
    """The command for one question, or why there is none: without a model opencode would send it to a hosted service."""
    named = model(ask)
    own = ask.options.get("config") or {}
    wrong = _wrong_model(named) or _wrong_config(own)
    if wrong or not named:
        return failure(K.VENDOR_CONFIG, wrong or "")
    agent = "debater-" + (re.sub(r"[^0-9A-Za-z]", "", place.folder.name) or "x")
    view = (f"--dir={ask.view}",) if ask.view else ()
    config = _config(own, named, agent, READ_RIGHTS if ask.view else NO_RIGHTS)
    return Command(
        argv=(
            *(str(place.program), "run", "--pure", "--format=json", "--title=x", f"--agent={agent}"),
            *("--print-logs", "--log-level=ERROR"),
            *flags(ask),
            *((f"--session={ask.continues}",) if ask.continues else ()),
            *view,
        ),
        stdin=ask.prompt.encode("utf-8", "replace"),
        env={
            **child_environment(OPENCODE, place, ask.options),
            **FIXED,
            **({"OPENCODE_DB": str(place.folder / "sessions.db")} if ask.keep else {}),
            **{name: place.environ[name] for name in _keys(own) if name in place.environ},
            "XDG_CONFIG_HOME": str(place.folder / "xdg"),
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        },
        cwd=place.folder / "cwd",
        files=REPOSITORY,
    )


def _wrong_model(named: str | None) -> str | None:
    line = 'in the settings: [tools.opencode] model = "PROVIDER/MODEL" (`opencode models` lists them)'
    if not named:
        return f"no model is set, and opencode would send the prompt to a hosted service of its own choice; add this line {line}"
    return (
        None
        if re.match(r"[^/\s]+/\S", named)
        else f'"{named}" names no provider; write PROVIDER/MODEL, for example {line}'
    )


def _wrong_config(own: Any) -> str | None:
    if not isinstance(own, Mapping):
        return "tools.opencode.config must be a table"
    strange = next((name for name in own if name not in OWN_CONFIG), None)
    if strange:
        return f'tools.opencode.config may hold {", ".join(OWN_CONFIG)}, not "{strange}"'
    if any(not _KEY.fullmatch(key) for key in _api_keys(own)):
        return 'write apiKey in tools.opencode.config as "{env:NAME}": a key itself would be visible to others'
    return None


_KEY = re.compile(r"\{env:(\w+)\}")


def _api_keys(own: Mapping[str, Any]) -> list[str]:
    providers = own.get("provider")
    rows = providers.values() if isinstance(providers, Mapping) else ()
    return [key for row in rows if isinstance(key := part(row, "options", "apiKey"), str)]


def _keys(own: Mapping[str, Any]) -> set[str]:
    """The variables that the user's own provider settings name."""
    return set(_KEY.findall(json.dumps(own.get("provider"))))


def _config(own: Mapping[str, Any], named: str, agent: str, rights: Mapping[str, str]) -> Mapping[str, Any]:
    """The whole configuration: an agent under a name that no repository can have defined, with no rights but reading."""
    debater = {
        "mode": "primary",
        "prompt": "You take part in a debate. Answer what you are asked.",
        "permission": rights,
    }
    return {
        "enabled_providers": [named.split("/", maxsplit=1)[0]],
        **own,
        "permission": rights,
        "agent": {agent: debater},
        "default_agent": agent,
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
        "lsp": False,
        "formatter": False,
    }


def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    """Follows the steps, and on stderr the log: retries are told nowhere else. `tally` counts what brought nothing."""
    if stream == "stderr":
        return _failing(replace(progress, hopeless=progress.hopeless or _unsafe(line)), line)
    event = value(line) or {}
    found = event.get("part")
    match event.get("type"):
        case "text":
            written = progress.written + len(text_of(part(found, "text")))
            return replace(progress, written=written, activity=writing(written), tally=0)
        case "tool_use":
            doing = using(str(part(found, "tool")), part(found, "state", "input"))
            return replace(progress, written=0, activity=doing, tally=0)
        case "step_finish":
            return _step_finished(progress, found)
        case _:
            return progress


def _failing(progress: Progress, line: bytes) -> Progress:
    """A failed request: too many of them are too many, and what only the user can mend is not waited for."""
    failed = _logged(line)
    if not failed or progress.hopeless:
        return progress
    final = failed.kind in (K.QUOTA, K.NOT_LOGGED_IN, K.UNKNOWN_MODEL) or progress.tally + 1 >= ATTEMPTS
    return replace(progress, tally=progress.tally + 1, hopeless=failed if final else None)


_LOG = re.compile(rb'level=ERROR .*?(?:message="stream error"|ref=err_).*?\berror(?:\.error)?=("(?:[^"\\]|\\.)*")')


def _logged(stderr: bytes) -> Failure | None:
    """The failure that the last line of the log tells of."""
    found = _LOG.findall(stderr)
    if not found:
        return None
    words = re.sub(r"^AI_\w+: | \(cause: .*", "", _unquoted(found[-1].decode("utf-8", "replace")))
    kind = DIALECT.kind(words) or K.OVERLOADED
    return failure(kind, f"{words} Or its provider has no login." if kind is K.UNKNOWN_MODEL else words)


def _unquoted(text: str) -> str:
    """The text that this JSON string stands for."""
    try:
        return text_of(json.loads(text))
    except ValueError:
        return text


def _step_finished(progress: Progress, step: Any) -> Progress:
    if part(step, "reason") not in ("unknown", "tool-calls"):
        return replace(progress, complete=True)
    empty = part(step, "reason") == "unknown" and not part(step, "tokens", "output")
    tally = progress.tally + 1 if empty else 0
    loops = f"{EMPTY_STEPS} steps in a row without a word: what the model service sends is not a model's answer"
    return replace(
        progress, tally=tally, hopeless=failure(K.NETWORK, loops) if tally >= EMPTY_STEPS else progress.hopeless
    )


def _unsafe(stderr: bytes) -> Failure | None:
    """Our agent was not taken: another one would have answered, with rights that participants never get."""
    line = re.search(rb"agent .*Falling back to default agent", stderr)
    return failure(K.VENDOR_CONFIG, line[0].decode("utf-8", "replace")) if line else None


def _helped(stderr: bytes) -> Failure | None:
    """opencode does not name the flag that it does not know."""
    helped = stderr.lstrip().startswith(b"opencode run [message")
    return failure(K.UNSUPPORTED_FLAG, "printed its help instead: it does not know a flag of ours") if helped else None


_BULK = re.compile(rb'\s*\{"type":\s*"(?:reasoning"|tool_use".{0,400}"status":\s*"completed")')


def keep(line: bytes) -> bool:
    """All but thoughts and the contents of files: a tool call that went well is followed by a new step in any case."""
    return not _BULK.match(line)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope from the events: the text of the last step, unless an error or the reason for its end says otherwise."""
    found = values(finished.stdout)
    events = [
        e for e in found if e.get("type") in ("step_start", "step_finish", "text", "tool_use", "reasoning", "error")
    ]
    text, calls = _last_text(events), [e for e in events if e.get("type") == "tool_use"]
    ends = [e.get("part") for e in events if e.get("type") == "step_finish"]
    logged = _logged(finished.stderr)
    error = next((part(e, "error") for e in reversed(events) if e.get("type") == "error"), None)
    reason = part(ends[-1], "reason") if ends else None
    complete = reason in ("stop", "unknown") if finished.exit_code == 0 else reason == "stop"
    told = (
        _unsafe(finished.stderr) or _helped(finished.stderr) or _failed(error, logged) or _cut(reason, text, finished)
    )
    said = Said(
        text=text,
        complete=complete,
        failure=told or (None if complete else logged),
        structured=bool(events),
        session_id=next((text_of(e.get("sessionID")) for e in events if e.get("sessionID")), None),
        usage=_usage(ends),
        notes=_notes(calls),
    )
    return envelope(ask, finished, said, DIALECT)


def _last_text(events: list[dict[str, Any]]) -> str:
    text = ""
    for event in events:
        match event.get("type"):
            case "step_start" | "tool_use":
                text = ""
            case "text":
                text += text_of(part(event, "part", "text"))
            case _:
                pass
    return text


def _cut(reason: str | None, text: str, finished: Finished) -> Failure | None:
    """What the reason of the last step says against its text."""
    if reason == "length":
        return failure(K.TRUNCATED, "the model reached its length limit (reason: length)")
    if reason == "content-filter":
        return failure(K.REFUSED, "the provider's content filter ended the answer")
    if reason == "tool-calls" and not text and finished.exit_code == 0:
        asked = [line for line in DIALECT.lines(finished.stderr) if "auto-rejecting" in line]
        return failure(K.DENIED, asked[0] if asked else "ended after a tool call that was refused, without an answer")
    return None


def _failed(error: Any, logged: Failure | None) -> Failure | None:
    """The failure that an error event names: by its class, its words, its HTTP status."""
    if error is None:
        return None
    name, data = text_of(part(error, "name")), part(error, "data")
    words, body = text_of(part(data, "message")), text_of(part(data, "responseBody"))
    if name == "UnknownError" and words.startswith("Unexpected server error"):
        return logged or failure(
            K.UNKNOWN_MODEL, f"{words}\nopencode says so of a model or provider that it does not know"
        )
    status = count(part(data, "statusCode")) or 0
    kind = _BY_NAME.get(name) or DIALECT.kind(f"{words} {body}" if status in (0, 400, 429) else "") or by_status(status)
    words = inner(words).text or name
    return failure(kind or K.CRASHED, f"HTTP {status}: {words}" if status else words)


def _usage(steps: list[Any]) -> Usage:
    """The sum over the steps; a step's input does not hold what came from the cache, nor its output the thoughts."""
    inputs = [
        (part(s, "tokens", "input"), part(s, "tokens", "cache", "read"), part(s, "tokens", "cache", "write"))
        for s in steps
    ]
    outputs = [(part(s, "tokens", "output"), part(s, "tokens", "reasoning")) for s in steps]
    costs = [c for s in steps if (c := cost(part(s, "cost"))) is not None]
    return Usage(input_tokens=_sum(inputs), output_tokens=_sum(outputs), cost_usd=sum(costs) if any(costs) else None)


def _sum(rows: list[tuple[Any, ...]]) -> int | None:
    counts = [c for row in rows for v in row if (c := count(v)) is not None]
    return sum(counts) if counts else None


def _notes(calls: list[dict[str, Any]]) -> tuple[str, ...]:
    blind = any("ripgrep" in str(part(call, "part", "state")) for call in calls)
    return ("opencode could not search: the program rg (ripgrep) is not on PATH",) if blind else ()


OPENCODE = Adapter(
    name="opencode",
    executable="opencode",
    install="npm install -g opencode-ai",
    login="opencode auth login",
    read_only="an agent with `read`, `grep`, `glob` and a denial of all else; project config, plugins and skills are off",
    usage="tokens",
    continuable=True,
    build=build,
    read=read,
    watch=watch,
    keep=keep,
    env=(
        *("ANTHROPIC_*", "OPENAI_*", "GEMINI_API_KEY", "OPENCODE_API_KEY", "OPENCODE_MODELS_URL", *GOOGLE, *AWS),
        *(*AZURE,),
        *("OPENROUTER_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY"),
        *("CEREBRAS_API_KEY",),
        *("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "FIREWORKS_API_KEY", "PERPLEXITY_API_KEY", "COHERE_API_KEY"),
        *("MOONSHOT_API_KEY", "ZHIPU_API_KEY", "ZAI_API_KEY", "DASHSCOPE_API_KEY", "HF_TOKEN", "GITHUB_TOKEN"),
        *("CLOUDFLARE_*", "VERTEX_LOCATION", "OLLAMA_HOST"),
    ),
)
