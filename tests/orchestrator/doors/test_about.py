"""`debate schema` and `debate config`: the schemas hold for what is really written, and each value names its place."""

import json

import pytest

from orchestrator.doors.schema import EventLines
from state.schema import Document
from tests.orchestrator.doors.household import Person


def test_the_schema_of_the_state_file_names_every_key_that_a_debate_has(person: Person) -> None:
    done = person.debate("--rehearse", "Tabs or spaces?", "--json")
    written, schema = json.loads(done.stdout), json.loads(person.debate("schema").stdout)
    Document.model_validate(written)
    assert set(written) == set(schema["properties"])
    assert json.loads((person.shelf / "last-debate.json").read_text()) == written


@pytest.mark.parametrize("scenario", ["plain", "quota", "judge-split"])
def test_the_schema_of_events_holds_for_every_line(person: Person, scenario: str) -> None:
    done = person.debate(f"--rehearse={scenario}", "Tabs or spaces?", "--events")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines
    for number, line in enumerate(lines, 1):
        checked = EventLines.model_validate(line).root
        assert set(line) <= set(type(checked).model_fields), line["type"]
        assert line["seq"] == number
    assert {"opened", "turn_started", "turn_ended", "round_ended", "ended"} <= {line["type"] for line in lines}
    schema = person.debate("schema", "--events").stdout
    assert all(f'"const": "{line["type"]}"' in schema for line in lines)


def _configure(person: Person, text: str) -> str:
    file = person.home / "config" / "debate" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return str(file)


def test_each_setting_is_shown_with_its_origin(person: Person) -> None:
    file = _configure(person, 'rounds = 3\n[tools.claude]\nmodel = "opus"\n')
    shown = person.debate("config", DEBATE_EFFORT="low").stdout
    assert f"rounds = 3  ({file})" in shown
    assert f"tools.claude.model = opus  ({file})" in shown
    assert "effort = low  (DEBATE_EFFORT)" in shown
    assert "judge = auto  (default)" in shown
    assert person.debate("config", "path").stdout == f"{file}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rounds = 9\n", "Rounds must be 1-5. Got: 9"),
        ("ronds = 2\n", "Did you mean rounds?"),
        ("[tools.claude]\nmodle = 'x'\n", "Did you mean model?"),
        ("rounds = \n", "line 1"),
    ],
)
def test_a_wrong_settings_file_is_told_with_file_and_key_and_nothing_begins(
    person: Person, text: str, told: str
) -> None:
    file = _configure(person, text)
    for words in (("config", "check"), ("--rehearse", "Tabs or spaces?")):
        done = person.debate(*words)
        assert done.returncode == 2
        assert told in done.stderr
        assert file in done.stderr
    assert not person.shelf.exists()
