"""The process room with real small programs: feeding, draining, deadlines, answers, what is kept."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import anyio
import pytest

from adapters.process import NotStarted, run
from adapters.spec import Command, Finished, Progress
from state.failures import FailureKind
from tests.adapters.helpers import GIVEN_UP, python, vendor


def play(command: Command, seconds: float = 10, **options: object) -> Finished:
    adapter = options.pop("adapter", vendor())
    return anyio.run(partial(run, command, adapter, seconds=seconds, **options))


def test_output_error_output_and_exit_code_are_reported_as_they_were() -> None:
    finished = play(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert (finished.exit_code, finished.stdout, finished.stderr, finished.ended) == (3, b"out\n", b"err\n", "exit")
    assert 0 < finished.duration_s < 5


def test_a_death_by_signal_is_a_negative_exit_code() -> None:
    finished = play(python("import os; print('part', flush=True); os.kill(os.getpid(), 9)"))
    assert (finished.exit_code, finished.stdout, finished.ended) == (-9, b"part\n", "exit")


def test_a_child_that_writes_300_kb_before_it_reads_gets_its_whole_prompt() -> None:
    code = (
        "import sys; print('\\n' * 300000); print('y' * 300000, file=sys.stderr); print(len(sys.stdin.buffer.read()))"
    )
    assert play(python(code, stdin=b"p" * 3_000_000)).stdout.endswith(b"\n3000000\n")


@pytest.mark.parametrize("code", ["pass", "import os; os.close(0); print(1)", "import sys; sys.stdin.buffer.read(10)"])
def test_a_child_that_does_not_read_its_prompt_is_no_error(code: str) -> None:
    finished = play(python(code, stdin=b"p" * 3_000_000))
    assert (finished.exit_code, finished.ended, finished.stderr) == (0, "exit", b"")


def test_an_empty_prompt_is_an_end_of_file_at_once() -> None:
    assert play(python("import sys; print(repr(sys.stdin.read()))")).stdout == b"''\n"


def test_a_line_of_many_megabytes_and_an_unended_last_line_arrive_whole() -> None:
    finished = play(python("print('y' * 10_000_000); print('Allow access? (y/n): ', end='')"))
    assert finished.stdout == b"y" * 10_000_000 + b"\nAllow access? (y/n): "
    assert finished.progress.activity == "Allow access? (y/n): "


def test_lines_end_at_line_feeds_only_and_characters_split_over_reads_stay_whole() -> None:
    text = "é\x0b\x0c\x1c\x85\u2028\r日本語 👩‍👩‍👧\n"
    code = f"import os, time\nfor b in {text.encode()!r}: os.write(1, bytes([b])); time.sleep(0.001)"
    heard: list[bytes] = []
    adapter = vendor(watch=lambda progress, line, _stream: heard.append(line) or progress)
    assert play(python(code), adapter=adapter).stdout == text.encode()
    assert heard == [text.encode()[:-1]]


def test_a_timeout_counts_from_the_start_and_keeps_what_was_printed() -> None:
    finished = play(python("import time; print('half', flush=True); time.sleep(60)"), seconds=0.5)
    assert (finished.ended, finished.stdout) == ("deadline", b"half\n")
    assert 0.5 <= finished.duration_s < 1.5


def test_what_a_child_prints_because_it_is_ended_is_not_what_it_had_to_say() -> None:
    code = "import time\ntry: print('before', flush=True); time.sleep(60)\nfinally: print('ANSWER after', flush=True)"
    finished = play(python(code), seconds=0.5)
    assert (finished.ended, finished.stdout, finished.stderr) == ("deadline", b"before\n", b"")
    assert not finished.progress.complete


def test_a_wall_clock_that_jumps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + (86400 if time.monotonic() % 0.2 < 0.1 else -86400))
    finished = play(python("import time; time.sleep(0.5); print('slow')"), seconds=10)
    assert (finished.ended, finished.stdout) == ("exit", b"slow\n")
    assert 0.5 <= finished.duration_s < 5


def test_a_complete_answer_without_an_exit_is_used_after_the_grace() -> None:
    finished = play(python("import time; print('ANSWER', flush=True); time.sleep(60)"), seconds=30, grace_s=0.3)
    assert (finished.ended, finished.stdout) == ("answered", b"ANSWER\n")
    assert finished.duration_s < 2


def test_the_grace_after_an_answer_ends_with_the_deadline() -> None:
    finished = play(python("import time; print('ANSWER', flush=True); time.sleep(60)"), seconds=0.5, grace_s=30)
    assert finished.ended == "answered"
    assert finished.duration_s < 2


def test_an_exit_within_the_grace_is_an_exit() -> None:
    finished = play(python("import time; print('ANSWER', flush=True); time.sleep(0.2); print('bye')"))
    assert (finished.ended, finished.exit_code, finished.stdout) == ("exit", 0, b"ANSWER\nbye\n")


def test_a_hopeless_call_is_given_up_at_once() -> None:
    finished = play(python("import sys, time; print('HOPELESS', file=sys.stderr, flush=True); time.sleep(60)"))
    assert (finished.ended, finished.progress.hopeless) == ("hopeless", GIVEN_UP)
    assert finished.duration_s < 2


def test_each_change_of_the_progress_is_told_once() -> None:
    told: list[Progress] = []
    play(python("print('a'); print('a'); print('b'); print('ANSWER')"), tell=told.append)
    assert [(one.activity, one.complete) for one in told] == [("a", False), ("b", False), ("b", True)]


def test_an_error_in_the_teller_costs_the_teller_only() -> None:
    calls: list[Progress] = []

    def broken(progress: Progress) -> None:
        calls.append(progress)
        raise RuntimeError("the screen is gone")

    finished = play(python("print('a'); print('b'); print('ANSWER')"), tell=broken)
    assert (finished.exit_code, len(calls), finished.progress.complete) == (0, 1, True)


def test_errors_in_the_vendors_watch_and_keep_cost_nothing_but_that_line() -> None:
    def watch(progress: Progress, line: bytes, stream: str) -> Progress:
        if line == b"odd":
            raise KeyError(line)
        return vendor().watch(progress, line, stream)

    finished = play(python("print('odd'); print('ANSWER')"), adapter=vendor(watch=watch, keep=lambda line: 1 / 0))
    assert (finished.stdout, finished.progress.complete) == (b"odd\nANSWER\n", True)


def test_only_lines_that_the_vendor_wants_are_kept() -> None:
    finished = play(
        python("print('echo of the prompt'); print('ANSWER')"), adapter=vendor(keep=lambda line: b"echo" not in line)
    )
    assert (finished.stdout, finished.cut_bytes) == (b"ANSWER\n", 0)


def test_the_childs_environment_is_the_given_one_and_our_two_marks(tmp_path: Path) -> None:
    code = "import os; print(os.getcwd()); print(sorted(os.environ)); "
    code += "print(os.environ['DEBATE_PARTICIPANT'], os.getsid(0) == os.getpid())"
    place, names, rest = play(python(code, cwd=tmp_path, LC_ALL="C.UTF-8")).stdout.decode().splitlines()
    assert place == str(tmp_path)
    assert names == "['DEBATE_CALL', 'DEBATE_PARTICIPANT', 'LC_ALL', 'PATH']"
    assert rest == "1 True"


UNDER_NOHUP = """
import signal, sys
for n in (1, 2, 3, 15, 17): signal.signal(n, signal.SIG_IGN)
from functools import partial
import anyio
from adapters.process import run
from tests.adapters.helpers import vendor, python
code = "print(open('/proc/self/status').read().split('SigIgn:')[1].split()[0]); raise SystemExit(7)"
finished = anyio.run(partial(run, python(code), vendor(), seconds=9))
print(finished.exit_code, finished.stdout.decode())
"""


def test_signals_that_we_ignore_are_not_ignored_by_the_child() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNDER_NOHUP], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True
    )
    # Python itself ignores PIPE (13) and XFSZ (25), hence the bits 0x1001000.
    assert done.stdout.strip() == "7 0000000001001000"


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda path: None, FailureKind.NOT_INSTALLED, "was not found"),
        (lambda path: path.symlink_to("nowhere"), FailureKind.NOT_INSTALLED, "link to nothing"),
        (lambda path: path.mkdir(), FailureKind.NOT_RUNNABLE, "folder"),
        (lambda path: path.write_text("#!/bin/sh\n"), FailureKind.NOT_RUNNABLE, "not executable"),
        (
            lambda path: _program(path, b"#!/nonexistent/node\n"),
            FailureKind.NOT_RUNNABLE,
            "interpreter /nonexistent/node",
        ),
        (
            lambda path: _program(path, b"#!/usr/bin/env -S no-such-node --x\n"),
            FailureKind.NOT_RUNNABLE,
            "interpreter no-such-node",
        ),
        (
            lambda path: _program(path, b"\x7fELF\x02\x01\x01" + bytes(60)),
            FailureKind.NOT_RUNNABLE,
            "another architecture",
        ),
        (lambda path: _program(path, b""), FailureKind.NOT_RUNNABLE, "another architecture"),
    ],
)
def test_a_program_that_cannot_be_started_is_a_failure_with_its_reason(
    tmp_path: Path, make, kind: FailureKind, words: str
) -> None:
    program = tmp_path / "tool"
    make(program)
    with pytest.raises(NotStarted) as caught:
        play(Command((str(program),), b"prompt", {"PATH": os.environ["PATH"]}, tmp_path))
    assert caught.value.failure.kind is kind
    assert words in caught.value.failure.message
    assert str(program) in caught.value.failure.message


def _program(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o755)


def test_a_missing_folder_and_arguments_that_do_not_fit_are_told_apart_from_a_missing_program(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"]}
    for command, words in (
        (Command((sys.executable,), b"", env, tmp_path / "gone"), "no such folder"),
        (Command((sys.executable, "x" * 3_000_000), b"", env, tmp_path), "longer than"),
        (Command((sys.executable, "a\0b"), b"", env, tmp_path), "arguments"),
    ):
        with pytest.raises(NotStarted, match=words):
            play(command)


def test_an_exit_code_127_of_the_program_itself_stays_an_exit_code() -> None:
    assert play(python("raise SystemExit(127)")).exit_code == 127


def test_a_signal_handler_of_our_own_is_left_alone() -> None:
    old = signal.signal(signal.SIGHUP, lambda *_: None)
    mine = signal.getsignal(signal.SIGHUP)
    try:
        play(python("pass"))
        assert signal.getsignal(signal.SIGHUP) is mine
    finally:
        signal.signal(signal.SIGHUP, old)


def test_what_a_call_got_and_gave_never_shows_in_a_repr() -> None:
    """asyncio renders the results of tasks now and then: that would cost memory, and show keys in a log."""
    command = python("print('priv' + 'ate')", stdin=b"asked", KEY="s3cret")
    finished = play(command)
    assert finished.stdout == b"private\n"
    assert [word for word in ("private", "asked", "s3cret") if word in repr(command) + repr(finished)] == []
