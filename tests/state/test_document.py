"""The file of a debate: what other programs read off it, and files of other versions, broken or strange ones."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from state.document import BadState, document, encoded, load
from state.models import SCHEMA_VERSION
from state.schema import Document
from tests.orchestrator.playing import failing, opened, play, resumed

KEYS = {
    "id", "topic", "proposer", "challenger", "effort", "rounds_completed", "max_rounds", "status", "exchanges", "verdict",
    "timestamp", "schema_version", "format", "usage", "failures", "judging", "cwd", "view", "rehearsal", "events",
}  # fmt: skip
"""What a debate's file has at the least, whatever became of the debate."""
PLAYED = {
    "opened": opened(),
    "completed": play(opened()),
    "partial": play(opened(), failing("round-2")),
    "aborted": play(opened(), failing("round-1")),
    "unjudged": play(opened(), failing("judging")),
    "no judge wanted": play(opened(judge="none")),
}


def changed(change: Any) -> bytes:
    value = document(PLAYED["completed"])
    change(value)
    return json.dumps(value).encode()


@pytest.mark.parametrize("name", PLAYED)
def test_every_key_is_there_whatever_became_of_the_debate(name: str) -> None:
    written = json.loads(encoded(PLAYED[name]))
    assert set(written) >= KEYS
    Document.model_validate(written)
    assert datetime.fromisoformat(written["timestamp"]).tzinfo is not None
    assert load(encoded(PLAYED[name]), Path("x.json")) == PLAYED[name]


def test_exchanges_are_speeches_that_were_given_and_failures_are_not_among_them() -> None:
    written = document(PLAYED["partial"])
    assert [(e["round"], e["role"], bool(e["response"])) for e in written["exchanges"]] == [
        (1, "proposer", True),
        (1, "challenger", True),
    ]
    assert [(f["round"], f["seat"]) for f in written["failures"]] == [(2, "proposer")]
    assert (written["rounds_completed"], written["max_rounds"], written["status"]) == (1, 2, "partial")


def test_a_verdict_that_a_resume_replaced_is_kept() -> None:
    again = play(resumed(PLAYED["partial"]))
    written = document(again)
    assert written["status"] == "completed"
    assert len(written["judging"]["superseded"]) == 1
    assert [failure["made_up_for"] for failure in written["failures"]] == [True]


def test_what_a_newer_program_added_is_kept() -> None:
    data = changed(lambda value: (value.update(zzz_new=[1]), value["events"][0].update(yyy_new="kept")))
    again = json.loads(encoded(load(data, Path("x.json"))))
    assert (again["zzz_new"], again["events"][0]["yyy_new"]) == ([1], "kept")


def test_a_newer_version_is_refused_with_both_numbers() -> None:
    with pytest.raises(BadState) as problem:
        load(changed(lambda value: value.update(schema_version=SCHEMA_VERSION + 1)), Path("x.json"))
    assert str(SCHEMA_VERSION) in str(problem.value)
    assert str(SCHEMA_VERSION + 1) in str(problem.value)
    assert "pdate debate" in problem.value.remedy


@pytest.mark.parametrize("key", sorted(KEYS - {"events"}))
def test_a_file_without_what_is_only_read_off_loads_all_the_same(key: str) -> None:
    assert load(changed(lambda value: value.pop(key)), Path("x.json")).status == "completed"


@pytest.mark.parametrize("field", ["topic", "seats", "seed", "format"])
def test_a_file_without_what_cannot_be_done_without_names_it(field: str) -> None:
    with pytest.raises(BadState, match=field):
        load(changed(lambda value: value["events"][0].pop(field)), Path("x.json"))


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 9, b"{", b'{"events": [', b"\xff\xfe{}", encoded(PLAYED["completed"])[:-200]]
)
def test_a_torn_file_is_told_with_its_path_and_one_thing_to_do(data: bytes) -> None:
    with pytest.raises(BadState) as problem:
        load(data, Path("x.json"))
    assert str(problem.value).startswith("x.json: ")
    assert problem.value.remedy


def test_a_byte_order_mark_does_no_harm() -> None:
    assert load(b"\xef\xbb\xbf" + encoded(PLAYED["completed"]), Path("x.json")) == PLAYED["completed"]
