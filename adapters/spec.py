"""What a vendor is: data and pure functions. `build` turns our words into a command, `read` its output into an envelope."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from state.failures import FailureKind
from state.models import Envelope, Failure, Seat, Transport


@dataclass(frozen=True)
class Ask:
    """One question to one participant.

    `view` is the folder that the participant may read (None: nothing). `brief` holds the values that the prompt was
    rendered from; only the rehearsal speaker may look at it. `options` are the user's settings for this tool. `keep`: a
    private folder that outlives the call, where the vendor's session is to be kept (None: nothing is kept). `continues`:
    the session to go on with.
    """

    seat: Seat
    prompt: str
    view: Path | None = None
    brief: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    keep: Path | None = None
    continues: str | None = None


@dataclass(frozen=True)
class Place:
    """Where a call runs: `program` is the executable found, `folder` a private folder of this call (0700, removed
    afterwards; `folder/cwd` and `folder/tmp` exist and are empty), `environ` the user's environment to choose from.
    """

    program: Path
    folder: Path
    environ: Mapping[str, str]


@dataclass(frozen=True)
class Command:
    """A process to start. `files` are written below the private folder first (0600). `stdin` is the whole input.

    Where there is an `opening`, stdin stays open after it: the process is spoken with, and `opening` is the progress that
    its first line is folded into.
    """

    argv: tuple[str, ...]
    stdin: bytes = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    cwd: Path
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    opening: "Progress | None" = field(default=None, repr=False)


@dataclass(frozen=True)
class Progress:
    """What a running call has shown so far; `watch` folds each line into it.

    `activity`: what the participant does now, for a person ("reads src/queue.py"). `written`: characters of the answer so
    far. `complete`: a whole answer has been printed, so the process need not be waited for. `hopeless`: the vendor keeps
    retrying what will not come; the call is given up with this failure. `tally` and `talk` are the vendor's own scratch
    space. `reply`: what to say to the process now, where it is spoken with; it is said once.
    """

    activity: str | None = None
    written: int = 0
    complete: bool = False
    hopeless: Failure | None = None
    tally: int = 0
    talk: Any = None
    reply: bytes = b""


Stream = Literal["stdout", "stderr"]


@dataclass(frozen=True)
class Finished:
    """What a process left behind. `exit_code` is None when it had to be abandoned; negative is minus the signal.

    `ended`: by itself, at its deadline, by us after a complete answer (`answered`), given up (`hopeless`), for printing
    too much, or cancelled. `stdout` and `stderr` hold what was kept; `cut_bytes` counts what the limits cut away.
    `ended_at` (aware, in the user's time zone) tells what "try again at 3:05 PM" means; without it such times are not
    told.
    """

    exit_code: int | None
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    duration_s: float
    ended: Literal["exit", "deadline", "answered", "hopeless", "too_much_output", "cancelled"] = "exit"
    cut_bytes: int = 0
    progress: Progress = field(default=Progress(), repr=False)
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Conversed:
    """What came of a call that is no process: the envelope, and what is worth keeping when it failed."""

    envelope: Envelope
    asked: str = ""
    transcript: bytes = field(default=b"", repr=False)


Converse = Callable[[Ask, Place, float, Callable[[Progress], None]], Awaitable[Conversed]]
"""Asks without a process of the vendor's: question, place, seconds that are left, who hears the progress."""


def _no_program(_ask: Ask, _place: Place) -> Failure:
    return Failure(kind=FailureKind.NOT_RUNNABLE, message="this tool is no program")


def _no_output(ask: Ask, _finished: Finished) -> Envelope:
    return Envelope(tool=ask.seat.tool, failure=Failure(kind=FailureKind.EMPTY, message="this tool prints nothing"))


@dataclass(frozen=True)
class Adapter:
    """One vendor.

    `executable`: its name on PATH. `install`, `login`: what to type, for messages. `transport`: how it is reached.
    `continuable`: whether its sessions can be gone on with. For the documentation, `read_only`:
    what keeps it to reading; `usage`: what it says of a call's cost. `env`: names of environment variables it
    may get beside the common ones (a trailing `*` matches any ending). `denied_env`: names never passed on, which win.
    `keep(line)`: whether a stdout line can matter for the answer (the rest is dropped to bound memory).
    `watch(progress, line, stream)`: folds one line into the progress. `signals`: how to ask it to stop, best first.
    `prompt_limit(ask)`: the most characters that surely fit, or None. `farewell(progress)`: what to say to a process that is
    spoken with before it is stopped in the midst of its work. `converse`: how it is asked where it is no program; then
    nothing is built, watched or read.
    """

    name: str
    executable: str
    install: str
    login: str
    build: Callable[[Ask, Place], Command | Failure] = _no_program
    read: Callable[[Ask, Finished], Envelope] = _no_output
    watch: Callable[[Progress, bytes, Stream], Progress] = lambda progress, _line, _stream: progress
    keep: Callable[[bytes], bool] = lambda _line: True
    transport: Transport = "cli"
    continuable: bool = False
    read_only: str = ""
    usage: str = ""
    env: tuple[str, ...] = ()
    denied_env: tuple[str, ...] = ()
    signals: tuple[int, ...] = (15,)
    prompt_limit: Callable[[Ask], int | None] = lambda _ask: None
    farewell: Callable[[Progress], bytes] = lambda _progress: b""
    converse: Converse | None = None
