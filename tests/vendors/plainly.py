"""The CLIs as a user starts them, without our care: to show that the ground is real and that the plants bite."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.vendors.cli import Vendor, environment, program

_WORDS = {
    "claude": ("-p", "--model", "sonnet"),
    "gemini": ("-m", "gemini-2.5-pro"),
    "codex": ("exec", "--skip-git-repo-check", "--ephemeral", "-m", "lab-model"),
    "opencode": ("run", "--title", "x", "--model", "lab/lab-model"),
    "copilot": ("-s", "--no-auto-update"),
}
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "npm_config_offline": "true",
}
_GEMINI_SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"maxAttempts": 1}}


def ask(
    vendor: Vendor,
    url: str,
    prompt: str,
    *,
    home: Path,
    cwd: Path,
    words: Sequence[str] = (),
    env: Mapping[str, str] = {},
) -> subprocess.CompletedProcess[str]:
    """Runs the CLI in `cwd` with the prompt on stdin."""
    options = vendor.options(url)
    variables = environment(home) | _QUIET | dict(vendor.env(url)) | dict(env)
    if "config" in options:
        variables["OPENCODE_CONFIG_CONTENT"] = json.dumps(options["config"])
    if vendor.name == "gemini":
        (home / ".gemini").mkdir(exist_ok=True)
        (home / ".gemini/settings.json").write_text(json.dumps(_GEMINI_SETTINGS))
    argv = [str(program(vendor.name)), *_WORDS[vendor.name], *words, *options.get("extra_args", [])]
    return subprocess.run(
        argv, input=prompt, env=variables, cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
