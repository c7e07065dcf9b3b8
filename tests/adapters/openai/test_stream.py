"""Folding a stream, whatever pieces it comes in; and what the conversation makes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.openai import conversation
from adapters.openai.stream import LINE_LIMIT, Events, Reply, TooMuch, Unreadable
from adapters.openai.tools import offered


def delta(finish: str | None = None, **message: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": message, "finish_reason": finish}]}


def call(index: int | None = None, **of: Any) -> dict[str, Any]:
    ident = of.pop("id", None)
    own = ({} if index is None else {"index": index}) | ({} if ident is None else {"id": ident})
    return {"tool_calls": [{**own, "type": "function", "function": of}]}


def folded(*chunks: dict[str, Any]) -> Reply:
    reply = Reply()
    for chunk in chunks:
        reply.fold(chunk)
    return reply


STREAM = (
    b": ping\r\n\r\n"
    b'data: {"choices":[{"delta":{"content":"caf\xc3\xa9"}}]}\r\n\r\n'
    b'event: x\ndata: {"choices":[{"delta":{"content":"!"},\ndata: "finish_reason":"stop"}]}\n\n'
    b'data:{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":true}}\n\n'
    b"data: [DONE]"
)


@given(st.lists(st.integers(min_value=0, max_value=len(STREAM)), max_size=8).map(sorted))
def test_a_stream_is_the_same_however_it_is_cut(cuts: list[int]):
    events, reply = Events(), Reply()
    for start, end in zip([0, *cuts], [*cuts, len(STREAM)], strict=True):
        for event in events.feed(STREAM[start:end]):
            reply.fold(event)
    for event in events.finish():
        reply.fold(event)
    assert (reply.text, reply.finish, events.done) == ("café!", "stop", True)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3, None)


@pytest.mark.parametrize("data", [b"data: {not\n\n", b"data: [1]\n\n", b"data: 7\n\n", b'data: "text"\n\n'])
def test_data_that_is_no_object_is_unreadable(data: bytes):
    with pytest.raises(Unreadable):
        list(Events().feed(data))


def fed(events: Events, piece: bytes, times: int) -> list[dict[str, Any]]:
    return [event for _ in range(times) for event in events.feed(piece)]


def test_an_endless_line_and_an_endless_event_are_too_much():
    for piece in (b"x" * 65536, b"data: " + b"x" * 65530 + b"\n"):
        with pytest.raises(TooMuch):
            fed(Events(), piece, LINE_LIMIT // 65536 + 2)


@pytest.mark.parametrize(
    ("chunks", "calls"),
    [
        (
            [delta(**call(0, id="a", name="read", arguments="")), delta(**call(0, arguments='{"path":')), delta(**call(0, arguments='"x"}'))],
            [("a", "read", '{"path":"x"}')],
        ),
        ([delta(**call(0, id="a", name="read", arguments="{}")), delta(**call(1, id="b", name="glob", arguments="{}"))], [("a", "read", "{}"), ("b", "glob", "{}")]),
        ([delta(**call(id="a", name="read", arguments="{}")), delta(**call(id="b", name="glob", arguments="{}"))], [("a", "read", "{}"), ("b", "glob", "{}")]),
        ([delta(**call(0, name="read", arguments={"path": "x"}))], [("", "read", '{"path":"x"}')]),
    ],
)  # fmt: skip
def test_tool_calls_are_put_together(chunks: list[dict[str, Any]], calls: list[tuple[str, str, str]]):
    made = conversation.asked_for(folded(*chunks))
    assert [(c.id, c.name, c.arguments) for c in made] == calls


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("<think>hm</think>\n\nYes.", "Yes."),
        ("<think>cut off in its thou", ""),
        ("No <think> here", "No <think> here"),
        ("Yes.", "Yes."),
    ],
)
def test_thoughts_in_front_of_an_answer_are_none_of_it(said: str, text: str):
    assert folded(delta(content=said)).text == text


@pytest.mark.parametrize(
    "chunk", [{}, {"choices": None}, {"choices": [None]}, {"choices": [{"delta": []}]}, {"usage": 5}]
)
def test_odd_chunks_say_nothing_and_do_no_harm(chunk: dict[str, Any]):
    assert folded(chunk).text == ""


def asking(number: int = 1) -> Reply:
    return folded(delta(**call(0, id=f"c{number}", name="read", arguments='{"path":"x"}')), delta("tool_calls"))


def test_results_go_back_to_the_calls_that_asked_for_them():
    talk = conversation.heard(conversation.start("m", "hi", ("read",)), asking())
    talk = conversation.told(talk, ["the file"])
    roles = [message["role"] for message in talk.body()["messages"]]
    assert roles == ["user", "assistant", "tool"]
    assert talk.messages[-1] == {"role": "tool", "tool_call_id": "c1", "content": "the file"}


def test_the_loop_ends_after_so_many_rounds_and_says_so():
    talk, rounds = conversation.start("m", "hi", ("read",)), 0
    while conversation.wants_tools(talk, asking()):
        talk, rounds = conversation.told(conversation.heard(talk, asking()), ["x"]), rounds + 1
        assert rounds <= conversation.ROUNDS
    assert rounds == conversation.ROUNDS
    assert "tools" not in talk.body()
    assert talk.messages[-1]["content"] == conversation.SPENT


def test_results_are_cut_where_no_more_fits_and_then_no_tool_is_offered():
    talk = conversation.told(
        conversation.heard(conversation.start("m", "hi", ("read",), 10), asking()), ["0123456789abc"]
    )
    assert talk.messages[-2]["content"].startswith("0123456789\n[the rest")
    assert "tools" not in talk.body()


def test_broken_arguments_are_not_sent_back_as_they_are():
    broken = folded(delta(**call(0, id="c", name="read", arguments='{"path')))
    talk = conversation.heard(conversation.start("m", "hi", ("read",)), broken)
    assert json.loads(talk.messages[-1]["tool_calls"][0]["function"]["arguments"]) == {}
    assert conversation.arguments_of(conversation.asked_for(broken)[0]) is None


@pytest.mark.parametrize(
    ("wanted", "reads", "names"),
    [
        (None, True, ("read", "glob", "grep")),
        (["grep", "web_search", "read"], True, ("read", "grep")),
        (["web_search"], True, ()),
        ([], True, ()),
        (None, False, ()),
    ],
)
def test_the_list_of_tools_narrows_to_what_exists_and_an_empty_one_is_none(wanted, reads, names):
    assert offered(wanted, reads=reads) == names
    assert ("tools" in conversation.start("m", "hi", offered(wanted, reads=reads)).body()) == bool(names)
