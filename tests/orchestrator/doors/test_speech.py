"""What a model wrote is shown word for word, wrapped to the terminal, and does nothing but be read."""

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from orchestrator.doors.speech import readable
from orchestrator.doors.wrapping import wrapped
from state.width import width

WIDTHS = (20, 40, 120)
HOSTILE = {
    "a stray tag that brings Markdown renderers down": "a </kbd> b",
    "what looks like HTML": "Vec<T> and <div>hidden</div> <!-- a comment -->",
    "markup of the terminal library": "[red]alert[/red] [link=https://evil.example]x[/link] [/]",
    "a link": "[the docs](https://evil.example/a) ![](https://evil.example/pixel.png) <https://evil.example>",
    "character references to what cannot be seen": "&#x202e;abc &#27;[31m &lt;b&gt;",
    "deep quotation": ">" * 40 + " deep",
    "a table with too many cells": "|a|\n|-|\n|1|2|3|",
    "code in an unknown language": "```\x00nosuch\nx = '**y**'\n```\nafter",
    "marks without end": "*" * 500 + "`" * 500 + "[" * 500,
}


def shown(speech: str, columns: int) -> str:
    console = Console(file=io.StringIO(), width=columns, force_terminal=True, color_system=None, highlight=False)
    for line in readable(speech, columns):
        console.print(line)
    return console.file.getvalue()


def letters(text: str) -> str:
    return "".join(c for c in text if not c.isspace() and c not in "*\x00")


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("speech", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_was_written_is_lost_or_obeyed(speech: str, columns: int) -> None:
    screen = shown(speech, columns)
    said = letters(screen).replace(">", "") if speech.startswith(">") else letters(screen)
    assert said == (letters(speech).replace(">", "") if speech.startswith(">") else letters(speech))
    assert "\x1b]8" not in screen
    assert max(map(width, _plain(screen).splitlines())) <= columns


@pytest.mark.parametrize(
    "code", ["\x1b]8;;https://evil.example\x07here\x1b]8;;\x07", "\x1b[2J\x1b[1;1H", "\u202e", "\x9b31m"]
)
def test_no_code_of_a_model_reaches_the_terminal(code: str) -> None:
    assert shown(f"before {code}after", 40).split()[0] == "before"
    assert not set("\x07\u202e\x9b") & set(shown(code, 40))
    assert "evil" not in shown(code, 40)
    assert "\x1b[2J" not in shown(code, 40)


@given(st.text(max_size=200), st.integers(2, 60))
def test_any_line_is_wrapped_within_the_limit_and_whole(text: str, limit: int) -> None:
    line = " ".join(text.split())
    pieces = list(wrapped(line, limit))
    assert "".join("".join(pieces).split()) == "".join(line.split())
    assert all(width(piece) <= limit for piece in pieces)


@pytest.mark.parametrize(
    ("line", "limit", "pieces"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("队列用数据库。", 12, ["队列用数据", "库。"]),
        ("a 队列", 4, ["a 队", "列"]),
        ("👩‍👩‍👧👩‍👩‍👧", 3, ["👩‍👩‍👧", "👩‍👩‍👧"]),
        ("", 5, [""]),
    ],
)
def test_lines_break_where_a_reader_would_break_them(line: str, limit: int, pieces: list[str]) -> None:
    assert list(wrapped(line, limit)) == pieces


def test_what_follows_a_bullet_or_a_quotation_mark_stays_below_it() -> None:
    lines = [line.plain for line in readable("- one two three\n> four five six\n## Seven", 12)]
    assert lines == ["- one two", "  three", "> four five", "> six", "## Seven"]


def test_headings_code_and_stress_stand_out_and_code_is_left_alone() -> None:
    heading, stress, fence, code, _ = readable("# Why\na **b** `c`\n```py\nd = '**e**'\n```", 40)
    assert heading.style == "bold"
    assert (stress.plain, [str(span.style) for span in stress.spans]) == ("a b `c`", ["bold", "cyan"])
    assert (fence.plain, code.plain, code.style) == ("```py", "d = '**e**'", "cyan")


def test_a_long_speech_is_drawn_at_once() -> None:
    began = time.process_time()
    lines = list(readable("word **" * 60_000, 40))
    assert len(lines) > 1000
    assert time.process_time() - began < 5


def _plain(screen: str) -> str:
    from state.clean import without_terminal_codes

    return without_terminal_codes(screen)
