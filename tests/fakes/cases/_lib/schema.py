"""An instance of the JSON Schema that a judging prompt carries in its fenced block marked `json-schema`."""

import json, re

CLAIM = "The queue already lives in the database, so one backup covers both."
QUOTE = "queue = Postgres()"
SPEECH = f"""1. {CLAIM} [E1] app.py:1 "{QUOTE}"
2. A second server would be one more thing to run at night. [E2] README.md:1 "Job queue"
I concede that latency is higher than in memory, but the numbers in the topic do not need it."""


def schema_in(prompt: str):
    found = re.findall(r"```json-schema\s*\n(.*?)\n\s*```", prompt, re.S)
    for text in reversed(found):
        lines = [re.sub(r"^\s*[│|>]\s?", "", l) for l in text.splitlines()]
        for t in (text, "\n".join(lines)):
            try:
                return json.loads(t)
            except ValueError:
                pass
    return None


def instance(schema, root=None, name="", pick="first"):
    root = root if root is not None else schema
    if not isinstance(schema, dict):
        return "x"
    if "$ref" in schema:
        node = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node.get(part, {})
        return instance(node, root, name, pick)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0 if pick == "first" else -1]
    for k in ("anyOf", "oneOf", "allOf"):
        if k in schema:
            options = [o for o in schema[k] if o.get("type") != "null"] or schema[k]
            return instance(options[0], root, name, pick)
    t = schema.get("type")
    t = next((x for x in t if x != "null"), "null") if isinstance(t, list) else t
    if t == "object" or "properties" in schema:
        return {k: instance(v, root, k, pick) for k, v in schema.get("properties", {}).items()}
    if t == "array":
        n = max(1, schema.get("minItems", 1))
        return [instance(schema.get("items", {}), root, name, pick) for _ in range(min(n, schema.get("maxItems", n)))]
    if t in ("integer", "number"):
        lo, hi = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 10)
        return type(lo)((lo + hi) / 2) if t == "integer" else (lo + hi) / 2
    if t == "boolean":
        return True
    if t == "null":
        return None
    if "quote" in name.lower() or "span" in name.lower():
        return CLAIM
    if "recommend" in name.lower():
        return "Keep the queue in PostgreSQL and revisit at 5000 jobs a second."
    return "Round 1 cites app.py:1 for the existing queue and the other side leaves that unanswered."


def reply(prompt: str, native_schema=None, pick="first") -> str:
    schema = native_schema or schema_in(prompt)
    if schema:
        return json.dumps(instance(schema, pick=pick))
    return SPEECH


def labels(prompt):
    """The names under which the judging prompt lets a winner be named: the enum of the schema's `winner`."""

    def find(s):
        if isinstance(s, dict):
            w = s.get("properties", {}).get("winner")
            if w and "enum" in w:
                return [x for x in w["enum"] if isinstance(x, str)]
            for v in s.values():
                got = find(v)
                if got:
                    return got
        if isinstance(s, list):
            for v in s:
                got = find(v)
                if got:
                    return got
        return []

    return find(schema_in(prompt))


def verdict(prompt, pick="last", **over):
    """A lawful verdict for this judging prompt that names the first or the last label; None when it carries no schema."""
    s = schema_in(prompt)
    if not s:
        return None
    v = instance(s, pick=pick)
    v.update({k: x for k, x in over.items() if k in v})
    return v
