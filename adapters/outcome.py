"""Judging what came back from a call: the vendor's own verdict first, then how the process ended, then emptiness, then form."""

import re
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from adapters import efforts
from adapters.failing import WAITING, by_status, by_words, failure, status_in
from adapters.reading import values
from adapters.resetting import retry_at
from adapters.spec import Ask, Finished
from state.clean import without_terminal_codes
from state.failures import FailureKind
from state.models import Envelope, Failure, Usage

K = FailureKind


@dataclass(frozen=True)
class Said:
    """What a vendor's output amounts to.

    `text` is the answer so far; `complete` tells that the vendor has ended it. `failure` is the vendor's own word that the
    call failed. `structured` tells that the output was in the form that was asked for.
    """

    text: str = ""
    complete: bool = False
    failure: Failure | None = None
    structured: bool = False
    model: str | None = None
    session_id: str | None = None
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dialect:
    """How a vendor speaks outside its events.

    `noise`: how lines begin that tell nothing; what follows it on the line is kept. `kinds`: what its phrases mean, best
    first, before the common ones. `exits`: what its exit codes mean.
    """

    noise: re.Pattern[str]
    kinds: tuple[tuple[FailureKind, str], ...] = ()
    exits: Mapping[int, FailureKind] = field(default_factory=dict)

    def kind(self, text: str) -> FailureKind | None:
        """The kind of failure that a vendor's error text speaks of, or None."""
        own = (kind for kind, pattern in self.kinds if re.search(pattern, text, re.IGNORECASE))
        return next(own, None) or by_words(text) or by_status(status_in(text) or 0)

    def lines(self, output: bytes) -> list[str]:
        """The lines that tell something."""
        text = without_terminal_codes(output.decode("utf-8", "replace"))
        told = (self.plain(line) for line in text.splitlines() if not _DUMP.match(line))
        return [line for line in told if line]

    def plain(self, line: str) -> str:
        """The line without the noise at its beginning."""
        noise = self.noise.match(line := line.strip())
        return line[noise.end() :].strip() if noise else line


_DUMP = re.compile(
    r"\s*(?:at (?:async )?\S+.*[:(]\S+:\d+|at (?:file|node|unknown)\b|[{}\]]|\d+>|\^"
    r"|[\"\[]?[a-z]\w*[\"\]]?: (?:['\"\d\[{]|undefined|null|true|false))"
)
"""Lines of a stack or of a printed object."""
_JSON = re.compile(rb"^\s*\{", re.MULTILINE)
_QUESTION = re.compile(
    r"[\[(]\s*y(?:es)?\s*/\s*n(?:o)?\s*[\])]\s*:?\s*$|\?\s*$|\bconfirmation\b"
    r"|\b(?:enter|paste|type|password|passphrase|press)\b[^:]*(?::|\.\.\.|…)$",
    re.IGNORECASE,
)
_ASKS_LOGIN = re.compile(r"\blog ?in\b|\bsign ?in\b|browser|credential|authenticat", re.IGNORECASE)
_ASKS_RIGHT = re.compile(r"\ballow\b|permission|confirmation|consent|approve|trust", re.IGNORECASE)
_ERROR = re.compile(r"\W*(?:fatal|error|\w*(?:Error|Exception))\b", re.IGNORECASE)
_BY_SHELL = tuple(128 + number for number in (1, 2, 3, 6, 9, 11, 15))
"""Exit codes of programs that say so of a signal that ended them or their child."""
_HELP = re.compile(r"unknown (?:option|argument)|unexpected argument|invalid (?:values?|choice)", re.IGNORECASE)


def envelope(ask: Ask, finished: Finished, said: Said, dialect: Dialect) -> Envelope:
    """The envelope for what was said and how the process ended (the order of R21)."""
    answered = said.failure is None and said.complete and bool(said.text.strip())
    failed = None if answered else said.failure or unanswered(finished, said, dialect)
    return Envelope(
        tool=ask.seat.tool,
        model=said.model,
        effort=ask.seat.effort,
        response=said.text.strip() if answered else None,
        failure=_explained(failed, ask, finished) if failed else None,
        session_id=said.session_id,
        duration_ms=round(finished.duration_s * 1000),
        usage=said.usage,
        notes=(*said.notes, *(_late(finished) if answered else ())),
    )


def _explained(failed: Failure, ask: Ask, finished: Finished) -> Failure:
    """The failure with what only the call knows: where an unknown model's name came from, what "at 3:05 PM" means."""
    if failed.kind is K.UNKNOWN_MODEL:
        origin = f"(model {efforts.model(ask) or 'not given'}: {efforts.origin(ask)})"
        return failed.model_copy(update={"message": f"{failed.message} {origin}"})
    if failed.kind in WAITING and failed.retry_at is None:
        return failed.model_copy(update={"retry_at": retry_at(failed.message, finished.ended_at)})
    return failed


def unanswered(finished: Finished, said: Said, dialect: Dialect) -> Failure:
    """Why there is no complete answer, where the vendor's events do not tell."""
    if finished.ended == "hopeless" and finished.progress.hopeless:
        return finished.progress.hopeless
    if finished.ended == "cancelled":
        return failure(K.CANCELLED, "stopped before the answer was complete")
    if finished.ended == "too_much_output":
        return failure(K.TOO_MUCH_OUTPUT, "stopped because it printed more than can be kept")
    if finished.ended == "deadline":
        return _late_failure(finished, said, dialect)
    if finished.exit_code != 0 and finished.ended != "answered":
        return _crash(finished, said, dialect)
    return _silent(finished, said, dialect)


def _late(finished: Finished) -> Iterator[str]:
    if finished.ended != "exit":
        yield "had to be stopped after its answer"
    elif finished.exit_code != 0:
        yield f"{_ending(finished.exit_code)} after a complete result"


def _late_failure(finished: Finished, said: Said, dialect: Dialect) -> Failure:
    """A call that our deadline ended: what its last words tell is better than the clock."""
    told = _told(finished, said, dialect)
    question = next((line for line in reversed(told) if _QUESTION.search(line)), None)
    if question:
        return _waits(_asks(question), question)
    kind, line = _kind_and_line(told, dialect)
    if kind:
        return failure(kind, line)
    return failure(K.TIMED_OUT, f"no complete answer after {finished.duration_s:.0f} s; {_last_seen(finished, told)}")


def _waits(kind: FailureKind, question: str) -> Failure:
    """A question that nobody can answer; more time would not help."""
    waits = failure(kind, f"waits for an answer that nobody can give: {question}")
    by_hand = "Run the tool once by hand, and answer what it asks."
    return waits.model_copy(update={"remedy": by_hand}) if kind is K.TIMED_OUT else waits


def _last_seen(finished: Finished, told: list[str]) -> str:
    if finished.progress.activity:
        return f"last seen: {finished.progress.activity}"
    if told:
        return f"its last words: {told[-1]}"
    return "it printed no words" if finished.stdout or finished.stderr else "it printed nothing"


def _asks(question: str) -> FailureKind:
    if _ASKS_LOGIN.search(question):
        return K.NOT_LOGGED_IN
    return K.DENIED if _ASKS_RIGHT.search(question) else K.TIMED_OUT


def _crash(finished: Finished, said: Said, dialect: Dialect) -> Failure:
    """A call that ended badly; plain words on stdout count where stderr holds none."""
    told = dialect.lines(finished.stderr) or _told(finished, said, dialect)
    if own := dialect.exits.get(finished.exit_code or 0):
        return failure(own, "\n".join(told) or _ending(finished.exit_code))
    kind, line = _kind_and_line(told, dialect)
    if kind:
        return failure(kind, line)
    words = ": " + " ".join(told[:2]) if told else f"; {_last_seen(finished, told)}"
    return failure(K.CRASHED, f"{_ending(finished.exit_code)}{words}")


def _silent(finished: Finished, said: Said, dialect: Dialect) -> Failure:
    """A process that claims success. Lines that call themselves errors tell why; others on stdout may be an answer."""
    errors = list(filter(None, map(dialect.plain, _errors(finished, said))))
    kind, line = _kind_and_line(errors, dialect)
    if kind:
        return failure(kind, line)
    words = f"; its words: {errors[0]}" if errors else ""
    if said.structured and not said.complete:
        return failure(K.CRASHED, f"{_ending(finished.exit_code)} in the middle of its answer{words}")
    if said.structured or not finished.stdout.strip():
        return failure(K.EMPTY, f"no text{words}" if words else "neither an error nor a text")
    return failure(K.UNPARSABLE, f"PARSE_ERROR:{_form(finished.stdout)}:{finished.exit_code}{words}")


def _form(stdout: bytes) -> str:
    if values(stdout):
        return "unknown_json"
    return "cut_json" if _JSON.search(stdout) else "no_json"


def _kind_and_line(told: list[str], dialect: Dialect) -> tuple[FailureKind | None, str]:
    """The first line whose meaning is known, with the next one where it only announces that; else the first line."""
    for line, following in pairwise([*told, ""]):
        if kind := K.UNSUPPORTED_FLAG if _HELP.search(line) else dialect.kind(line):
            return kind, f"{line}\n{following}" if line.endswith(":") else line
    return None, told[0] if told else ""


def _told(finished: Finished, said: Said, dialect: Dialect) -> list[str]:
    """The plain words on both streams. What stands on stdout beside JSON may be a part of an answer and is left alone."""
    has_json = said.structured or _JSON.search(finished.stdout)
    return dialect.lines(finished.stderr) + ([] if has_json else dialect.lines(finished.stdout))


def _errors(finished: Finished, said: Said) -> Iterator[str]:
    """Plain lines that call themselves errors."""
    has_json = said.structured or _JSON.search(finished.stdout)
    output = finished.stderr + (b"" if has_json else b"\n" + finished.stdout)
    lines = without_terminal_codes(output.decode("utf-8", "replace")).splitlines()
    return (line for line in lines if _ERROR.match(line))


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "did not end"
    number = -exit_code if exit_code < 0 else exit_code - 128 if exit_code in _BY_SHELL else 0
    if not number:
        return f"exit code {exit_code}"
    name = signal.Signals(number).name if number in set(signal.Signals) else "a signal"
    memory = ", perhaps out of memory" if number == signal.SIGKILL else ""
    return f"killed by {name} ({number}){memory}"
