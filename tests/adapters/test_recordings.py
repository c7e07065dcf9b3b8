"""Every recorded output of the real CLIs, judged; the golden files are meant to be read."""

import re

import pytest

from adapters.copilot import COPILOT
from adapters.gemini import GEMINI
from adapters.opencode import OPENCODE
from tests.adapters.recorded import GOLDEN, RECORDINGS, golden, names, play

VENDORS = {adapter.name: adapter for adapter in (GEMINI, OPENCODE, COPILOT)}
ALL = [(tool, name) for tool in VENDORS for name in names(tool)]


@pytest.mark.parametrize("tool", VENDORS)
def test_each_recording_has_its_outcome_and_each_outcome_its_recording(tool: str) -> None:
    assert sorted(golden(tool)) == names(tool)


@pytest.mark.parametrize(("tool", "name"), ALL)
def test_a_recording_is_judged_as_the_golden_file_says(tool: str, name: str) -> None:
    assert str(play(VENDORS[tool], name)) == golden(tool)[name]


@pytest.mark.parametrize(("tool", "name"), ALL)
def test_a_message_is_one_line_for_a_person(tool: str, name: str) -> None:
    failed = play(VENDORS[tool], name).envelope.failure
    if failed:
        assert 0 < len(failed.message) <= 400
        assert failed.message.isprintable()
        assert not re.search(r"^\s*at |node_modules|_ApiError|file://", failed.message)


@pytest.mark.parametrize("tool", VENDORS)
def test_no_recording_tells_of_the_machine_it_was_made_on(tool: str) -> None:
    tells = re.compile(rb"registry\.(?!invalid)[a-z]+\.[a-z]+|/home/\w|(?<!\$bunfs)/root/|/(?:tmp|work)/")
    assert [file.name for file in (RECORDINGS / tool).iterdir() if tells.search(file.read_bytes())] == []


def test_no_golden_file_is_without_a_vendor() -> None:
    assert {file.stem for file in GOLDEN.glob("*.txt")} >= set(VENDORS)
