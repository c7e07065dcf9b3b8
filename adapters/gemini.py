"""Gemini CLI: run in its restricted mode, with a policy that lets it read the view and nothing else."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from adapters.activity import using, writing
from adapters.efforts import flags
from adapters.environment import GOOGLE, child_environment
from adapters.failing import by_status, failure
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import count, part, text_of, value, values
from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind

READ_TOOLS = ("read_file", "list_directory", "grep_search")
"""What it may use. Not `glob`: that lists names outside the view."""

LOGINS = ("GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI", "GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Variables that say how to log in, in gemini's own order."""

ECHO_LIMIT = 48_000
"""The longest echo of a prompt, in bytes, that is safe on a pipe: gemini loses what follows a write over 64 KiB that it
could not make at once (measured: the answer was gone, exit code 0). Longer prompts get the document, which has no echo."""

STDIN_LIMIT = 8_000_000
TOKEN_LIMIT = 1_000_000
ATTEMPTS = 3
"""How often gemini may fail and try again by itself before the call is given up."""

DIALECT = Dialect(
    noise=re.compile(
        r"(?:(?:Warning: |Ripgrep is not|\[STARTUP\]|Loaded cached|Data collection|YOLO mode|Error executing tool|Suggested retry after).*"
        r"|\(node:\d+\).*|\[cause\]: |An unexpected critical error.*"
        r"|Error when talking to Gemini API Full report available at: \S+ "
        r"|Attempt \d+ failed(?: with status \d+)?[:.] (?:Retrying with backoff\.\.\. )?)+"
    ),
    kinds=(
        (K.SESSION_LOST, r"Error resuming session|Invalid session identifier"),
        (K.VENDOR_CONFIG, r"Policy file error|configuration file|Skipping system settings|trusted directory"),
        (
            K.NOT_LOGGED_IN,
            r"IneligibleTierError|not supported for individual accounts|API_KEY_INVALID|API key not valid",
        ),
        (K.NOT_LOGGED_IN, r"invalid_grant|set an Auth method|must specify the GEMINI_API_KEY|Invalid auth method"),
        (K.TOO_LONG, r"exceeds the maximum number of tokens"),
        (K.QUOTA, r"PerDay|TerminalQuotaError|daily quota"),
        (K.OVERLOADED, r"overloaded|UNAVAILABLE|status:? 5\d\d"),
        (K.RATE_LIMITED, r"PerMinute|retry (?:in|after) [\d.]+ ?m?s|RetryableQuotaError"),
        (K.QUOTA, r"RESOURCE_EXHAUSTED|has been exhausted"),
        (K.UNKNOWN_MODEL, r"ModelNotFoundError|is not found for API version"),
        (K.REFUSED, r"blocked due to|SAFETY_BLOCKED|PROHIBITED_CONTENT"),
        (K.EMPTY, r"empty response|without a finish reason"),
        (K.TRUNCATED, r"Loop detected"),
        (K.DENIED, r"needs? confirmation|requires confirmation"),
        (
            K.NETWORK,
            r"fetch failed|ECONN|EAI_AGAIN|socket|^terminated|other side closed|in JSON at position|JSON segment",
        ),
    ),
    exits={41: K.NOT_LOGGED_IN, 44: K.VENDOR_CONFIG, 52: K.VENDOR_CONFIG, 53: K.VENDOR_CONFIG, 55: K.VENDOR_CONFIG},
)


def build(ask: Ask, place: Place) -> Command:
    """The command for one question: settings and policy lie in the private folder, with an API key the home does too."""
    policy = place.folder / "ro.toml"
    env = child_environment(GEMINI, place, ask.options)
    env |= _home_key(env)
    way, prompt = _way(env), _harmless(ask.prompt)
    home = {"GEMINI_CLI_HOME": str(place.folder / "g")}
    system = {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(place.folder / "system.json")}
    return Command(
        argv=(
            str(place.program),
            f"--output-format={'stream-json' if _echo(prompt) <= ECHO_LIMIT else 'json'}",
            *flags(ask),
            *((f"--resume={ask.continues}",) if ask.continues else ()),
            "--approval-mode=default",
            f"--policy={policy}",
            f"--admin-policy={policy}",
            "--extensions=none",
            "--allowed-mcp-server-names=none",
        ),
        stdin=prompt.encode("utf-8", "replace"),
        env=env | {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_RESTRICTED_MODE": "true"} | (home if way else system),
        cwd=ask.view or place.folder / "cwd",
        files={
            "ro.toml": _policy(READ_TOOLS if ask.view else ()),
            ("g/.gemini/settings.json" if way else "system.json"): json.dumps(_settings(way)).encode(),
        },
    )


def _echo(prompt: str) -> int:
    """The size in bytes of the prompt as gemini repeats it in its events."""
    return len(json.dumps(prompt, ensure_ascii=False).encode("utf-8", "replace"))


def _way(env: Mapping[str, str]) -> str | None:
    """Gemini's name for the login that the environment holds; None: the one in the user's ~/.gemini, which cannot move."""
    first = next((name for name in LOGINS if env.get(name) and ("_USE_" not in name or env[name] == "true")), "")
    return {"GEMINI_API_KEY": "gemini-api-key", "GOOGLE_GENAI_USE_GCA": None, "": None}.get(first, "vertex-ai")


def _home_key(env: Mapping[str, str]) -> Mapping[str, str]:
    """The API key that the user keeps in ~/.gemini/.env (reads that file): in restricted mode gemini does not look there."""
    if any(env.get(name) for name in LOGINS):
        return {}
    try:
        text = (Path(env.get("GEMINI_CLI_HOME") or env.get("HOME", "/")) / ".gemini" / ".env").read_text(
            "utf-8", "replace"
        )
    except OSError:
        return {}
    pairs = re.findall(r"^(?:export\s+)?(\w+)\s*=\s*[\"']?([^\"'\s#]+)", text, re.MULTILINE)
    return {name: value for name, value in pairs if name in LOGINS}


def _harmless(prompt: str) -> str:
    """The prompt without what gemini would act on: `@path` attaches files, a `/` at the very start runs a command."""
    text = prompt.replace("@", "\\@")
    return f"\n{text}" if text.startswith("/") else text


def _policy(allowed: tuple[str, ...]) -> bytes:
    deny = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n'
    allow = f'[[rule]]\ntoolName = {json.dumps(allowed)}\ndecision = "allow"\npriority = 950\n'
    return (deny + (allow if allowed else "")).encode()


def _settings(way: str | None) -> Mapping[str, Any]:
    """No folder of the view is trusted, nothing of it is loaded; retries are ours, where the user sees them."""
    login = {"auth": {"selectedType": way}} if way else {}
    return {
        "security": {"folderTrust": {"enabled": False}, **login},
        "context": {"includeDirectoryTree": False, "fileFiltering": {"enableRecursiveFileSearch": False}},
        "general": {"plan": {"enabled": False}, "maxAttempts": 1, "retryFetchErrors": False},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
    }


def prompt_limit(ask: Ask) -> int:
    """The most characters of a text like this prompt that gemini takes.

    It reads 8 MiB and counts a quarter of a token for an ASCII character and 1.3 for another one; what is over its
    context window it drops without a word.
    """
    size = max(len(ask.prompt), 1)
    foreign = sum(not c.isascii() for c in ask.prompt) / size
    width = len(ask.prompt.encode("utf-8", "replace")) / size or 1
    return int(min(STDIN_LIMIT / width, TOKEN_LIMIT / (0.25 * (1 - foreign) + 1.3 * foreign), 3_500_000))


def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    """Follows the events on stdout and the retries on stderr."""
    if stream == "stderr":
        return replace(progress, hopeless=progress.hopeless or _hopeless(line.decode("utf-8", "replace")))
    event = value(line) or {}
    match event.get("type"):
        case "message" if event.get("role") == "assistant":
            written = progress.written + len(text_of(event.get("content")))
            return replace(progress, written=written, activity=writing(written))
        case "tool_use":
            return replace(progress, written=0, activity=using(str(event.get("tool_name")), event.get("parameters")))
        case "result":
            return replace(progress, complete=True)
        case _:
            return progress


def _hopeless(line: str) -> Failure | None:
    """A policy that was not read leaves every tool open; a daily quota does not come back; nor does what fails again and again."""
    if "Policy file error" in line:
        return failure(K.VENDOR_CONFIG, line)
    attempt = re.match(r"Attempt (\d+) failed(?: with status (\d+))?", line.strip())
    if not attempt:
        return None
    spent = int(attempt[1]) >= ATTEMPTS or DIALECT.kind(line) is K.QUOTA
    return _failed(DIALECT.plain(line), None, int(attempt[2] or 0)) if spent else None


_ECHO = re.compile(rb'\s*\{"type":\s*"(?:message",(?:\s*"timestamp":\s*"[^"]*",)?\s*"role":\s*"user|tool_result)"')


def keep(line: bytes) -> bool:
    """All but the echo of the prompt and the contents of files."""
    return not _ECHO.match(line)


def read(ask: Ask, finished: Finished) -> Envelope:
    """The envelope from the events, or from a JSON document where this version prints one."""
    found = values(finished.stdout)
    events = [v for v in found if v.get("type") in ("init", "message", "tool_use", "tool_result", "error", "result")]
    document = next((v for v in reversed(found) if _is_document(v)), None)
    said = _from_events(events, ask, finished) if events else _from_document(document, ask, finished)
    return envelope(ask, finished, replace(said, failure=_unsafe(finished) or said.failure), DIALECT)


def _is_document(found: Mapping[str, Any]) -> bool:
    return "response" in found or ("session_id" in found and ("stats" in found or "error" in found))


def _unsafe(finished: Finished) -> Failure | None:
    """A policy that was not read: every tool was open, so what came is not an answer under our rules."""
    line = next((line for line in finished.stderr.splitlines() if b"Policy file error" in line), None)
    return failure(K.VENDOR_CONFIG, line.decode("utf-8", "replace")) if line else None


def _from_events(events: list[dict[str, Any]], ask: Ask, finished: Finished) -> Said:
    text, trouble = "", ""
    for event in events:
        match event.get("type"):
            case "message" if event.get("role") == "assistant":
                text += text_of(event.get("content"))
            case "tool_use":
                text = ""
            case "error":
                trouble = text_of(event.get("message"))
            case _:
                pass
    result = next((e for e in reversed(events) if e.get("type") == "result"), {})
    init = next((e for e in events if e.get("type") == "init"), {})
    trouble = text_of(part(result, "error", "message")) or trouble
    failed = result.get("status") == "error" or "Loop detected" in trouble
    return Said(
        text=text,
        complete=bool(result),
        failure=_broken_off(text, _failed(trouble, finished)) if failed else _unsent(result, ask),
        structured=True,
        model=_model(result.get("stats"), text_of(init.get("model"))),
        session_id=text_of(init.get("session_id")) or None,
        usage=_usage(result.get("stats")),
    )


def _from_document(document: Mapping[str, Any] | None, ask: Ask, finished: Finished) -> Said:
    """A document on stdout is an answer, perhaps with an error; gemini prints its failures on stderr."""
    errors = [v for v in values(finished.stderr) if part(v, "error", "message") or part(v, "error", "code")]
    error = part(document, "error") or (part(errors[-1], "error") if errors and not document else None)
    warning = next((w for w in part(document, "warnings") or () if "Loop detected" in str(w)), None)
    trouble = json.dumps({"error": error}, ensure_ascii=False) if error else warning
    return Said(
        text=text_of(part(document, "response")),
        complete=document is not None,
        failure=_failed(trouble, finished) if trouble else _unsent(document, ask),
        structured=document is not None,
        model=_model(part(document, "stats"), ""),
        session_id=text_of(part(document, "session_id")) or None,
        usage=_usage(part(document, "stats")),
    )


def _unsent(end: Mapping[str, Any] | None, ask: Ask) -> Failure | None:
    """A success without a single request: what gemini does with a prompt over its context window."""
    if part(end, "stats", "models") == {} and len(ask.prompt) > TOKEN_LIMIT:
        return failure(
            K.TOO_LONG, "gemini sent nothing to the model and said nothing: the prompt is longer than it takes"
        )
    return None


def _broken_off(text: str, failed: Failure) -> Failure:
    """A stream that ended early is an empty answer only if nothing had come."""
    early = failed.kind is K.EMPTY and bool(text.strip())
    return failure(K.NETWORK, failed.message) if early else failed


def _failed(trouble: str, finished: Finished | None, status: int = 0) -> Failure:
    """The failure that gemini's own error text ("[API Error: ...]" and advice) speaks of.

    Its words tell first, then the HTTP status, which the exit code holds modulo 256.
    """
    trouble = re.sub(r"^\[API Error: (.*)\][^\]]*$", r"\1", trouble, flags=re.DOTALL)
    code, told = _unwrapped(trouble)
    words = " ".join(DIALECT.lines(told.encode("utf-8", "replace"))) or told
    exit_code = (finished and finished.exit_code) or 0
    status = status or (code if code >= 400 else exit_code + 256 if 144 <= exit_code <= 255 else 0)
    kind = (
        DIALECT.exits.get(exit_code) or DIALECT.kind(words) or DIALECT.kind(trouble) or by_status(status) or K.CRASHED
    )
    plain = [line for line in DIALECT.lines(finished.stderr) if DIALECT.kind(line) is kind] if finished else []
    first = next((f"{line}\n" for line in plain if words not in line and "{" not in line), "")
    return failure(kind, f"{first}HTTP {status}: {words}" if status else f"{first}{words}")


def _unwrapped(trouble: str) -> tuple[int, str]:
    """Code and words of an error that may hold another one as JSON, down to the innermost."""
    start, end = trouble.find("{"), trouble.rfind("}")
    try:
        error = part(json.loads(trouble[start : end + 1]), "error") if 0 <= start < end else None
    except ValueError:
        error = None
    if not isinstance(error, dict):
        return 0, trouble
    code, words = _unwrapped(text_of(error.get("message")))
    quota = re.search(r'"(?:quota_limit|quotaId)": ?"([^"]+)"', trouble)
    words = words or text_of(error.get("status")) or "no words"
    return code or count(error.get("code")) or 0, f"{words} ({quota[1]})" if quota else words


def _model(stats: Any, named: str) -> str | None:
    """The model that answered: the one with the main role, else the only one, else the one named at the start."""
    models = part(stats, "models") or {}
    main = [name for name in models if part(models, name, "roles", "main") is not None] or list(models)
    if len(main) == 1:
        return main[0]
    return named if named in main else None


def _usage(stats: Any) -> Usage:
    models = part(stats, "models")
    tokens = [part(m, "tokens") for m in models.values()] if isinstance(models, dict) else []
    return Usage(
        input_tokens=count(part(stats, "input_tokens")) or _sum(tokens, ("prompt",)),
        output_tokens=count(part(stats, "output_tokens")) or _sum(tokens, ("candidates", "thoughts")),
    )


def _sum(tokens: list[Any], names: tuple[str, ...]) -> int | None:
    counts = [c for t in tokens for name in names if (c := count(part(t, name))) is not None]
    return sum(counts) if counts else None


GEMINI = Adapter(
    name="gemini",
    executable="gemini",
    install="npm install -g @google/gemini-cli",
    login="gemini",
    read_only="a policy of three reading tools and nothing else; restricted mode, so that nothing of the folder is trusted",
    usage="tokens",
    continuable=True,
    build=build,
    read=read,
    watch=watch,
    keep=keep,
    env=("GEMINI_*", *GOOGLE, "CODE_ASSIST_ENDPOINT", "CLOUD_SHELL"),
    denied_env=(
        *("GEMINI_CLI", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_IDE_*", "GEMINI_CLI_TRUST*", "GEMINI_SANDBOX*"),
        *("GEMINI_SYSTEM_MD", "GEMINI_WRITE_SYSTEM_MD", "GEMINI_DEBUG_LOG_FILE", "GEMINI_CLI_ACTIVITY_LOG_TARGET"),
        *("GEMINI_CONTEXT_TRACE_DIR", "GEMINI_EXP", "GEMINI_CLI_INTEGRATION_TEST", "GEMINI_PTY_INFO"),
    ),
    prompt_limit=prompt_limit,
)
