"""Faults beside the public ones: what else programs do, and the surroundings in which a person may start us."""

import sys
from pathlib import Path

import orjson
import pytest

from tests.cases.running import Outcome, run_with

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell commands and POSIX programs")

ALONE = "debate --rounds 1 --judge none --timeout 2 --no-input --proposer "
HEALTHY = ALONE + "claude --challenger gemini"

ANSWERED = {  # program -> what stands in its speech
    "two results": ("claude", "out(claude_result('FIRST')); out(claude_result('SECOND'))", "SECOND"),
    "an error, then a result": (
        "claude",
        "out(claude_result('API Error: 500', is_error=True)); out(claude_result('GOOD'))",
        "GOOD",
    ),
    "an error after a complete turn": (
        "codex",
        "for event in codex_events('GOOD'): out(event)\nout(dict(type='error', message='closed')); sys.exit(1)",
        "GOOD",
    ),
    "bytes that are no UTF-8": (
        "claude",
        "sys.stdout.buffer.write(json.dumps(claude_result('BAD @ END')).encode().replace(b'@', b'\\xff'))",
        "BAD � END",
    ),
    "a notice between events": (
        "codex",
        "a, *b = codex_events('GOOD')\nout(a); out('Update available: 2.0'); [out(e) for e in b]",
        "GOOD",
    ),
    "numbers beyond all bounds": (
        "claude",
        """out(json.dumps(claude_result('GOOD')).replace('0.0123', '1e999').replace('100', '9' * 6000))""",
        "GOOD",
    ),
    "brackets without end": (
        "claude",
        "out('[' * 200000); out('{\"a\":' * 100000); out(claude_result('GOOD'))",
        "GOOD",
    ),
    "an answer that looks like an error": (
        "claude",
        "out(claude_result('Error: 429, quota exceeded. Not logged in.'))",
        "Error: 429, quota exceeded. Not logged in.",
    ),
    "stdin closed at once": ("claude", "os.close(0); time.sleep(0.2); out(claude_result('GOOD'))", "GOOD"),
}

FAILED = {  # program -> kind, and words of the message or the advice
    "nothing that shows": ("gemini", "answer('\\u202e\\u200b\\x1b[31m')", "empty", "nothing that can be seen"),
    "an answer on stderr": ("gemini", "err('MY ANSWER')", "empty", "neither an error nor a text"),
    "an error and exit code 0": ("gemini", "err('Error: quota exceeded')", "quota", "Error: quota exceeded"),
    "a result, then an error": (
        "claude",
        "out(claude_result('X')); out(claude_result('API Error: 500', is_error=True)); sys.exit(1)",
        "overloaded",
        "API Error: 500",
    ),
    "half a turn": ("codex", "for event in codex_events('HALF', usage=False): out(event)", "crashed", "in the middle"),
    "a proxy that wants a login": (
        "gemini",
        "out('<h1>407 Proxy Authentication Required</h1>'); sys.exit(1)",
        "network",
        "proxy settings",
    ),
    "a certificate": ("codex", "err('Error: self-signed certificate'); sys.exit(1)", "network", "self-signed"),
    "an upgrade question": ("codex", "out('Update now? [Y/n] ', end=''); hang()", "timed_out", "by hand"),
    "a code to paste": ("claude", "out('To log in, paste the code here: ', end=''); hang()", "not_logged_in", "paste"),
    "a passphrase": ("codex", "err('Enter passphrase: ', end=''); hang()", "timed_out", "by hand"),
    "one line of half a megabyte": ("gemini", "err('Error: ' + 'x' * 500000); sys.exit(1)", "crashed", "Error: xxx"),
    "output closed without a word": ("claude", "os.close(1); os.close(2); hang()", "timed_out", "it printed nothing"),
    "a key in the error": ("codex", f"err('bad sk-proj-{'aB3' * 16}'); sys.exit(1)", "crashed", "[REDACTED_API_KEY]"),
}

SURROUNDINGS = {  # commands -> exit code, and what is said
    "stdin closed": (f"{HEALTHY} x <&-", 0, "CLAUDE-OK"),
    "stderr closed": (f"{HEALTHY} x 2>&-", 0, "CLAUDE-OK"),
    "all closed": (f"{HEALTHY} x <&- >&- 2>&-", 5, ""),
    "no file may be written": (f"ulimit -f 0; {HEALTHY} x", 2, "File too large"),
    "hardly a file may be opened": (f"ulimit -n 16; {HEALTHY} x", 1, "raise the limits"),
    "no home": (f"unset HOME; {HEALTHY} --state-dir . x", 0, "CLAUDE-OK"),
    "a home that is a file": (f"touch h; HOME=$PWD/h {HEALTHY} x", 4, "Name another place with --state-dir"),
    "no temporary folder": (f"TMPDIR=/nonexistent {HEALTHY} x", 0, "CLAUDE-OK"),
    "no locale": (f"LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 {HEALTHY} 数据库", 0, "**Topic**: 数据库"),
    "an ASCII stdout": (f"PYTHONIOENCODING=ascii:strict {HEALTHY} 数据库", 0, "**Topic**: 数据库"),
    "a topic that does not show": (f"{HEALTHY} $'\\u200b\\u202e'", 2, "is empty"),
    "a topic of a megabyte": (f"head -c 1000000 /dev/zero | tr '\\0' a > t; {HEALTHY} --topic-file t", 0, "CLAUDE-OK"),
    "one column": (f"export COLUMNS=1; {HEALTHY} x; debate list", 0, "CLAUDE-OK"),
    "odd entries of PATH": (
        f"mkdir -p a/claude b c; ln -s /nowhere b/claude; mkfifo c/claude; PATH=$PWD/a:$PWD/b:$PWD/c::$PATH {HEALTHY} x",
        0,
        "CLAUDE-OK",
    ),
    "a project of oddities": (
        f"""ln -s . self; ln -s b a; ln -s a b; mkfifo pipe; truncate -s 90G huge; touch $'new\\nline' $'\\xff' $'\\e[31m'
        git init -q .; rm .git/config; mkfifo .git/config; {HEALTHY} x""",
        0,
        "CLAUDE-OK",
    ),
    "a repository that lost its objects": (
        f"""git init -q .; echo a > a; git add a; git -c user.name=n -c user.email=e commit -qm x; rm -rf .git/objects/??
        echo b > a; {HEALTHY} --context diff x""",
        2,
        "bad object",
    ),
}


def outcome(tool: str, lines: str, home: Path) -> Outcome:
    found = run_with({tool: lines}, home, f"{ALONE}{tool} --challenger copilot x")
    assert "Traceback (most recent call last)" not in found.said
    assert not found.left
    return found


@pytest.mark.parametrize("name", ANSWERED)
def test_an_answer_is_found(name: str, tmp_path: Path) -> None:
    tool, lines, speech = ANSWERED[name]
    found = outcome(tool, lines, tmp_path)
    assert (found.code, found.kinds) == (0, set()), found.err
    assert found.states[0]["exchanges"][0]["response"] == speech


@pytest.mark.parametrize("name", FAILED)
def test_a_failure_is_told_by_its_kind_and_is_no_argument(name: str, tmp_path: Path) -> None:
    tool, lines, kind, words = FAILED[name]
    found = outcome(tool, lines, tmp_path)
    assert (found.code, found.kinds) == (1, {kind}), found.err
    assert words in orjson.dumps(found.states[0]["failures"]).decode()
    assert found.states[0]["exchanges"] == []
    assert found.seconds < 7


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_odd_surroundings_are_borne_or_named(name: str, tmp_path: Path) -> None:
    commands, code, words = SURROUNDINGS[name]
    found = run_with({}, tmp_path, commands)
    assert found.code == code, found.said
    assert words in found.said
    assert "Traceback (most recent call last)" not in found.said
    assert not found.left
