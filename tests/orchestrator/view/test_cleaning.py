"""Names of files that participants never see."""

import pytest

from orchestrator.view.cleaning import Reason, is_secret, match, words

INSTRUCTIONS = sorted(
    words("""
CLAUDE.md AGENTS.md AGENTS.override.md GEMINI.md CLAUDE.local.md CONTEXT.md sub/claude.md .claude/settings.json
.gemini/settings.json .codex/config.toml .opencode/plugin/x.js
opencode.json opencode.jsonc .mcp.json .agents/skills/a/SKILL.md
.github/hooks/h.json .github/agents/a.md .github/mcp.json .github/instructions/i.md .github/copilot-instructions.md
.vscode/mcp.json .kiro/steering/x.md .cursor/rules/x .cursorrules .windsurfrules sub/.CLAUDE/x .geminiignore .ignore
Claude.Md .GitHub/Copilot-Instructions.md .c\u200dlaude/settings.json
""")
)
CREDENTIALS = sorted(
    words("""
.env .ENV .env.local sub/.env.production .env.example prod.env server.pem a/b.KEY x.p12 x.pfx x.keystore x.kdbx id_rsa
id_rsa.pub id_ed25519 id_ecdsa_sk .netrc .npmrc .pypirc .git-credentials .aws/credentials home/.docker/config.json
.envrc .ssh/known_hosts
""")
)
KEPT = sorted(
    words("""
netrc.py src/env.py credentials.py key.py docs/keys.md environment.yml .github/workflows/ci.yml .vscode/settings.json
docker/config.json aws/credentials .gitignore .gitattributes claude.py agents/readme.md context.py keyboard.keys
tokenizer/token.py .editorconfig monkey password_hash.go
""")
)


@pytest.mark.parametrize("path", INSTRUCTIONS)
def test_what_steers_an_agent_is_left_out(path: str) -> None:
    found = match(path)
    assert found is not None
    assert found.reason is Reason.INSTRUCTION


@pytest.mark.parametrize("path", CREDENTIALS)
def test_credential_files_are_left_out(path: str) -> None:
    found = match(path)
    assert found is not None
    assert found.reason is Reason.CREDENTIAL


@pytest.mark.parametrize("path", KEPT)
def test_ordinary_files_stay_whatever_words_are_in_their_names(path: str) -> None:
    assert match(path) is None


@pytest.mark.parametrize("path", [".git/config", "sub/.git", ".GIT/hooks/x", ".git./config", ".hg/hgrc"])
def test_repositories_own_folders_are_left_out(path: str) -> None:
    found = match(path)
    assert found is not None
    assert found.reason is Reason.REPOSITORY


def test_the_match_names_the_part_that_counts() -> None:
    found = match("sub/.claude/agents/x.md")
    assert found is not None
    assert found.path == "sub/.claude"


def test_secrets_stay_secret_within_instruction_folders_but_templates_and_instructions_may_be_shown() -> None:
    assert is_secret(".claude/.env")
    assert is_secret(".git/config")
    assert is_secret("deploy/id_rsa")
    assert not is_secret("AGENTS.md")
    assert not is_secret("app/.env.example")
    assert not is_secret(".claude/settings.json")
    assert is_secret(".ssh/.env.example")
