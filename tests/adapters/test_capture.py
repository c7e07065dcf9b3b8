"""What is kept of a process's output: by pieces of every size, and in bounded memory for 500 MB."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.capture import Ends, Lines, Output


@given(st.binary(max_size=60).map(lambda data: data.replace(b"a", b"\n")), st.lists(st.integers(0, 60)))
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    lines = Lines(limit=100)
    found = [line for start, end in pairwise(places) for line in lines.feed(data[start:end])]
    assert [*found, *lines.rest()] == data.split(b"\n")


def test_a_line_beyond_the_limit_is_left_out_and_counted_and_the_next_one_is_whole() -> None:
    lines = Lines(limit=10)
    found = [line for piece in (b"ok\n" + b"x" * 8, b"x" * 8, b"x\nafter\n") for line in lines.feed(piece)]
    assert (found, lines.cut) == ([b"ok", b"after"], 17)


@given(st.lists(st.binary(max_size=9)))
def test_the_ends_of_a_stream_are_kept_and_the_missing_middle_is_counted(pieces: list[bytes]) -> None:
    ends, whole = Ends(size=5), b"".join(pieces)
    for piece in pieces:
        ends.feed(piece)
    if len(whole) <= 10:
        assert ends.value() == whole
    else:
        assert ends.value() == b"%b\n[... %d bytes cut ...]\n%b" % (whole[:5], len(whole) - 10, whole[-5:])
        assert ends.cut == len(whole) - 10


def test_too_much_is_told_as_soon_as_a_limit_is_passed() -> None:
    output = Output(keep=lambda _line: True, heard=lambda _line, _stream: None)
    block = b"x" * (1 << 20)
    for _ in range(16):
        output.feed(block, "stdout")
    assert not output.too_much
    output.feed(b"x", "stdout")
    assert output.too_much


def test_lines_that_nobody_keeps_are_too_much_only_after_very_many() -> None:
    output = Output(keep=lambda _line: False, heard=lambda _line, _stream: None)
    block = b"x" * (1 << 20) + b"\n"
    for _ in range(200):
        output.feed(block, "stdout")
    assert (output.too_much, output.cut, output.stdout) == (False, 0, b"")


def test_a_flood_on_stderr_is_never_too_much() -> None:
    output = Output(keep=lambda _line: True, heard=lambda _line, _stream: None)
    block = b"x" * (1 << 20)
    for _ in range(300):
        output.feed(block, "stderr")
    assert not output.too_much
    assert (len(output.stderr) < 140_000, output.cut) == (True, 300 * (1 << 20) - 2 * 65536)


MEASURED = """
import resource, sys
from functools import partial
import anyio
from adapters.process import run
from tests.adapters.helpers import fake, vendor
keep = (lambda line: True) if sys.argv[4] == "all" else (lambda line: line == b"ANSWER")
anyio.run(partial(run, fake("printer", "stdout", 1, "short"), vendor(keep=keep), seconds=50))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
finished = anyio.run(partial(run, fake("printer", *sys.argv[1:4]), vendor(keep=keep), seconds=50))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(finished.ended, b"ANSWER" in finished.stdout, (after - before) // 1024)
"""


@pytest.mark.parametrize(
    ("stream", "shape", "keep", "ended", "answered"),
    [
        ("stdout", "long", "all", "too_much_output", "False"),
        ("stdout", "short", "all", "too_much_output", "False"),
        ("stdout", "long", "few", "too_much_output", "False"),
        ("stderr", "long", "all", "exit", "True"),
    ],
)
def test_a_child_that_prints_500_megabytes_costs_us_at_most_64(
    stream: str, shape: str, keep: str, ended: str, answered: str
) -> None:
    argv = [sys.executable, "-c", MEASURED, stream, "500", shape, keep]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True)
    how, found, megabytes = done.stdout.split()
    assert (how, found) == (ended, answered)
    assert int(megabytes) <= 64
