"""Claude Code: one question to `claude -p`, with a stream of JSON events on stdout (measured with 2.1.197)."""

import re
from collections.abc import Mapping
from typing import Any

from adapters import efforts
from adapters.activity import using, writing
from adapters.claude_answer import read
from adapters.environment import AWS, AZURE, GOOGLE, child_environment, names
from adapters.failing import judged
from adapters.reading import count, part, text_of, value
from adapters.spec import Adapter, Ask, Command, Place, Progress, Stream
from state.failures import FailureKind

_READ_ONLY = (
    *("--permission-mode", "dontAsk"),
    # the user's own allow rules and hooks would apply; without them their `apiKeyHelper` does not apply, either
    *("--setting-sources", ""),
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--disallowedTools=Read(**/.env),Read(**/.env.*)",
)
_SWITCHES = {
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",  # else `@path` in a prompt attaches the file, wherever it lies
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
}
_LIMIT_CHARACTERS = 2_500_000
"""Claude takes 10 MB on stdin, and a character has at most 4 bytes."""


def build(ask: Ask, place: Place) -> Command:
    """The command for one question. Tools read below the current folder, which is the view; without one there are none."""
    env = child_environment(CLAUDE, place, ask.options)
    return Command(
        argv=(
            *(str(place.program), "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
            *("--tools", "Read,Grep" if ask.view else ""),  # not Glob: it lists names outside the view
            *_READ_ONLY,
            *(() if ask.keep else ("--no-session-persistence",)),
            *((f"--resume={ask.continues}",) if ask.continues else ()),
            *efforts.flags(ask),
            *names(ask.options.get("extra_args")),
        ),
        stdin=_harmless(ask.prompt).encode("utf-8", "replace"),
        env={**env, **_SWITCHES, **_home(ask, place, env)},
        cwd=ask.view or place.folder / "cwd",
    )


_KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
)
"""Variables that log in by themselves, so that the user's own folder is not needed."""


def _home(ask: Ask, place: Place, env: Mapping[str, str]) -> Mapping[str, str]:
    """Where a session that is to be continued lies: in the seat's folder, or with the user's login in the user's own."""
    private = ask.keep is not None and any(env.get(name) for name in _KEYS)
    return {"CLAUDE_CONFIG_DIR": str(place.folder / "c")} if private else {}


def _harmless(prompt: str) -> str:
    """A slash as the very first character would begin a command of claude's own."""
    return "\n" + prompt if prompt.startswith("/") else prompt


def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    """Folds one line of the stream into the progress."""
    event = value(line) if stream == "stdout" and not progress.hopeless else None
    if event is None:
        return progress
    match event.get("type"):
        case "stream_event":
            return _delta(progress, event.get("event"))
        case "assistant":
            return _blocks(progress, part(event, "message", "content"))
        case "system" if event.get("subtype") == "api_retry":
            return _retry(progress, event)
        case "result":
            return Progress(progress.activity, progress.written, complete=True)
        case _:
            return progress


def _delta(progress: Progress, event: Any) -> Progress:
    if part(event, "type") == "message_start":
        return Progress(progress.activity)
    if text := text_of(part(event, "delta", "text")):
        written = progress.written + len(text)
        return Progress(writing(written), written)
    if "thinking" in (part(event, "content_block", "type"), str(part(event, "delta", "type")).removesuffix("_delta")):
        return Progress("thinks", progress.written)
    return progress


def _blocks(progress: Progress, content: Any) -> Progress:
    for block in content if isinstance(content, list) else ():
        if part(block, "type") == "tool_use":
            progress = Progress(using(text_of(part(block, "name")).lower(), part(block, "input")), progress.written)
        elif text := text_of(part(block, "text")):
            written = max(progress.written, len(text))
            progress = Progress(writing(written), written)
    return progress


def _retry(progress: Progress, event: dict[str, Any]) -> Progress:
    """A refused login is tried again by claude; a first refusal can pass (an expired token is renewed), a third cannot."""
    attempt, status = count(event.get("attempt")) or 0, count(event.get("error_status"))
    reason = text_of(event.get("error")).replace("unknown", "") or "no answer"
    told = f"{reason} (HTTP {status})" if status else reason
    refused = judged(told, status=status, codes=[reason])
    if refused.kind in (FailureKind.NOT_LOGGED_IN, FailureKind.QUOTA) and attempt >= 3:
        return Progress(progress.activity, progress.written, hopeless=refused)
    return Progress(f"tries again after {told}, attempt {attempt}", progress.written)


_USELESS = re.compile(
    rb'\s*\{"type":\s*"(?:stream_event|user)"|\s*\{"type":\s*"system",\s*"subtype":\s*"(?!init|api_retry)'
)


def keep(line: bytes) -> bool:
    """Whether a stdout line can matter for the answer: partial messages and what tools found cannot."""
    return not _USELESS.match(line)


CLAUDE = Adapter(
    name="claude",
    executable="claude",
    install="npm install -g @anthropic-ai/claude-code",
    login="claude auth login",
    read_only="only `Read` and `Grep` exist for the model; settings, hooks, MCP servers and commands are off",
    usage="tokens, price estimate",
    build=build,
    read=read,
    watch=watch,
    keep=keep,
    env=(
        *("ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_*", "CLAUDE_CODE_USE_*"),
        *("CLAUDE_CODE_SKIP_BEDROCK_AUTH", "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH"),
        *("CLAUDE_CODE_CLIENT_*", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"),
        *("API_TIMEOUT_MS", "MAX_THINKING_TOKENS", "DISABLE_PROMPT_CACHING*", "VERTEX_REGION_*"),
        *AWS,
        *AZURE,
        *GOOGLE,
    ),
    denied_env=(
        "ANTHROPIC_LOG",
        "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
        "CLAUDE_CODE_USE_COWORK_*",
        "CLAUDE_CODE_USE_POWERSHELL_TOOL",
    ),
    continuable=True,
    signals=(2, 15),
    prompt_limit=lambda _ask: _LIMIT_CHARACTERS,
)
