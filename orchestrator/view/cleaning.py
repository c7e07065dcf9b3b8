"""Which files of a project participants never see: what would steer an agent, and what holds credentials.

The names are data. They match at any depth, files and folders alike, whatever their case; a folder that matches takes
everything below it along. Only whole names, beginnings and endings count, never a word inside a name: `netrc.py` stays.
"""

import unicodedata
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Why a file is left out of the view."""

    INSTRUCTION = "instruction"
    CREDENTIAL = "credential"
    REPOSITORY = "repository"


class Match(NamedTuple):
    """What matched: the reason, and the part of the path that did ("sub/.claude" of "sub/.claude/settings.json")."""

    reason: Reason
    path: str


def words(text: str) -> frozenset[str]:
    """The words of a table of names."""
    return frozenset(text.split())


# Instructions, settings, skills, hooks and search filters of coding agents.
INSTRUCTIONS = words(
    """
    agent.md agents.md agents.override.md claude.md claude.local.md gemini.md context.md qwen.md crush.md warp.md
    .claude .claude-plugin .claude.json .claudeignore .gemini .geminiignore .codex .opencode opencode.json
    opencode.jsonc .copilot .copilotignore .kiro .kiroignore .agent .agents .mcp.json copilot-instructions.md
    .cursor .cursorrules .cursorignore .cursorindexingignore .windsurf .windsurfrules .codeiumignore .cline .clinerules
    .clineignore .roo .roorules .rooignore .rules .kilocode .continue .continuerules .junie .aiexclude .aiignore
    .aider.conf.yml .aiderignore .amazonq .amp .augment .augment-guidelines .crush .factory .goose .goosehints
    .openhands .qwen .tabnine .trae .antigravity .ignore .rgignore
    """
)
INSTRUCTIONS_IN = frozenset(
    {
        (".github", "agents"),
        (".github", "chatmodes"),
        (".github", "copilot"),
        (".github", "hooks"),
        (".github", "instructions"),
        (".github", "mcp.json"),
        (".github", "prompts"),
        (".github", "skills"),
        (".idx", "airules.md"),
        (".vscode", "mcp.json"),
    }
)

CREDENTIALS = words(
    """
    .env .envrc .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .mylogin.cnf .htpasswd .vault-token .boto
    .s3cfg .dockercfg .terraformrc .ssh .gnupg .azure .gcloud application_default_credentials.json
    """
)
CREDENTIAL_STARTS = (".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
CREDENTIAL_ENDS = (".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx", ".tfstate", ".env")
CREDENTIALS_IN = frozenset(
    {
        (".aws", "credentials"),
        (".cargo", "credentials"),
        (".cargo", "credentials.toml"),
        (".composer", "auth.json"),
        (".docker", "config.json"),
        (".gem", "credentials"),
        (".kube", "config"),
        ("gcloud", "credentials.db"),
        ("gh", "hosts.yml"),
    }
)
# Templates for `.env`: not in the view, whose rule is `.env.*`, but fit to be shown when the user names them.
ENV_TEMPLATES = frozenset({".env.dist", ".env.example", ".env.sample", ".env.template"})

REPOSITORIES = frozenset({".git", ".hg", ".svn", ".jj"})


def match(path: str) -> Match | None:
    """What in this relative path (with `/`) keeps its file out of the view, or None."""
    for index, (above, name) in enumerate(_steps(path)):
        if reason := _reason(above, name):
            return Match(reason, "/".join(path.split("/")[: index + 1]))
    return None


def is_secret(path: str) -> bool:
    """Whether this relative path names a credential file or lies in a repository's own folder."""
    reasons = {_reason(above, name) for above, name in _steps(path) if name not in ENV_TEMPLATES}
    return not reasons.isdisjoint({Reason.CREDENTIAL, Reason.REPOSITORY})


def _steps(path: str) -> list[tuple[str, str]]:
    """Each name of the path with the one above it, folded."""
    names = _folded(path).split("/")
    return list(zip(["", *names], names, strict=False))


def _reason(above: str, name: str) -> Reason | None:
    if name in REPOSITORIES:
        return Reason.REPOSITORY
    if name in CREDENTIALS or name.startswith(CREDENTIAL_STARTS) or name.endswith(CREDENTIAL_ENDS):
        return Reason.CREDENTIAL
    if (above, name) in CREDENTIALS_IN:
        return Reason.CREDENTIAL
    return Reason.INSTRUCTION if name in INSTRUCTIONS or (above, name) in INSTRUCTIONS_IN else None


def _folded(path: str) -> str:
    """The path as a file system that ignores case, invisible characters or trailing dots would compare it."""
    if not path.isascii():
        visible = (c for c in unicodedata.normalize("NFC", path) if unicodedata.category(c) != "Cf")
        path = "".join(visible).casefold()
    return "/".join(name.rstrip(". ") for name in path.lower().split("/"))
