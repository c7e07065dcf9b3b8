"""What a participant does, in words for a person."""

import pytest

from adapters.activity import WIDTH, using, writing


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_file", {"file_path": "src/a.py"}, "reads src/a.py"),
        ("view", {"path": "a b.py"}, "reads a b.py"),
        ("grep", {"pattern": "Queue", "path": "src"}, "searches for Queue"),
        ("glob", {"pattern": "*.py"}, "looks for files *.py"),
        ("list_directory", {"dir_path": "."}, "lists ."),
        ("bash", {"command": "ls"}, "calls bash"),
        ("read", None, "reads"),
        ("read", {"filePath": 7}, "reads"),
    ],
)
def test_a_tool_call_is_told_in_words(tool: str, arguments: object, words: str) -> None:
    assert using(tool, arguments) == words


def test_what_a_model_put_into_the_arguments_cannot_steer_a_terminal() -> None:
    assert using("grep", {"pattern": "\x1b]0;x\x07\x1b[31mred\n\u202eline\x00"}) == "searches for red line"
    assert len(using("grep", {"pattern": "x" * 500})) == WIDTH


def test_how_much_is_written_is_told_in_characters() -> None:
    assert writing(1200) == "writes (1200 characters)"
