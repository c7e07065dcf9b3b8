"""What the command itself costs: `python bench/command.py` with the interpreter in whose environment `debate` is installed.

Every vendor is an instant shell script, so what is left is ours. start: `debate --version` and `--help` against a bare
`python -c pass`, medians; first child: from the start of the command until the first vendor runs; a turn: how much longer
a debate of five rounds takes than one of one round, a speech, less what the script costs alone; memory: our peak.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

DEBATE = Path(sys.executable).with_name("debate")
SPEECH = "A speech of one line, with no evidence at all. " * 40
ANSWER = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": SPEECH, "session_id": "s"})
SPEAKER = f"""#!/bin/sh
[ -e "$HOME/first" ] || /bin/date +%s.%N > "$HOME/first"
/bin/cat > /dev/null
echo '{ANSWER}'
"""
OTHER = """#!/bin/sh
/bin/cat > /dev/null
echo '{"type": "thread.started", "thread_id": "t"}'
echo '{"type": "turn.started"}'
echo '{"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "A speech of one line."}}'
echo '{"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}'
"""
WATCHED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
sys.stderr.write(done.stderr if done.returncode else "")
"""


def _seconds(*argv: str, env: dict[str, str] | None = None, stdin: bytes = b"") -> float:
    began = time.perf_counter()
    subprocess.run(argv, env=env, input=stdin, check=True, capture_output=True)
    return time.perf_counter() - began


def _starts() -> None:
    bare = median(_seconds(sys.executable, "-c", "pass") for _ in range(15))
    for flag in ("--version", "--help"):
        ours = median(_seconds(str(DEBATE), flag) for _ in range(15))
        print(f"debate {flag}: {ours * 1000:.0f} ms, {ours / bare:.1f} x a bare python ({bare * 1000:.0f} ms)")


class _Household:
    """A home of its own, with two instant vendors on PATH and a small project."""

    def __init__(self, home: Path) -> None:
        self.home, self.project = home, home / "project"
        programs = home / "bin"
        for folder in (programs, self.project):
            folder.mkdir()
        for name, text in (("claude", SPEAKER), ("codex", OTHER)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        (self.project / "README.md").write_text("# A project\n")
        self.env = {"PATH": f"{programs}:{os.defpath}", "HOME": str(home), "LANG": "C.UTF-8"}

    def argv(self, rounds: int) -> list[str]:
        options = [
            "--proposer",
            "claude",
            "--challenger",
            "codex",
            "--judge",
            "none",
            "--rounds",
            str(rounds),
            "--json",
        ]
        return [str(DEBATE), "Tabs or spaces?", *options, "--cwd", str(self.project)]

    def debate(self, rounds: int) -> float:
        return _seconds(*self.argv(rounds), env=self.env)

    def first_child(self) -> float:
        (self.home / "first").unlink(missing_ok=True)
        began = time.time()
        self.debate(1)
        return float((self.home / "first").read_text()) - began

    def peak(self) -> float:
        argv = [sys.executable, "-c", WATCHED, *self.argv(2)]
        told = subprocess.run(argv, env=self.env, capture_output=True, text=True, check=True).stdout.split()
        assert told[0] == "0", told
        return float(told[1])

    def alone(self) -> float:
        """What a speech costs without us: the mean of both scripts."""
        scripts = [str(self.home / "bin" / name) for name in ("claude", "codex")]
        return sum(median(_seconds(s, env=self.env, stdin=b"x" * 4000) for _ in range(15)) for s in scripts) / 2


def main() -> None:
    """Prints all figures."""
    _starts()
    with tempfile.TemporaryDirectory() as name:
        household = _Household(Path(name))
        print(f"first child runs: {median(household.first_child() for _ in range(7)) * 1000:.0f} ms after the command")
        short, long = (median(household.debate(rounds) for _ in range(5)) for rounds in (1, 5))
        turn, alone = (long - short) / 8, household.alone()
        print(f"a turn: {(turn - alone) * 1000:.1f} ms of ours (with the child {turn * 1000:.1f} ms)")
        print(f"peak memory of a debate of two rounds: {household.peak():.0f} MB")


if __name__ == "__main__":
    main()
