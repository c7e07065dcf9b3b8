"""Google's generateContent API. Whether it streams is said by the path, so the server puts `stream` into the body."""

from tests.fakes.model_server.talk import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Dialect,
    Event,
    Json,
    Refusal,
    Say,
    parts,
    shown,
    text,
)

_STATES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}


def _quota(period: str) -> Json:
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_requests",
        "quotaId": f"GenerateRequestsPer{period}PerProjectPerModel",
        "quotaValue": "50",
    }
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


_EXHAUSTED: dict[bool, list[Json]] = {True: [_quota("Day")], False: [_quota("Minute"), _RETRY]}


def _chunk(say: Say, said: list[Json], reason: str | None) -> Json:
    candidate = {"index": 0, "content": {"role": "model", "parts": said}} | ({"finishReason": reason} if reason else {})
    counts = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS}
    counts["totalTokenCount"] = INPUT_TOKENS + OUTPUT_TOKENS
    return {"candidates": [candidate], "modelVersion": say.model, "responseId": "r1", "usageMetadata": counts}


def _parts(say: Say, texts: list[str]) -> list[Json]:
    if say.call is not None:
        return [{"functionCall": {"name": say.call.tool, "args": say.call.arguments}}]
    return [{"text": piece} for piece in texts]


def _error(refusal: Refusal) -> tuple[Json, dict[str, str]]:
    state = _STATES.get(refusal.status, "INTERNAL")
    details = {"details": _EXHAUSTED[refusal.quota]} if refusal.status == 429 else {}
    return {"error": {"code": refusal.status, "message": refusal.message, "status": state, **details}}, {}


def _offered(body: Json) -> list[str]:
    return [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]


def _results(body: Json) -> list[str]:
    given = [part["functionResponse"] for part in parts(body["contents"], "parts") if "functionResponse" in part]
    return [shown(response.get("response")) for response in given]


def _wanted(body: Json) -> Json | None:
    config = body.get("generationConfig", {})
    return config.get("responseJsonSchema") or config.get("responseSchema")


GEMINI = Dialect(
    name="gemini",
    system=lambda body: text(body.get("systemInstruction", {}).get("parts")),
    messages=lambda body: [(content.get("role", "user"), text(content.get("parts"))) for content in body["contents"]],
    results=_results,
    offered=_offered,
    streamed=lambda body: bool(body.get("stream")),
    wanted=_wanted,
    events=lambda say: [
        *(Event(_chunk(say, [part], None)) for part in _parts(say, say.pieces)),
        Event(_chunk(say, [], "STOP")),
    ],
    whole=lambda say: _chunk(say, _parts(say, [say.text]), "STOP"),
    error=_error,
)
