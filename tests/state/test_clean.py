import json
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.clean import clean, for_ci, one_line, visible, without_terminal_codes
from state.width import graphemes, width


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b]0;title\x07{}", "{}"),
        ("\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bPq#0~-\x1b\\text", "text"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1bcreset", "reset"),
        ("\x1b(Bascii", "ascii"),
        ("\x1b]0;never ended\nanswer", "0;never ended\nanswer"),
        ("\x1bPnever ended\nanswer", "never ended\nanswer"),
        ("\x1b[", ""),
        ("end\x1b", "end"),
    ],
)
def test_terminal_codes_go_and_the_words_stay(text: str, seen: str) -> None:
    assert without_terminal_codes(text) == seen


def test_an_attack_on_the_terminal_leaves_only_words() -> None:
    attack = (
        "OK \x1b]52;c;cm0gLXJmIH4=\x07\x1b]0;PWNED\x07\x1bc\x1b[2J\x1b[1;1H\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\"
        " \x9b31mC1\x9d0;t\x9c \u202etxt.exe\u202c a\rOVERWRITE \x1b[31mred\x1b[0m END"
    )
    assert clean(attack) == "OK click C1 txt.exe a\nOVERWRITE red END"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\x00b\x07c\x08d\tTAB\nEND", "abcd\tTAB\nEND"),
        ("one\r\ntwo\rthree\x85four\u2028five\u2029six\x0cseven", "one\ntwo\nthree\nfour\nfive\nsix\nseven"),
        ("\ufeffanswer", "answer"),
        ("ig\u200bnore\u2060 \u00adthis\U000e0041\U000e0042", "ignore this"),
        ("a\ud83d b\ude00", "a\ufffd b\ufffd"),
        ("whole \ud83d\ude00 pair", "whole 😀 pair"),
        ("a\ufe01\ufe05\ufe0fb", "ab"),
        ("❤️\ufe01\ufe02\U000e0101 x", "❤️ x"),
        ("latin\u200djoined\u200cletters", "latinjoinedletters"),
        ("space \u200d🔥", "space 🔥"),
    ],
)
def test_what_nobody_can_see_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦 ❤️‍🔥 👩🏽‍⚕️ 🏳️‍🌈 1️⃣ 🇨🇳",
        "می‌خواهم",
        "ක්‍රීඩා श्री क्‍ष ন্‍",
        "葛\U000e0100飾区 中文，全角。",
        "naïve Ångström \u0301 äöü ﬁ",
        "  indented\n\n\tcode  \n",
    ],
)
def test_every_script_stays_as_it_was_written(text: str) -> None:
    assert clean(text) == text


@given(st.text(st.characters(exclude_categories=[])))
def test_cleaning_is_complete_and_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    once.encode("utf-8")
    assert not [c for c in once if unicodedata.category(c) == "Cc" and c not in "\t\n"]


@given(st.text(st.sampled_from("a \x00\x1b[]P\\;m\x07\x9b\x9c\x9d\r\n👩\u200d\ufe0f\ufe01❤ی\u200c\u200b\ud83d\ude00")))
def test_nested_and_broken_codes_leave_nothing_that_steers(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not set(once) & set("\x00\x1b\x07\x9b\x9c\x9d\r\u200b\ud83d\ude00")


@pytest.mark.parametrize(
    "text", ["\x1bP" * 500_000, "\x1b]" * 500_000, "\x9b" * 1_000_000, "\x1b[" + "1;" * 500_000, "\u200d👩" * 300_000]
)
def test_hostile_megabytes_take_no_longer_than_others(text: str) -> None:
    start = time.process_time()
    clean(text)
    assert time.process_time() - start < 3


def test_a_message_is_one_line_of_limited_width() -> None:
    assert one_line("  two\r\n lines\x1b[0m ", 40) == "two lines"
    assert one_line("a long sentence", 8) == "a long…"
    assert one_line("数据库应该用哪一个", 9) == "数据库应…"
    assert one_line("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 5) == "👩‍👩‍👧‍👦👩‍👩‍👧‍👦…"
    assert one_line("anything", 0) == ""


@given(st.text(), st.integers(0, 30))
def test_a_line_never_exceeds_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert width(line) <= limit
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("ascii", 5),
        ("中文", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("👩‍👩‍👧‍👦", 2),
        ("❤️", 2),
        ("🇨🇳", 2),
        ("👍🏽", 2),
        ("한글", 4),
        ("1️⃣", 2),
    ],
)
def test_width_is_counted_in_terminal_cells(text: str, cells: int) -> None:
    assert width(text) == cells


@given(st.text())
def test_characters_together_are_the_text(text: str) -> None:
    assert "".join(graphemes(text)) == text


@pytest.mark.parametrize(
    "line",
    [
        "::error file=x::forged",
        "  ::add-mask::a",
        "##vso[task.setvariable variable=x]1",
        "##teamcity[buildStop]",
        "x ##[error]y",
        "##command",
    ],
)
def test_no_line_can_command_a_ci_system(line: str) -> None:
    shown = for_ci(f"before\n{line}\nafter").splitlines()
    assert shown[0] == "before"
    assert shown[2] == "after"
    assert not shown[1].startswith("##")
    assert not shown[1].lstrip().startswith("::")
    assert not [mark for mark in ("##[", "##vso[", "##teamcity[") if mark in shown[1]]


def test_ordinary_text_is_the_same_for_a_ci_system() -> None:
    text = "std::move # comment\n# Title\n## Debate Summary\na :: b\n"
    assert for_ci(text) == text


def test_raw_output_shows_its_controls_as_symbols() -> None:
    assert visible("a\x00\x1b[31m\x9b\tb\n") == "a␀␛[31m\\x9b\tb\n"


def test_a_cut_emoji_from_json_can_be_written_again() -> None:
    assert clean(json.loads('"OK \\ud83d \\ude00 END"')) == "OK \ufffd \ufffd END"
