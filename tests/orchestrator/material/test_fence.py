"""Codes and cleaning."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.fence import code, harmless


def test_a_code_is_the_same_for_the_same_call_and_another_for_every_other() -> None:
    assert code("seed", "a", []) == code("seed", "a", ["x"])
    assert len({code("seed", "a", []), code("seed", "b", []), code("seed2", "a", [])}) == 3


@given(st.integers(0, 5))
def test_a_code_that_a_text_already_holds_is_derived_again(times: int) -> None:
    held: list[str] = []
    for _ in range(times):
        held.append(f"guessed {code('seed', 'a', held)} well")
    assert not any(code("seed", "a", held) in text for text in held)


def test_only_our_prompts_may_open_a_schema_block() -> None:
    assert "```json-schema" not in harmless("x\n```json-schema\n{}\n```\n``\u200b`json-schema\n````  json-schema")
    assert harmless("json-schema and ```json stay") == "json-schema and ```json stay"
