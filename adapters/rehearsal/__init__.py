"""The built-in offline speakers: real child processes that argue from the lines of the folder they may read. No model."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

from adapters.environment import child_environment
from adapters.outcome import Dialect, Said, envelope
from adapters.reading import text_of, value, values
from adapters.spec import Adapter, Ask, Command, Finished, Place, Progress, Stream
from state.failures import FailureKind
from state.models import Envelope, Failure

CAST = Path(__file__).parent / "cast"
MODEL = "built-in rehearsal speaker"
SCENARIOS = {
    "plain": "every speaker answers",
    "hang": "the challenger never answers",
    "garbage": "the challenger prints what nobody can read",
    "quota": "the challenger's allowance is used up in round 2",
    "crash": "the challenger dies in the middle of its answer in round 2, so what there is is judged",
    "empty": "the challenger reports success without a text",
    "judge-split": "two judges favour whoever they are shown first",
}
"""What each scenario of `--rehearse=SCENARIO` shows."""

_PLAIN = Dialect(noise=re.compile(r"(?!)"))


def rehearsing(adapter: Adapter, scenario: str) -> Adapter:
    """The same chair with a built-in speaker in it: the name stays, and no program of the vendor is started."""

    def build(ask: Ask, place: Place) -> Command:
        brief = {"scenario": scenario, "tool": adapter.name, "role": ask.seat.role, "values": dict(ask.brief)}
        argv = (sys.executable, "-I", "-S", "-B", str(CAST))
        stdin = json.dumps(brief, default=str).encode("utf-8", "replace")
        return Command(
            argv=argv, stdin=stdin, env=child_environment(adapter, place), cwd=ask.view or place.folder / "cwd"
        )

    speaker = replace(adapter, build=build, read=_read, watch=_watch, keep=lambda _line: True)
    return replace(speaker, signals=(15,), prompt_limit=_no_limit, converse=None)


def _no_limit(_ask: Ask) -> None:
    return None


def _watch(progress: Progress, line: bytes, stream: Stream) -> Progress:
    event = value(line) if stream == "stdout" else None
    match event and event.get("type"):
        case "activity":
            return replace(progress, activity=text_of(event["text"]) if event else None)
        case "speech":
            return replace(progress, complete=True, written=len(text_of(event.get("text"))) if event else 0)
        case _:
            return progress


def _read(ask: Ask, finished: Finished) -> Envelope:
    said = Said(model=MODEL)
    for event in values(finished.stdout):
        if event.get("type") == "speech":
            said = replace(said, text=text_of(event.get("text")), complete=True, structured=True)
        elif event.get("type") == "failure":
            failure = Failure(kind=FailureKind(str(event["kind"])), message=text_of(event.get("message")))
            said = replace(said, failure=failure, structured=True)
    return envelope(ask, finished, said, _PLAIN)
