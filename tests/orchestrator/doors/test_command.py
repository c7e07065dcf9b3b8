"""The command line itself: what is a command and what a topic, help, completion, and how little is loaded for them."""

import shutil
import subprocess
import sys

import pytest

from orchestrator.outcome import MEANINGS
from tests.orchestrator.doors.household import Person


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["lsit"], "list"),
        (["resum", "last"], "resume"),
        (["aks", "claude", "Why?"], "ask"),
        (["Shwo", "debate-20261130T215501Z-1a2b"], "show"),
    ],
)
def test_a_slip_in_a_command_starts_no_debate(person: Person, words: list[str], command: str) -> None:
    done = person.debate(*words, "--rehearse")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Did you mean debate {command}?" in done.stderr
    assert "debate -- " in done.stderr


@pytest.mark.parametrize(
    "words", [["lists or tuples?"], ["listing", "apis"], ["--", "lsit"], ["open source", "--json"]]
)
def test_what_only_resembles_a_command_is_a_topic(person: Person, words: list[str]) -> None:
    done = person.debate("--rehearse", "--rounds", "1", *words)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["list", "or", "tuple"], ["show", "open", "source"], ["doctor", "--rounds", "3"]])
def test_a_command_that_gets_words_it_cannot_use_says_how_to_make_a_topic_of_them(
    person: Person, words: list[str]
) -> None:
    done = person.debate(*words)
    assert done.returncode == 2
    assert f'If this was a topic, quote it: debate "{" ".join(words)}"' in done.stderr


def test_help_fits_a_screen_and_names_every_exit_code(person: Person) -> None:
    shown = person.debate("--help").stdout
    lines = shown.splitlines()
    assert len(lines) <= 56
    assert max(map(len, lines)) <= 90
    assert all(f"{code} {short}" in " ".join(shown.split()) for code, (short, _) in MEANINGS.items())
    assert "_DEBATE_COMPLETE" in shown


@pytest.mark.parametrize("command", ["show", "list", "resume", "forget", "ask", "doctor", "schema", "config"])
def test_every_command_explains_itself(person: Person, command: str) -> None:
    done = person.debate(command, "--help")
    assert done.returncode == 0
    assert "Usage: debate " + command in done.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("debate re", ["resume"]),
        ("debate --ro", ["--rounds"]),
        ("debate x --effort ", ["low", "medium", "high", "max"]),
        ("debate x --proposer c", ["claude", "codex", "copilot"]),
        ("debate x --tools claude,g", ["claude,gemini"]),
        ("debate ask g", ["gemini"]),
        ("debate x --judge o", ["opencode", "openai"]),
        ("debate x --judge my", ["my-model"]),
        ("debate show l", ["last"]),
        ("debate config ", ["show", "check", "path"]),
    ],
)
def test_words_are_completed(person: Person, line: str, offered: list[str]) -> None:
    config = person.home / "config/debate/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[tools.my-model]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    words = line.split(" ")
    environ = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_DEBATE_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", _AS_INSTALLED, "debate"], env=person.variables(**environ), cwd=person.project,
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert [row.partition(",")[2] for row in done.stdout.splitlines()] == offered, done.stderr


_AS_INSTALLED = "import sys; sys.argv[0] = 'debate'; from orchestrator.doors.cli import main; main()"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_it_understands(person: Person, shell: str) -> None:
    script = person.debate(_DEBATE_COMPLETE=f"{shell}_source").stdout
    assert "_DEBATE_COMPLETE" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "-c", script], check=True, timeout=30)


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_nothing_heavy_is_loaded_for_a_word_about_ourselves(person: Person, flag: str) -> None:
    code = (
        "import sys, atexit; heavy = {'pydantic', 'rich', 'anyio', 'jinja2', 'orjson', 'tenacity', 'psutil', 'asyncio'}\n"
        "atexit.register(lambda: sys.stderr.write('LOADED ' + ' '.join(heavy & set(sys.modules))))\n"
        f"sys.argv = ['debate', {flag!r}]\nfrom orchestrator.doors.cli import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=person.variables(), capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stderr == "LOADED "
