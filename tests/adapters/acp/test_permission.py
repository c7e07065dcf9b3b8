"""What is allowed to an agent that asks: to look inside the view, once; all else is rejected by its kind."""

from pathlib import Path
from typing import Any

import pytest

from adapters.acp.permission import CANCELLED, decide

VIEW = Path("/view")
OPTIONS = [
    {"optionId": "reject", "kind": "allow_always"},
    {"optionId": "allow", "kind": "reject_always"},
    {"optionId": "x-once", "kind": "allow_once"},
    {"optionId": "x-no", "kind": "reject_once"},
]
"""With names that lie, and those for ever first."""


def call(kind: Any, *paths: Any, **more: Any) -> dict[str, Any]:
    return {"toolCall": {"kind": kind, "locations": [{"path": path} for path in paths], **more}, "options": OPTIONS}


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        (call("read", "/view/src/app.py"), "x-once"),
        (call("search", "/view"), "x-once"),
        (call("read", "src/app.py"), "x-once"),
        (call("read", rawInput={"file_path": "/view/a.py"}), "x-once"),
        (call("read", "/view/../etc/passwd"), "x-no"),
        (call("read", "/viewer/a.py"), "x-no"),
        (call("read", "/view/a.py", "/etc/passwd"), "x-no"),
        (call("read", "/view/a.py", rawInput={"inner": [{"path": "/etc/passwd"}]}), "x-no"),
        (call("read", "/view/a\x00.py"), "x-no"),
        (call("read"), "x-no"),
        (call("edit", "/view/a.py"), "x-no"),
        (call("delete", "/view/a.py"), "x-no"),
        (call("execute", "/view/a.py"), "x-no"),
        (call("fetch", "/view/a.py"), "x-no"),
        (call("switch_mode", "/view/a.py"), "x-no"),
        (call("other", "/view/a.py"), "x-no"),
        (call(None, "/view/a.py"), "x-no"),
        (call(["read"], "/view/a.py"), "x-no"),
        ({"options": OPTIONS}, "x-no"),
        ({"toolCall": "read", "options": OPTIONS}, "x-no"),
    ],
)
def test_reading_in_the_view_is_allowed_once_and_nothing_else(asked: dict[str, Any], chosen: str) -> None:
    assert decide(asked, VIEW) == (chosen == "x-once", {"outcome": {"outcome": "selected", "optionId": chosen}})


def test_without_a_view_nothing_is_allowed() -> None:
    assert decide(call("read", "/view/a.py"), None).answer["outcome"]["optionId"] == "x-no"


@pytest.mark.parametrize(
    "options", [[], None, "x", [{"optionId": "a", "kind": "allow_always"}], [{"kind": "reject_once"}], [3]]
)
def test_where_no_option_says_no_the_request_is_cancelled(options: Any) -> None:
    assert decide({"toolCall": {"kind": "edit"}, "options": options}, VIEW) == (False, CANCELLED)
