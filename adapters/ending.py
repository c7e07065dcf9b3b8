"""What the end of a process says about a call, for every vendor alike: with a whole answer, or without any."""

from collections.abc import Iterable

from adapters import efforts
from adapters.failing import by_ending, by_exit, failure, unparsable
from adapters.spec import Ask, Finished
from state.failures import FailureKind
from state.models import Failure

K = FailureKind

TELLS_MORE = (K.QUOTA, K.NOT_LOGGED_IN, K.NETWORK, K.RATE_LIMITED, K.OVERLOADED)
"""What a vendor may have said that explains a call better than "timed out" does."""


def without_result(finished: Finished, told: Failure | None, seen: Iterable[object] = ()) -> Failure:
    """Why a call has no result: by what the vendor said (`told`), by how the process was ended, by its exit.

    `seen` are the kinds of events that were printed. Plain text after a good exit is no answer where JSON was asked for.
    """
    ending = by_ending(finished)
    if ending:
        better = ending.kind is K.TIMED_OUT and told and told.kind in TELLS_MORE
        return told if better and told else ending
    if finished.exit_code != 0:
        return told or by_exit(finished)
    if finished.stdout.strip():
        kinds = tuple(seen)
        return unparsable("no_result" if kinds else "no_json", "exit_0", kinds)
    return told or failure(K.EMPTY, "ended well (exit code 0) but printed nothing")


def ending_notes(finished: Finished) -> tuple[str, ...]:
    """What is odd about the end of a process that has given its whole answer."""
    if finished.ended != "exit":
        return ("had to be stopped after its answer",)
    return (f"exit code {finished.exit_code} after a complete result",) if finished.exit_code else ()


def named(failed: Failure, ask: Ask) -> Failure:
    """A model that the vendor does not know is told with where its name came from; other failures stay as they are."""
    if failed.kind is not K.UNKNOWN_MODEL:
        return failed
    origin = f"(model {efforts.model(ask) or 'not given'}: {efforts.origin(ask)})"
    return failed.model_copy(update={"message": f"{failed.message} {origin}"})
