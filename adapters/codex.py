"""Codex CLI: one question to `codex exec --json`, in a permission profile of our own (measured with 0.171.0)."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from adapters import efforts
from adapters.activity import using, writing
from adapters.codex_answer import read, reconnect
from adapters.codex_arguments import keys, opening, without_retries
from adapters.codex_native import native
from adapters.environment import AWS, AZURE, child_environment, names
from adapters.failing import failure
from adapters.reading import part, text_of, value
from adapters.spec import Adapter, Ask, Command, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Failure

K = FailureKind

_FIXED = (
    *("exec", "--strict-config", "--json", "--skip-git-repo-check"),
    *("--ignore-user-config", "--ignore-rules", "--color", "never"),
)
_SETTINGS = (
    'default_permissions="debate"',  # never with --sandbox: that would switch the profile off
    "allow_login_shell=false",
    'shell_environment_policy.inherit="core"',
    'shell_environment_policy.set={GIT_CONFIG_NOSYSTEM="1"}',
    'web_search="disabled"',
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "features.plugins=false",
    "features.multi_agent=false",
    "features.goals=false",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
)
_NO_SHELL = ("features.shell_tool=false", "features.unified_exec=false")
_LIMIT_CHARACTERS = 1_048_576
_NEVER_MENDED = (K.NOT_LOGGED_IN, K.QUOTA, K.TOO_LONG, K.UNKNOWN_MODEL, K.REFUSED, K.TRUNCATED)


def build(ask: Ask, place: Place) -> Command | Failure:
    """The command for one question, or why it may not be asked.

    Commands of the model run in codex's sandbox and read the view; without one there are none.
    """
    cwd, extra = ask.view or place.folder / "cwd", names(ask.options.get("extra_args"))
    if wide := opening(extra):
        return failure(
            K.VENDOR_CONFIG, f"extra_args of codex holds {wide}, which would open what keeps it to reading the view"
        )
    settings = (
        *_SETTINGS,
        _profile(ask.view, place.program),
        *(() if ask.view else _NO_SHELL),
        *without_retries(extra),
    )
    env = child_environment(CODEX, place, {"pass_env": (*names(ask.options.get("pass_env")), *keys(extra))})
    home = _home(ask, place, env, keys(extra))
    return Command(
        argv=(
            *(str(place.program), *_FIXED, "-C", str(cwd)),
            *(() if ask.keep else ("--ephemeral",)),
            *(word for setting in settings for word in ("-c", setting)),
            *efforts.flags(ask),
            *extra,
            *(("resume", ask.continues) if ask.continues else ()),
            "-",
        ),
        stdin=ask.prompt.encode("utf-8", "replace"),
        env={**env, **home},
        cwd=cwd,
        files={"x/of-a-debate": b""} if home else {},  # codex wants its home to be there
    )


def _home(ask: Ask, place: Place, env: Mapping[str, str], own: Sequence[str]) -> Mapping[str, str]:
    """Where a session that is to be continued lies: in the seat's folder, or with the user's login in the user's own."""
    private = ask.keep is not None and any(env.get(name) for name in ("CODEX_API_KEY", *own))
    return {"CODEX_HOME": str(place.folder / "x")} if private else {}


def _profile(view: Path | None, program: Path) -> str:
    """What the sandbox lets commands read: the system's minimum, the view without `.env` files, codex's own programs."""
    rights = {":minimal": "read", "/etc": "deny"}
    if view:
        ours = native(program)
        rights |= {str(view): "read", str(ours.program): "read"}
        rights |= {str(ours.tools): "read"} if ours.tools else {}
        rights |= {f"{view}/{name}": "deny" for name in (".env", ".env.*", "**/.env", "**/.env.*")}
    table = ",".join(f'{_quoted(path)}="{right}"' for path, right in rights.items())
    return f"permissions.debate.filesystem={{{table}}}"


def _quoted(path: str) -> str:
    """A string of TOML: as in JSON, but that DEL may not stand in it."""
    return json.dumps(path, ensure_ascii=False).replace("\x7f", "\\u007f")


def watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    """Folds one line of the stream into the progress."""
    event = value(line) if stream == "stdout" and not progress.hopeless else None
    match part(event, "type"):
        case "item.started" | "item.updated" | "item.completed":
            return _item(progress, part(event, "item", "type"), part(event, "item"))
        case "turn.started":
            return Progress("thinks", 0)
        case "turn.completed" | "turn.failed":
            return Progress(progress.activity, progress.written, complete=True)
        case "error":
            return _reconnecting(progress, text_of(part(event, "message")))
        case _:
            return progress


def _item(progress: Progress, kind: object, item: object) -> Progress:
    match kind:
        case "command_execution":
            return Progress(
                using("command_execution", {"command": _plain(text_of(part(item, "command")))}), progress.written
            )
        case "agent_message":
            text = text_of(part(item, "text"))
            return Progress(writing(len(text)), len(text), tally=progress.tally) if text else progress
        case "reasoning":
            return Progress("thinks", progress.written)
        case _:
            return progress


def _plain(command: str) -> str:
    """The command without the shell that codex wraps round it."""
    return re.sub(r"^\S*/(?:ba|z)?sh -l?c (['\"]?)(.*)\1$", r"\2", command, flags=re.DOTALL)


def _reconnecting(progress: Progress, message: str) -> Progress:
    """Codex waits for a network for ever, and tries five times what no trying mends: both are given up the second time.

    What its WebSocket is refused says nothing yet: plain HTTPS comes after it.
    """
    failed = reconnect(message)
    if failed is None:
        return progress
    vain = "waiting for network" in message or (failed.kind in _NEVER_MENDED and not re.search(r"\bwss?://", message))
    tally = progress.tally + vain
    given_up = failed.model_copy(update={"message": f"{failed.message}; given up, as codex would go on trying"})
    activity = f"tries again: {failed.message}"
    return Progress(activity, progress.written, hopeless=given_up if tally > 1 else None, tally=tally)


_USELESS = re.compile(
    rb'\s*\{"type":\s*"item\.(?:updated|completed)",.{0,200}?(?<!\\)"type":\s*"(?:command_execution|reasoning|todo_list|file_change)"'
)
_BLIND = re.compile(rb'"aggregated_output":\s*"[^"]{0,400}bwrap: ')


def keep(line: bytes) -> bool:
    """Whether a stdout line can matter for the answer: what commands printed cannot, unless they could not even start."""
    return not _USELESS.match(line) or bool(_BLIND.search(line))


CODEX = Adapter(
    name="codex",
    executable="codex",
    install="npm install -g @openai/codex",
    login="codex login",
    read_only="its own sandbox under a permission profile: nothing writable, no network; system folders stay readable",
    usage="tokens",
    continuable=True,
    build=build,
    read=read,
    watch=watch,
    keep=keep,
    env=("CODEX_*", "OPENAI_*", *AWS, *AZURE),
    denied_env=(
        *("CODEX_EXEC_SERVER_URL", "CODEX_GITHUB_PERSONAL_ACCESS_TOKEN", "CODEX_INTERNAL_*", "CODEX_PERMISSION*"),
        *("CODEX_SESSION_ID", "CODEX_SNAPSHOT*", "CODEX_STARTING_DIFF", "CODEX_UNSAFE_*"),
    ),
    signals=(15,),
    prompt_limit=lambda _ask: _LIMIT_CHARACTERS,
)
