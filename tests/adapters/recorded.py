"""Recordings of the real CLIs, played through an adapter as the process room would play the live streams."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.spec import Adapter, Ask, Finished, Progress
from state.models import Envelope, Seat

RECORDINGS = Path(__file__).parent.parent / "recordings"
GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Played:
    """What became of one recording."""

    progress: Progress
    envelope: Envelope

    def __str__(self) -> str:
        """One line for a person: the answer, or the kind of failure and its message; whether it was given up early."""
        failed, hopeless = self.envelope.failure, self.progress.hopeless
        told = f"{failed.kind}: {failed.message}" if failed else f"answer: {_short(self.envelope.response or '')}"
        return f"{told} [given up: {hopeless.kind}: {hopeless.message}]" if hopeless else told


def names(tool: str) -> list[str]:
    """The recordings of this vendor."""
    return sorted(file.name.removesuffix(".meta.json") for file in (RECORDINGS / tool).glob("*.meta.json"))


def play(adapter: Adapter, name: str) -> Played:
    """Feeds both streams line by line to `watch` and `keep`, then lets `read` judge what was kept."""
    meta, out, err = (_file(adapter.name, name, ending) for ending in ("meta.json", "stdout", "stderr"))
    facts = json.loads(meta)
    progress = Progress()
    for line in out.splitlines(keepends=True):
        progress = adapter.watch(progress, line, "stdout")
    for line in err.splitlines(keepends=True):
        progress = adapter.watch(progress, line, "stderr")
    kept = b"".join(line for line in out.splitlines(keepends=True) if adapter.keep(line))
    return Played(progress, adapter.read(ask(adapter.name, _size(facts)), _finished(facts, name, kept, err, progress)))


def ask(tool: str, size: int = 10, **more: Any) -> Ask:
    """A question of so many characters."""
    return Ask(Seat(role="proposer", tool=tool), "x" * size, **more)


def golden(tool: str) -> dict[str, str]:
    """The checked-in outcomes: a line `name  outcome` for each recording; lines that begin with # say why."""
    lines = (GOLDEN / f"{tool}.txt").read_text("utf-8").splitlines()
    rows = (line.partition(" ") for line in lines if line.strip() and not line.startswith("#"))
    return {name: outcome.strip() for name, _, outcome in rows}


def _file(tool: str, name: str, ending: str) -> bytes:
    return (RECORDINGS / tool / f"{name}.{ending}").read_bytes()


def _size(facts: dict[str, Any]) -> int:
    size = facts.get("stdin_bytes")
    return size if isinstance(size, int) else 10


def _finished(facts: dict[str, Any], name: str, out: bytes, err: bytes, progress: Progress) -> Finished:
    """A recording whose harness ended it stands for one that our deadline ended."""
    code = facts.get("exit_code")
    ours = code is None or bool(facts.get("killed_by_harness")) or (code == -9 and "kill" not in name.lower())
    ended = "deadline" if ours else "exit"
    return Finished(code, out, err, float(facts.get("wall_s") or 0), ended, progress=progress)


def _short(text: str) -> str:
    return json.dumps(text if len(text) <= 60 else f"{text[:60]}… ({len(text)} characters)", ensure_ascii=False)
