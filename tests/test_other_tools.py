"""The settings that the documentation offers for copying are taken by the program as they stand, and make a command."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from adapters import adapters
from adapters.spec import Command
from orchestrator.request.choices import ConfigFile, OwnTool
from tests.adapters.speaking import ask, place

PAGE = (Path(__file__).parents[1] / "docs" / "other-tools.md").read_text("utf-8")
TABLES: dict[str, dict[str, Any]] = {
    name: table
    for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    for name, table in tomllib.loads(re.sub(r"^# ?", "", block, flags=re.MULTILINE))["tools"].items()
}


def test_all_of_them_are_found():
    assert {"ollama", "hosted", "mine", "qwen", "cursor", "droid", "goose", "grok", "aider", "vibe"} <= set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_a_documented_table_makes_a_tool(name: str, tmp_path: Path):
    tools = dict(ConfigFile.model_validate({"tools": {name: TABLES[name]}}, strict=True).tools)
    own = tools[name]
    assert isinstance(own, OwnTool)
    adapter = adapters({name: own.options()})[name]
    if own.base_url:
        assert adapter.converse
        return
    built = adapter.build(ask(name, options=own.options()), place(tmp_path))
    assert isinstance(built, Command)
    assert "Debate." not in " ".join(built.argv)
    assert own.command
    assert built.argv[1 : len(own.command)] == tuple(
        word.replace("{file}", str(place(tmp_path).folder / "prompt.md")) for word in own.command[1:]
    )
