"""The ground itself: each real CLI, run as its vendor means it to be, talks with the scripted model server."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.fakes.model_server import Call, ModelServer, Scenario
from tests.vendors.cli import Vendor, environment, program

pytestmark = pytest.mark.vendors

_PLAIN = {
    "claude": ["-p", "--model", "sonnet", "--tools", "Read"],
    "gemini": ["-m", "gemini-2.5-pro", "--skip-trust"],
    "codex": ["exec", "--skip-git-repo-check", "--ephemeral", "-m", "lab-model", "-"],
    "opencode": ["run", "--pure", "--title", "x", "--model", "lab/lab-model"],
    "copilot": ["-s", "--no-auto-update"],
}
_READ = {
    "claude": ("Read", "file_path"),
    "gemini": ("read_file", "file_path"),
    "codex": ("exec_command", "cmd"),
    "opencode": ("read", "filePath"),
    "copilot": ("view", "path"),
}


def _run(vendor: Vendor, url: str, home: Path, prompt: str) -> subprocess.CompletedProcess[str]:
    cwd = home.parent / "cwd"
    cwd.mkdir()
    (cwd / "note.txt").write_text("The queue holds 4711 jobs.\n")
    options = vendor.options(url)
    env = environment(home) | dict(vendor.env(url)) | {"GEMINI_CLI_NO_RELAUNCH": "true", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    env |= {"npm_config_offline": "true", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    if "config" in options:
        env["OPENCODE_CONFIG_CONTENT"] = json.dumps(options["config"])
    if vendor.name == "gemini":
        (home / ".gemini").mkdir()
        (home / ".gemini/settings.json").write_text('{"security":{"auth":{"selectedType":"gemini-api-key"}}}')
    argv = [str(program(vendor.name)), *_PLAIN[vendor.name], *options.get("extra_args", [])]
    return subprocess.run(argv, input=prompt, env=env, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_the_real_cli_reads_a_file_for_the_scripted_model_and_prints_its_answer(
    vendor: Vendor, models: ModelServer, home: Path
) -> None:
    tool, argument = _READ[vendor.name]
    path = home.parent / "cwd/note.txt"
    models.default = Scenario(script=(Call(tool, {argument: f"cat {path}" if vendor.name == "codex" else str(path)}),))
    done = _run(vendor, models.url(vendor.name), home, "How long is the queue?")
    asked = models.asked(vendor.name)
    assert done.returncode == 0, done.stderr
    assert "PONG from the scripted model." in done.stdout
    assert [len(request.results) for request in asked] == [0, 1]
    assert "How long is the queue?" in asked[0].prompt
    assert tool in asked[0].offered
    assert "4711 jobs" in asked[1].results[0]
