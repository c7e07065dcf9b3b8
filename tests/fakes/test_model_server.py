"""The scripted model server speaks its four APIs, follows its script, breaks as told and fills in ballots."""

import http.client
import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import SCENARIOS, Call, ModelServer, Scenario, ballot
from tests.fakes.trap import Trap

_BODIES: dict[str, dict[str, Any]] = {
    "v1/messages": {"model": "m", "messages": [{"role": "user", "content": "Which queue?"}]},
    "v1/responses": {"model": "m", "input": "Which queue?"},
    "v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "Which queue?"}]},
    "v1beta/models/m:generateContent": {"contents": [{"role": "user", "parts": [{"text": "Which queue?"}]}]},
}
_STREAMS = {path.replace(":generate", ":streamGenerate"): body | {"stream": True} for path, body in _BODIES.items()}
_SCHEMA = {
    "type": "object",
    "properties": {
        "nonce": {"const": "n-17"},
        "winner": {"enum": ["side-a", "side-b"]},
        "citations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Citation"}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "score": {"type": "integer", "minimum": 3, "maximum": 9},
    },
    "required": ["nonce", "winner"],
    "$defs": {
        "Citation": {"type": "object", "properties": {"quote": {"type": "string"}, "speech": {"enum": ["s1", "s2"]}}}
    },
}


def _post(server: ModelServer, path: str, body: dict[str, Any]) -> str:
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url('seat')}/{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("path", _BODIES)
def test_each_api_answers_at_once_and_notes_the_question(path: str) -> None:
    with ModelServer() as server:
        assert "PONG from the scripted model." in _post(server, path, _BODIES[path])
        [noted] = server.asked("seat")
        assert (noted.prompt, noted.model) == ("Which queue?", "m")


@pytest.mark.parametrize("path", _STREAMS)
def test_a_cut_stream_breaks_off_and_a_good_one_does_not(path: str) -> None:
    with ModelServer({"seat": SCENARIOS["cut"]}) as server:
        with pytest.raises(http.client.IncompleteRead):
            _post(server, path, _STREAMS[path])
        server.scenarios["seat"] = SCENARIOS["ok"]
        assert "data: " in _post(server, path, _STREAMS[path])


@pytest.mark.parametrize("path", _BODIES)
@pytest.mark.parametrize(("name", "status"), [("401", 401), ("quota", 429), ("529", 529)])
def test_a_refusal_is_an_http_error_with_words(path: str, name: str, status: int) -> None:
    with ModelServer(default=SCENARIOS[name]) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            _post(server, path, _BODIES[path])
        with caught.value as error:
            refusal = SCENARIOS[name].refusal
            assert error.code == status
            assert refusal is not None
            assert refusal.message in error.read().decode()


def test_the_script_is_followed_by_the_number_of_results_in_the_request() -> None:
    script = Scenario(script=(Call("read", {"path": "a"}), Call("write", {"path": "b"})))
    with ModelServer(default=script) as server:
        asked: list[dict[str, Any]] = [{"role": "user", "content": "q"}]
        said: list[str] = []
        for _ in range(3):
            answer = json.loads(_post(server, "v1/messages", {"model": "m", "messages": asked}))["content"][0]
            said.append(answer.get("name") or answer["text"])
            result = {"type": "tool_result", "tool_use_id": "t", "content": f"result {len(said)}"}
            asked.append({"role": "user", "content": [result]})
        assert said == ["read", "write", "PONG from the scripted model."]
        assert server.requests[-1].results == ["result 1", "result 2"]


def test_a_fault_with_an_end_is_over_after_so_many_requests() -> None:
    with ModelServer(default=Scenario(fault="html", times=1)) as server:
        body = _BODIES["v1/responses"]
        assert "<html>" in _post(server, "v1/responses", body)
        assert "PONG" in _post(server, "v1/responses", body)


def test_a_judging_prompt_gets_a_valid_ballot_for_the_chosen_label() -> None:
    prompt = f"Judge this.\n\n```json-schema\n{json.dumps(_SCHEMA, indent=1)}\n```\nAnswer in JSON."
    given = json.loads(SCENARIOS["last"].answer(prompt))
    assert (given["nonce"], given["winner"], given["score"]) == ("n-17", "side-b", 3)
    assert given["citations"] == [{"quote": "", "speech": "s2"}]
    assert json.loads(SCENARIOS["ok"].answer(prompt))["winner"] == "side-a"


def test_a_schema_with_a_fence_of_tildes_is_found_and_other_fences_are_not() -> None:
    assert ballot.schema_in('~~~~json-schema\n{"const": 1}\n~~~~') == {"const": 1}
    assert ballot.schema_in('```json\n{"const": 1}\n```') is None


def test_the_program_prints_its_port_and_logs_each_request(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    argv = [sys.executable, "-m", "tests.fakes.model_server", "--route", "seat=401", "--log", str(log)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        client = ModelServer(port=int(process.stdout.readline()))
        with pytest.raises(urllib.error.HTTPError) as caught:
            _post(client, "v1/responses", _BODIES["v1/responses"])
        caught.value.close()
        process.terminate()
    line = json.loads(log.read_text())
    assert (line["route"], line["api"], line["body"]["input"]) == ("seat", "responses", "Which queue?")
    assert process.returncode == 0


def test_the_trap_counts_whoever_calls() -> None:
    with Trap() as trap:
        with pytest.raises((urllib.error.URLError, ConnectionError, http.client.HTTPException)):
            urllib.request.urlopen(f"{trap.url}/steal", timeout=5)
        assert trap.hits[0].startswith(b"GET /steal")
