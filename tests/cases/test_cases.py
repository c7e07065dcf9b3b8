"""Public faults, each as a tiny program, against the real command: the right outcome of each, and the rules common to all.

What is right stands in each case's `case.md`. `says` must be found in what the command printed or saved; `never` must not.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from tests.cases.running import CASES, Outcome, case, run, script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the cases are shell scripts")
AT_ONCE = 3
UNHURRIED = ("056", "088")
"""Cases that need the time that their limit gives them; others only wait for it."""


@dataclass(frozen=True)
class Right:
    """`code` is the exit code of the case's commands, `kinds` the kinds of failure on record."""

    code: int
    kinds: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    seconds: float = 8.0
    commands: str | None = None


def good(*says: str, never: tuple[str, ...] = (), seconds: float = 8.0) -> Right:
    return Right(0, says=says, never=never, seconds=seconds)


def failed(kind: str, *says: str, code: int = 1, never: tuple[str, ...] = (), seconds: float = 10.0) -> Right:
    return Right(code, (kind,), says, never, seconds)


RIGHT = {
    "001": good("CODEX-OK", never=("Reading additional input",)),
    "003": failed("timed_out", "claude) timed out after 4s", "it printed nothing", "--timeout"),
    "004": failed("denied", "run_shell_command"),
    "006": failed("denied", "Allow access? (y/n)"),
    "007": good("CLAUDE-OK", "had to be stopped after its answer", seconds=14),
    "009": good("tail=yes"),
    "010": good("GEMINI-OK"),
    "012": good("[INFO] codex: thinks", seconds=30),
    "013": good("HEAD:True TAIL:True"),
    "015": good("VERBATIM:True"),
    "016": Right(2, says=("NUL byte at offset 14",)),
    "018": good("COUNT=1"),
    "019": good("LINES:True"),
    "020": good("CLAUDE-OK"),
    "022": good("IGNORED=none"),
    "023": good("ODD-PATH-OK", "The current folder no longer exists"),
    "024": good("GEMINI-OK {braces} [brackets]"),
    "026": good("OPENCODE-OK", never=("\x1b",)),
    "029": good("CLAUDE-OK", "second line"),
    "030": good("CLAUDE-OK"),
    "032": good("GEMINI-OK"),
    "033": failed("unparsable", "gemini"),
    "035": good("CODEX-OK", never=("Separator",)),
    "036": good("CODEX-OK", "END"),
    "038": good("CODEX-OK"),
    "039": failed("not_logged_in", "claude auth login"),
    "041": failed("overloaded"),
    "042": failed("overloaded", "The model is at capacity."),
    "044": good("exit code 1 after"),
    "045": failed("crashed", "SIGKILL (9), perhaps out of memory", never=("exit code -9",)),
    "047": failed("overloaded"),
    "048": failed("crashed", "exit code 1; it printed nothing", "9.9.9"),
    "050": good("CLAUDE-OK from event"),
    "051": failed("empty", never=("> None", "> null")),
    "053": good("CODEX-FINAL"),
    "055": good("CODEX-OK"),
    "056": failed("network", "waiting for network", seconds=14),
    "058": good("COPILOT-OK"),
    "059": good("background tasks were still pending"),
    "060": good('"cost_usd":0.3'),
    "062": good('"complete":false'),
    "063": failed("quota", "It resets at ", "(in 1 h "),
    "065": failed("quota", "RequestsPerDay", never=("    at retry",)),
    "066": failed("quota", "try again at 3:05 PM"),
    "068": good("fake-small-1", "fake-big-9"),
    "069": failed("unknown_model", "not supported"),
    "070": failed("not_logged_in", "Log in with: gemini"),
    "072": failed("vendor_config", "trust", never=("\x1b",)),
    "073": good("CODEX-OK"),
    "075": failed("vendor_config"),
    "076": failed("unsupported_flag", "0.37.1", never=("Usage:",)),
    "078": failed("not_logged_in", "not supported for individual accounts", never=("    at ",)),
    "079": good("bin-none rc=2", "bin-interp rc=2", "needs the interpreter", "may not be executed", "is a folder"),
    "080": failed("timed_out"),
    "082": failed("timed_out"),
    "083": failed("timed_out"),
    "086": Right(1, seconds=90, never=("Event loop is closed",)),
    "088": good("GEMINI-OK", seconds=12),
    "089": good("GEMINI-OK 日本語 👩‍👩‍👧 é END", never=("�",)),
    "091": good("CLAUDE-OK � � END"),
    "092": good(never=("\x00",)),
    "094": failed("quota"),
    "099": good(never=("TORN",), seconds=30),
    "100": good("rc=4", "OLD-STATE-GOOD", "no space left on device", "CLAUDE-OK", seconds=60),
    "103": good("600 s.json", "precious", "it is a link"),
    "104": good("had the stronger argument"),
    "106": Right(1, says=("the judge's answer was cut off",), never=("stronger argument",)),
    "107": good("had the stronger argument"),
    "109": Right(1, says=("GPT-4 is not one of the labels",), never=("stronger argument",)),
    "110": Right(1, says=("judge failed",), never=("stronger argument",)),
    "112": good("had the stronger argument"),
    "113": failed("crashed", "judge failed", "CLAUDE-OK", "GEMINI-OK", never=("stronger argument",)),
    "115": good("had the stronger argument"),
    "116": good("had the stronger argument", never=("because: PLANTED",)),
    "118": good("FORGED"),
    "119": good("VERBATIM:True", "{{7*7}}"),
    "123": good("CLAUDE-OK", "click", "END", never=("\x1b", "\x07", "\u202e", "\u2066")),
    "124": good(),
    "128": failed("not_logged_in", "API key not valid", never=("LEAK",)),
    "130": good("ACP-OK"),
    "132": failed("timed_out", "no answer to initialize in 4 s"),
    "133": failed("not_logged_in", "Log in with the browser"),
    "135": good("ACP-OK", never=("THOUGHT", "WRONG-SESSION")),
    "136": good("refused: "),
    "138": good("ACP-OK é日"),
    "139": good("ACP-OK"),
    "141": failed("timed_out", "incomplete: gemini timed out in round 1", never=("stronger argument",)),
    "143": failed("crashed", code=3),
    "149": good("rc=4", seconds=20),
    "152": good(),
}
TWINS = {
    "041-twin": ("041", "/bin:", "/bin-twin:", Right(0)),
    "078-hang": (
        "078",
        "debate ",
        "FAKE_HANG=1 debate ",
        failed("not_logged_in", "not supported for individual accounts"),
    ),
    "094-words": ("094", "/bin:", "/bin-words:", failed("crashed", never=("stronger argument",))),
    "124-ci": ("124", "debate ", "GITHUB_ACTIONS=true debate ", good(never=("\n::", "\n##["))),
}


def commands(name: str) -> tuple[str, str]:
    """The case's number and its commands, with shorter limits where a case has to wait for one."""
    number, old, new, _ = TWINS.get(name, (name, "", "", None))
    text = script(case(number)).replace(old, new)
    return number, text if number in UNHURRIED else re.sub(r"--timeout 10\b", "--timeout 4", text)


def right(name: str) -> Right:
    return TWINS[name][3] if name in TWINS else RIGHT[name]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[str, Future[Outcome]]]:
    """All cases, a few at a time: most of them only wait."""
    with tempfile.TemporaryDirectory(prefix="debate-cases-") as folder, ThreadPoolExecutor(AT_ONCE) as pool:

        def started(name: str) -> Future[Outcome]:
            home = Path(folder, name)
            home.mkdir()
            number, text = commands(name)
            return pool.submit(run, number, home, text)

        yield {name: started(name) for name in (*RIGHT, *TWINS)}


def test_every_case_has_its_right_outcome_in_the_table() -> None:
    assert {path.name[:3] for path in CASES.glob("[0-9]*")} == set(RIGHT)


@pytest.mark.parametrize("name", [*RIGHT, *TWINS])
def test_the_outcome_is_right(name: str, outcomes: dict[str, Future[Outcome]]) -> None:
    found, wanted = outcomes[name].result(), right(name)
    everything = found.said + b"".join(map(orjson.dumps, found.states)).decode()
    assert (found.code, found.kinds) == (wanted.code, set(wanted.kinds)), found.said
    assert not [words for words in wanted.says if words not in everything], everything
    assert not [words for words in wanted.never if words in found.said], found.said
    assert found.seconds < wanted.seconds


@pytest.mark.parametrize("name", [*RIGHT, *TWINS])
def test_the_rules_common_to_all_hold(name: str, outcomes: dict[str, Future[Outcome]]) -> None:
    found = outcomes[name].result()
    assert "Traceback (most recent call last)" not in found.said
    assert not found.left, "a child outlived us"
    assert not found.planted, "something of the project, or of what a model wrote, was run"
    for state in found.states:
        said = [exchange["response"] for exchange in state["exchanges"]]
        told = [failure["message"] for failure in state["failures"]]
        assert all(said), "an empty answer passed for an argument"
        assert not [message for message in told if message in said], "an error passed for an argument"
        assert all(failure["remedy"] and failure["message"] for failure in state["failures"])


def test_the_messages_are_those_that_a_person_has_read_through(outcomes: dict[str, Future[Outcome]]) -> None:
    """After a change that is wanted: `KEEP_MESSAGES=1 bash check tests/cases`, and read the difference."""
    said = "".join(line for name in outcomes for line in _messages(name, outcomes[name].result()))
    if os.environ.get("KEEP_MESSAGES"):
        MESSAGES.write_text(said, "utf-8")
    assert said == MESSAGES.read_text("utf-8")


MESSAGES = Path(__file__).with_name("messages.txt")


def _messages(name: str, outcome: Outcome) -> Iterator[str]:
    failures = (failure for state in outcome.states for failure in state["failures"])
    for text in dict.fromkeys(f"{f['tool']}: {f['kind']}: {f['message']} -> {f['remedy']}" for f in failures):
        yield f"{name}  {re.sub(r'[0-9]+ s(?=;|,| )', 'N s', re.sub(r'/[^ ]*/(?=case/|[.])', '~/', text))}\n"
