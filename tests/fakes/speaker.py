"""A vendor of no substance: `speaker.py TOOL FOLDER` answers on stdin's prompt in the format of claude, codex or gemini.

It notes each step that it was asked for as a line of FOLDER/calls (`round-1 proposer`, `judge`), and what lies in its
current folder in FOLDER/seen; takes FOLDER/pause seconds over it (codex twice as long), dies in the steps that FOLDER/fail
names, adds to each speech what FOLDER/blurt holds, and hangs, deaf to polite signals, where FOLDER holds a file `hang`.
Judging prompts get the ballot that they ask for.
"""

import json
import re
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes.model_server import ballot

TOOL, FOLDER = sys.argv[1], Path(sys.argv[2])


def step(prompt: str) -> str:
    """Which step a prompt asks for."""
    part = re.search(r"you are the (proposer|challenger), round (\d)", prompt)
    return f"round-{part[2]} {part[1]}" if part else "judge"


def answer(prompt: str) -> str:
    """A speech, or a ballot."""
    schema = ballot.schema_in(prompt)
    blurt = (FOLDER / "blurt").read_text() if (FOLDER / "blurt").exists() else ""
    return (
        f"{step(prompt)}: app.py:1 decides it.{blurt and f' {blurt}'}"
        if schema is None
        else json.dumps(ballot.instance(schema))
    )


def events(text: str) -> list[dict[str, object]]:
    """The answer as the tool's stream tells it."""
    if TOOL == "codex":
        item = {"id": "item_0", "type": "agent_message", "text": text}
        usage = {"input_tokens": 100, "output_tokens": 10}
        return [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"},
                {"type": "item.completed", "item": item}, {"type": "turn.completed", "usage": usage}]  # fmt: skip
    if TOOL == "gemini":
        return [{"session_id": "g", "response": text, "stats": {}}]
    return [{"type": "result", "subtype": "success", "is_error": False, "result": text, "session_id": "s"}]


def main() -> None:
    prompt = sys.stdin.read()
    with (FOLDER / "calls").open("a") as log:
        log.write(f"{step(prompt)}\n")
    with (FOLDER / "seen").open("a") as log:
        log.write("".join(f"{path.name}\n" for path in Path.cwd().iterdir()))
    if (FOLDER / "hang").exists():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(60)
    if (FOLDER / "pause").exists():
        time.sleep(float((FOLDER / "pause").read_text()) * (2 if TOOL == "codex" else 1))
    if (FOLDER / "fail").exists() and step(prompt) in (FOLDER / "fail").read_text().splitlines():
        sys.exit(f"{TOOL} fell over: {answer(prompt)}")
    for event in events(answer(prompt)):
        print(json.dumps(event), flush=True)


main()
