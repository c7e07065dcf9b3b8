"""The order of judging a call, whichever vendor it was."""

import re

import pytest

from adapters.outcome import Dialect, Said, envelope
from adapters.spec import Progress
from state.failures import FailureKind
from state.models import Failure
from tests.adapters.speaking import ask, ended

DIALECT = Dialect(
    re.compile(r"DEBUG .*|Attempt \d: "), ((FailureKind.DENIED, "my own word"),), {7: FailureKind.VENDOR_CONFIG}
)
QUOTA = Failure(kind=FailureKind.QUOTA, message="used up")


def judge(said: Said, exit_code: int | None = 0, stdout: str = "", stderr: str = "", **more: object) -> tuple[str, str]:
    found = envelope(ask("claude"), ended(exit_code, stdout, stderr, **more), said, DIALECT)
    return (found.failure.kind, found.failure.message) if found.failure else ("answer", found.response or "")


def test_the_vendors_own_failure_comes_before_its_text() -> None:
    assert judge(Said("x", complete=True, failure=QUOTA)) == ("quota", "used up")


@pytest.mark.parametrize("how", ["deadline", "answered", "hopeless", "cancelled", "too_much_output"])
def test_a_complete_answer_is_used_however_the_process_ended(how: str) -> None:
    assert judge(Said("x", complete=True), -15, ended=how, progress=Progress(hopeless=QUOTA)) == ("answer", "x")


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("deadline", "timed_out"),
        ("hopeless", "quota"),
        ("cancelled", "cancelled"),
        ("too_much_output", "too_much_output"),
    ],
)
def test_an_incomplete_one_is_not(how: str, kind: str) -> None:
    assert judge(Said("x", structured=True), -15, ended=how, progress=Progress(hopeless=QUOTA))[0] == kind


def test_a_blank_text_is_no_answer_even_when_we_ended_the_process_ourselves() -> None:
    assert judge(Said(" \n", complete=True, structured=True), -15, ended="answered")[0] == "empty"


def test_an_exit_code_of_the_vendor_means_more_than_words() -> None:
    assert judge(Said(), 7, stderr="DEBUG noise\nunauthorized folder") == ("vendor_config", "unauthorized folder")


def test_noise_is_cut_off_and_stacks_and_printed_objects_are_left_out() -> None:
    stderr = 'DEBUG x\n\x1b[31mAttempt 3: my own word\x1b[0m\n    at f (file:///x.js:1:1)\n  status: 429,\n{"a": 1}\n'
    assert judge(Said(), 1, stderr=stderr) == ("denied", "my own word")


def test_a_line_that_announces_the_next_is_told_with_it() -> None:
    assert judge(Said(), 1, stderr="Invalid values:\n  Argument: mode\nUsage") == (
        "unsupported_flag",
        "Invalid values: Argument: mode",
    )


def test_text_on_stdout_is_shown_for_a_crash_but_never_a_part_of_json() -> None:
    assert judge(Said(), 3, stdout="No can do.\n") == ("crashed", "exit code 3: No can do.")
    assert judge(Said(), 3, stdout='{\n "response": "No can') == ("crashed", "exit code 3; it printed no words")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Sign in with the browser? [Y/n]", "not_logged_in"),
        ("Allow access? (y/n):", "denied"),
        ("Update now? (yes/no)", "timed_out"),
        ("Visit https://a.example to log in, then paste the code here:", "not_logged_in"),
        ("Enter passphrase for key:", "timed_out"),
        ("Press any key to go on...", "timed_out"),
    ],
)
def test_a_question_is_quoted_with_what_it_is_about(question: str, kind: str) -> None:
    found, message = judge(Said(), -15, stdout=f"Hello.\n{question}", ended="deadline")
    assert (found, message.endswith(question)) == (kind, True)


def test_for_a_question_about_nothing_that_we_know_more_time_is_not_the_advice() -> None:
    asked = ended(-15, "Update now? [Y/n] ", "", ended="deadline")
    failed = envelope(ask("claude"), asked, Said(), DIALECT).failure
    assert failed is not None
    assert failed.remedy == "Run the tool once by hand, and answer what it asks."


@pytest.mark.parametrize(
    ("stdout", "stderr", "found"),
    [
        ("", "Error: quota exceeded for today", ("quota", "Error: quota exceeded for today")),
        ("Error: rate limit met", "", ("rate_limited", "Error: rate limit met")),
        ("", "fatal: no idea", ("empty", "no text; its words: fatal: no idea")),
        (
            "TypeError: x is undefined",
            "",
            ("unparsable", "PARSE_ERROR:no_json:0; its words: TypeError: x is undefined"),
        ),
        ("", "3 quota checks done", ("empty", "neither an error nor a text")),
        ("My answer: mind the rate limit and the quota.", "", ("unparsable", "PARSE_ERROR:no_json:0")),
        ('{"x": 1}\nError: quota', "", ("unparsable", "PARSE_ERROR:unknown_json:0")),
    ],
)
def test_a_success_without_an_answer_is_told_by_what_calls_itself_an_error(
    stdout: str, stderr: str, found: tuple[str, str]
) -> None:
    assert judge(Said(), 0, stdout, stderr) == found
