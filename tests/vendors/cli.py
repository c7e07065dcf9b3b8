"""The five real CLIs: where they are, and how each is pointed at a model server on loopback."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from state.models import Transport

KEY = "dummy-key-of-the-tests"


@dataclass(frozen=True)
class Vendor:
    """How one CLI reaches a base URL: by variables of the environment, or by settings of ours for this tool."""

    name: str
    model: str
    env: Callable[[str], Mapping[str, str]]
    options: Callable[[str], Mapping[str, Any]] = lambda _url: {}
    transport: Transport = "cli"

    def __str__(self) -> str:
        return self.name if self.transport == "cli" else f"{self.name}@{self.transport}"


def _codex_provider(url: str) -> Mapping[str, Any]:
    provider = {"name": "lab", "base_url": f"{url}/v1", "wire_api": "responses", "env_key": "LAB_KEY"}
    pairs = {"model_provider": "lab"} | {f"model_providers.lab.{name}": value for name, value in provider.items()}
    words = [word for name, value in pairs.items() for word in ("-c", f"{name}={json.dumps(value)}")]
    return {"extra_args": words, "pass_env": ["LAB_KEY"]}


def _opencode_provider(url: str) -> Mapping[str, Any]:
    options = {"baseURL": f"{url}/v1", "apiKey": "{env:LAB_KEY}"}
    lab = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"lab-model": {}}}
    return {"config": {"enabled_providers": ["lab"], "provider": {"lab": lab}}}


def _copilot_provider(url: str) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
    }


VENDORS = {
    vendor.name: vendor
    for vendor in (
        Vendor("claude", "sonnet", lambda url: {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}),
        Vendor("gemini", "gemini-2.5-pro", lambda url: {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY}),
        Vendor("codex", "lab-model", lambda _url: {"LAB_KEY": KEY}, _codex_provider),
        Vendor("opencode", "lab/lab-model", lambda _url: {"LAB_KEY": KEY}, _opencode_provider),
        Vendor("copilot", "gpt-4.1", _copilot_provider),
    )
}


def search_path() -> str:
    """PATH with the folder first that DEBATE_VENDORS names, if it names one."""
    return os.pathsep.join(filter(None, (os.environ.get("DEBATE_VENDORS"), os.environ.get("PATH"))))


def program(name: str) -> Path | None:
    """The CLI's program, or None where it is not installed."""
    found = shutil.which(name, path=search_path())
    return Path(found) if found else None


def environment(home: Path) -> dict[str, str]:
    """What a user with this home has in the environment: nothing that steers a CLI."""
    return {"PATH": search_path(), "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}
