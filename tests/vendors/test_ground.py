"""The ground: each real CLI talks with the scripted model server, and the hostile repository bites it if trusted."""

from pathlib import Path

import pytest

from tests.fakes.hostile import MARK, build
from tests.fakes.model_server import Call, ModelServer, Scenario
from tests.fakes.trap import Trap
from tests.vendors import plainly
from tests.vendors.cli import Vendor

pytestmark = pytest.mark.vendors

_READ = {
    "claude": ("Read", "file_path"),
    "gemini": ("read_file", "file_path"),
    "codex": ("exec_command", "cmd"),
    "opencode": ("read", "filePath"),
    "copilot": ("view", "path"),
}
_TRUSTING = {
    "claude": ((), {}),
    "gemini": ((), {"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
    "codex": (("--trust",), {}),
    "opencode": ((), {}),
    "copilot": (("--trust-folder",), {}),
}
_BITES = {
    "claude": {"git-fsmonitor", "claude-apiKeyHelper", "claude-hook-SessionStart", "claude-mcp"},
    "gemini": {"gemini-discovery", "gemini-hook-BeforeAgent", "gemini-mcp"},
    "codex": {"codex-mcp"},
    "opencode": {"opencode-mcp", "opencode-plugin", "opencode-plugin-of-config", "opencode-tool", "tsconfig-paths"},
    "copilot": {"copilot-hook-sessionStart", "copilot-hook-userPromptSubmitted"},
}


def test_the_real_cli_reads_a_file_for_the_scripted_model_and_prints_its_answer(
    vendor: Vendor, models: ModelServer, home: Path, tmp_path: Path
) -> None:
    note = tmp_path / "cwd/note.txt"
    note.parent.mkdir()
    note.write_text("The queue holds 4711 jobs.\n")
    tool, argument = _READ[vendor.name]
    models.default = Scenario(script=(Call(tool, {argument: f"cat {note}" if argument == "cmd" else str(note)}),))
    trusting = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    url = models.url(vendor.name)
    done = plainly.ask(vendor, url, "How long is the queue?", home=home, cwd=note.parent, env=trusting)
    asked = models.asked(vendor.name)
    assert done.returncode == 0, done.stderr
    assert "PONG from the scripted model." in done.stdout
    assert [len(request.results) for request in asked] == [0, 1]
    assert "How long is the queue?" in asked[0].prompt
    assert tool in asked[0].offered
    assert "4711 jobs" in asked[1].results[0]


def test_the_hostile_repository_bites_a_cli_that_trusts_it(
    vendor: Vendor, models: ModelServer, trap: Trap, home: Path, tmp_path: Path
) -> None:
    made = build(tmp_path / "outer", tmp_path / "watched", trap.url)
    words, env = _TRUSTING[vendor.name]
    plainly.ask(vendor, models.url(vendor.name), "Which queue?", home=home, cwd=made.repo, words=words, env=env)
    assert {name.removeprefix("PWNED-") for name in made.pwned} >= _BITES[vendor.name]
    steered = any(MARK in request.everything for request in models.requests)
    assert steered or trap.hits, "neither the instructions nor the redirects of the repository took hold"
