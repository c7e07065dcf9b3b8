"""Answering a judging prompt: a valid instance of the JSON Schema that the prompt carries in a `json-schema` fence."""

import json
import re
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Choose = Callable[[str, list[Any]], Any]

_FENCE = re.compile(
    r"^(?P<ticks>`{3,}|~{3,})json-schema[ \t]*\n(?P<schema>.*?)^(?P=ticks)[ \t]*$", re.DOTALL | re.MULTILINE
)


def schema_in(prompt: str) -> Json | None:
    """The schema that the prompt's (last) fenced block holds, or None for a prompt that asks for no ballot."""
    blocks = list(_FENCE.finditer(prompt))
    return json.loads(blocks[-1]["schema"]) if blocks else None


def first(_field: str, offered: list[Any]) -> Any:
    """Chooses the first of what an enum offers."""
    return offered[0]


def last(_field: str, offered: list[Any]) -> Any:
    """Chooses the last of what an enum offers."""
    return offered[-1]


def instance(schema: Json, choose: Choose = first) -> Any:
    """A valid instance: every property, the fewest items, `choose(field, enum)` for enums, nothing in quotes."""
    return _Ballot(schema, choose).of(schema, "answer")


class _Ballot:
    def __init__(self, root: Json, choose: Choose) -> None:
        self._definitions = root.get("$defs", {})
        self._choose = choose

    def of(self, schema: Json, field: str) -> Any:
        if "$ref" in schema:
            return self.of(self._definitions[schema["$ref"].rsplit("/", 1)[-1]], field)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choose(field, schema["enum"])
        if "anyOf" in schema:
            return self.of(schema["anyOf"][0], field)
        return self._typed(schema, field)

    def _typed(self, schema: Json, field: str) -> Any:
        kind = schema.get("type", "object")
        match (kind[0] if isinstance(kind, list) else kind).lower():
            case "object":
                return {name: self.of(inner, name) for name, inner in schema.get("properties", {}).items()}
            case "array":
                return [self.of(schema["items"], field) for _ in range(schema.get("minItems", 0))]
            case "integer" | "number":
                return max(0, schema.get("minimum", 0))
            case "boolean":
                return True
            case "null":
                return None
            case _:
                return self._words(field)

    @staticmethod
    def _words(field: str) -> str:
        return "" if "quote" in field else f"Scripted {field.replace('_', ' ')}: measure the queue before changing it."
