"""Every recorded conversation of the real agents, heard again; the golden file is meant to be read."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.acp.agents import ACP, AGENTS
from adapters.acp.conversation import Question, Wish, begun
from adapters.spec import Ask, Finished, Progress
from state.models import Envelope, Seat

RECORDINGS = Path(__file__).parents[2] / "recordings/acp"
GOLDEN = Path(__file__).with_name("recordings.txt")
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.jsonl"))


def rows(name: str) -> list[dict[str, Any]]:
    """Everything that was said, in order."""
    lines = (RECORDINGS / f"{name}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def asked(name: str) -> tuple[Ask, Progress]:
    """The question, and our side before the agent has spoken: it sets what was set when the recording was made."""
    ask = Ask(Seat(role="proposer", tool=name.partition("-")[0], model="m", transport="acp", timeout_s=9), "Say PONG.")
    ours = [
        row["msg"]["method"] for row in rows(name) if _is_ours(row) and "id" in row["msg"] and "method" in row["msg"]
    ]
    wishes = tuple(
        Wish(m, {}, optional=False) for m in ours if m not in ("initialize", "session/new", "session/prompt")
    )
    aside = AGENTS[ask.seat.tool][1].aside
    return ask, begun(Question(ask.prompt, Path("/view"), Path("/view"), None, "high", lambda *_: wishes, aside))


def _is_ours(row: dict[str, Any]) -> bool:
    return row.get("dir") in ("outgoing", "client->agent")


def heard_again(name: str) -> tuple[list[Progress], Envelope]:
    """The conversation played to its end: each step, and the envelope. Answers are numbered as we ask."""
    ask, progress = asked(name)
    adapter, steps = ACP[ask.seat.tool], [progress]
    for message in (row["msg"] for row in rows(name) if not _is_ours(row)):
        said = message if "method" in message else {**message, "id": progress.talk.number}
        progress = adapter.watch(replace(progress, reply=b""), json.dumps(said).encode(), "stdout")
        steps.append(progress)
    ended = "answered" if progress.complete else "deadline"
    return steps, adapter.read(ask, Finished(0, b"", b"", 9.0, ended, progress=progress))


def told(name: str) -> str:
    _, envelope = heard_again(name)
    failure = envelope.failure
    answer = (envelope.response or "")[:60].replace("\n", " ")
    outcome = f"{failure.kind}: {failure.message}" if failure else f"answer: {answer!r}"
    usage = f" [{envelope.usage.input_tokens}/{envelope.usage.output_tokens}]" if envelope.usage.input_tokens else ""
    return f"{name:30}{outcome}{usage}"


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_conversation_comes_to_what_the_golden_file_says(name: str) -> None:
    kept = {line.split(" ", 1)[0]: line for line in GOLDEN.read_text("utf-8").splitlines()}
    assert told(name) == kept[name]


@pytest.mark.parametrize("name", NAMES)
def test_no_recorded_request_for_a_permission_is_granted(name: str) -> None:
    steps, _ = heard_again(name)
    wanted = [row["msg"] for row in rows(name) if row["msg"].get("method") == "session/request_permission"]
    answers = [json.loads(step.reply) for step in steps if b'"outcome"' in step.reply]
    assert len(answers) == len(wanted)
    for request, answer in zip(wanted, answers, strict=True):
        kinds = {option["optionId"]: option["kind"] for option in request["params"]["options"]}
        assert (answer["id"], kinds[answer["result"]["outcome"]["optionId"]]) == (request["id"], "reject_once")


if os.environ.get("KEEP_GOLDEN"):
    GOLDEN.write_text("".join(f"{told(name)}\n" for name in NAMES), "utf-8")
