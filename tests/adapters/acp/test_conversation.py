"""The conversation, message by message: a pure machine, so that every odd agent can be played."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.acp import wire
from adapters.acp.agents import ACP
from adapters.acp.conversation import Question, Talk, begun, farewell, heard, usual_ways
from adapters.spec import Ask, Finished, Progress
from state.failures import FailureKind as K
from state.models import Envelope, Seat

VIEW = Path("/view")
SESSION = {"sessionId": "s-1"}
END = {"stopReason": "end_turn"}


def question(**more: Any) -> Question:
    return Question("Why?", VIEW, VIEW, more.pop("model", None), more.pop("effort", "high"), usual_ways, **more)


class Agent:
    """An agent that says what a test wants, and hears what we answer."""

    def __init__(self, **more: Any) -> None:
        self.progress = begun(question(**more))
        self.heard: list[dict[str, Any]] = []
        self._listen()

    def says(self, *messages: Any) -> "Agent":
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.progress = heard(replace(self.progress, reply=b""), line)
            self._listen()
        return self

    def answers(self, *results: Any) -> "Agent":
        """Answer the requests of ours, one after the other."""
        for result in results:
            self.says({"jsonrpc": "2.0", "id": self.talk.number, "result": result})
        return self

    def opened(self) -> "Agent":
        return self.answers({"protocolVersion": 1}, SESSION)

    def _listen(self) -> None:
        self.heard += [json.loads(line) for line in self.progress.reply.splitlines()]

    @property
    def talk(self) -> Talk:
        assert isinstance(self.progress.talk, Talk)
        return self.progress.talk

    @property
    def methods(self) -> list[str]:
        return [message["method"] for message in self.heard if "method" in message]

    def envelope(self, ended: Any = "answered", tool: str = "gemini") -> Envelope:
        ask = Ask(Seat(role="proposer", tool=tool, transport="acp"), "Why?")
        return ACP[tool].read(ask, Finished(0, b"", b"", 1.0, ended, progress=self.progress))


def update(name: str, /, **more: Any) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": name, **more}}}


def chunk(text: str) -> dict[str, Any]:
    return update("agent_message_chunk", content={"type": "text", "text": text})


def test_a_turn_from_the_first_word_to_the_answer() -> None:
    agent = (
        Agent().opened().says(chunk("PO"), chunk("NG")).answers({**END, "usage": {"inputTokens": 3, "outputTokens": 1}})
    )
    assert agent.methods == ["initialize", "session/new", "session/prompt"]
    assert agent.heard[0]["params"]["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    }
    assert agent.heard[1]["params"] == {"cwd": "/view", "mcpServers": []}
    assert agent.heard[2]["params"]["prompt"] == [{"type": "text", "text": "Why?"}]
    assert agent.progress.complete
    found = agent.envelope()
    assert (found.response, found.failure, found.transport, found.notes) == ("PONG", None, "acp", ())
    assert (found.usage.input_tokens, found.session_id) == (3, "s-1")


def test_what_was_said_before_the_prompt_or_a_tool_call_is_no_answer() -> None:
    agent = Agent().answers({}).says(chunk("[MODE] plan")).answers(SESSION)
    agent.says(chunk("I will look."), update("tool_call", kind="read", rawInput={"path": "/view/a.py"}))
    assert agent.progress.activity == "reads /view/a.py"
    agent.says(update("tool_call_update", status="completed"), chunk("Final.")).answers(END).says(chunk("late"))
    assert agent.envelope().response == "Final."


@pytest.mark.parametrize(
    "noise",
    [
        b"Loading...",
        b"\x1b]0;title\x07",
        b"",
        b"{broken",
        b"[1, 2]",
        b'"text"',
        b'{"some": "object"}',
        json.dumps({"method": "_vendor/thing", "params": {}}).encode(),
        json.dumps({"id": 99, "result": {}}).encode(),
        json.dumps(update("plan", entries=[])).encode(),
        json.dumps({"method": "session/update", "params": None}).encode(),
        json.dumps(update("agent_message_chunk", content=None)).encode(),
    ],
)
def test_what_is_no_part_of_the_conversation_does_it_no_harm(noise: bytes) -> None:
    agent = Agent()
    for step in ({}, SESSION):
        agent.says(noise).answers(step)
    agent.says(noise, chunk("PONG"), noise).answers(END)
    assert agent.envelope().response == "PONG"
    assert agent.methods == ["initialize", "session/new", "session/prompt"]


def test_a_frame_behind_codes_for_a_terminal_is_heard() -> None:
    agent = Agent().opened()
    agent.says(b"\x1b[?25l" + json.dumps(chunk("PONG")).encode() + b"\r").answers(END)
    assert agent.envelope().response == "PONG"


def test_a_session_is_loaded_and_what_it_replays_is_no_answer() -> None:
    agent = Agent(session="s-1").answers({})
    assert agent.heard[-1]["method"] == "session/load"
    assert agent.heard[-1]["params"] == {"sessionId": "s-1", "cwd": "/view", "mcpServers": []}
    agent.says(chunk("what was said before")).answers(None).says(chunk("PONG")).answers(END)
    assert (agent.envelope().response, agent.envelope().session_id) == ("PONG", "s-1")


def test_a_session_that_cannot_be_loaded_is_lost() -> None:
    agent = Agent(session="s-1").answers({})
    agent.says({"id": agent.talk.number, "error": {"code": -32603, "message": "Internal error"}})
    failure = agent.envelope().failure
    assert failure is not None
    assert failure.kind is K.SESSION_LOST


@pytest.mark.parametrize("method", ["fs/write_text_file", "fs/read_text_file", "terminal/create", "_vendor/ask"])
def test_what_we_do_not_offer_is_refused_at_once(method: str) -> None:
    agent = Agent().opened().says({"id": 0, "method": method, "params": {}})
    assert (agent.heard[-1]["id"], agent.heard[-1]["error"]["code"]) == (0, wire.METHOD_NOT_FOUND)


OFFERED = {
    "configOptions": [
        {"id": "model", "category": "model", "currentValue": "small", "options": [{"value": "big"}]},
        {"id": "depth", "category": "thought_level", "options": [{"value": "low"}, {"value": "medium"}]},
    ]
}


def test_model_and_effort_are_set_by_what_the_agent_offers() -> None:
    agent = Agent(model="big").answers({}, {**SESSION, **OFFERED})
    assert agent.heard[-1]["params"] == {"sessionId": "s-1", "configId": "model", "value": "big"}
    agent.answers({})
    assert agent.heard[-1]["params"] == {"sessionId": "s-1", "configId": "depth", "value": "medium"}
    assert Agent(model="m").answers({}, {**SESSION, "models": {}}).methods[-1] == "session/set_model"
    assert Agent(model="m").opened().methods[-1] == "session/prompt"


def test_an_effort_that_is_refused_is_a_note_and_a_model_that_is_refused_a_failure() -> None:
    agent = Agent(model="big").answers({}, {**SESSION, **OFFERED}, {})
    agent.says({"id": agent.talk.number, "error": {"code": -32602, "message": "effort not found"}})
    agent.says(chunk("PONG")).answers(END)
    assert (agent.envelope().response, "effort not found" in agent.envelope().notes[0]) == ("PONG", True)
    other = Agent(model="nope").answers({}, {**SESSION, **OFFERED})
    other.says({"id": other.talk.number, "error": {"code": -32602, "message": "model not found: nope"}})
    assert other.progress.complete
    assert other.envelope().failure is not None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": -32000, "message": "Authentication required"}, K.NOT_LOGGED_IN),
        ({"code": -32000, "message": "Nothing known"}, K.NOT_LOGGED_IN),
        ({"code": 429, "message": "Too many requests"}, K.RATE_LIMITED),
        ({"code": 500, "message": "Oh dear"}, K.OVERLOADED),
        (
            {"code": -32603, "message": "Internal error", "data": {"errorKind": "authentication_failed"}},
            K.NOT_LOGGED_IN,
        ),
        ({"code": -32603, "message": "Internal error", "data": {"details": "usage limit reached"}}, K.QUOTA),
        ({"code": -32603, "message": "Oh dear"}, K.CRASHED),
        ("not even an object", K.CRASHED),
        ({}, K.CRASHED),
    ],
)
def test_an_error_of_the_prompt_is_a_failure_of_its_kind(error: Any, kind: K) -> None:
    agent = Agent().opened()
    agent.says(chunk("Error: something"), {"id": agent.talk.number, "error": error})
    failure = agent.envelope().failure
    assert failure is not None
    assert failure.kind == kind
    assert failure.message


@pytest.mark.parametrize(
    ("stop", "kind"),
    [("max_tokens", K.TRUNCATED), ("refusal", K.REFUSED), ("max_turn_requests", K.EMPTY), ("odd", K.CRASHED)],
)
def test_a_turn_that_did_not_end_by_itself_is_no_answer(stop: str, kind: K) -> None:
    failure = Agent().opened().says(chunk("half")).answers({"stopReason": stop}).envelope().failure
    assert failure is not None
    assert failure.kind == kind


def test_a_program_that_is_no_agent_is_told_as_such() -> None:
    agent = Agent()
    agent.says({"id": 0, "error": {"code": -32601, "message": "Method not found"}})
    failure = agent.envelope().failure
    assert failure is not None
    assert (failure.kind, "does not speak ACP" in failure.message) == (K.UNPARSABLE, True)


def test_copilots_own_words_are_no_answer() -> None:
    aside = Agent(aside=re.compile(r"\s*(?:Error|Info): (?P<told>.*)"))
    aside.opened().says(chunk("Info: Disabled tools: x"), chunk("PONG")).answers(END)
    assert aside.envelope(tool="copilot").response == "PONG"


def test_an_agent_is_told_to_stop_only_in_the_midst_of_a_turn() -> None:
    agent = Agent()
    assert farewell(agent.progress) == b""
    agent.opened()
    assert json.loads(farewell(agent.progress)) == {
        "jsonrpc": "2.0",
        "method": "session/cancel",
        "params": {"sessionId": "s-1"},
    }
    assert farewell(agent.answers(END).progress) == b""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 5) | st.text(max_size=2) | st.none(),
        "method": st.sampled_from(["session/update", "session/request_permission", "x"]) | JSON,
        "params": st.fixed_dictionaries({"update": JSON, "options": JSON, "toolCall": JSON}) | JSON,
        "result": JSON,
        "error": JSON,
    },
)


@given(st.lists(MESSAGES | st.just(SESSION), max_size=8))
def test_whatever_an_agent_says_the_conversation_goes_on_or_ends_well(messages: list[Any]) -> None:
    agent = Agent()
    for message in messages:
        agent.says(message)
        assert isinstance(agent.progress, Progress)
    found = agent.envelope("deadline" if not agent.progress.complete else "answered")
    assert (found.response is None) != (found.failure is None)
