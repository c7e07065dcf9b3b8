"""Every way in which a call can fail: a closed list, and what each of them means to a person."""

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """Why a call gave no answer."""

    NOT_INSTALLED = "not_installed"
    NOT_RUNNABLE = "not_runnable"
    NOT_LOGGED_IN = "not_logged_in"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    NETWORK = "network"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    EMPTY = "empty"
    UNPARSABLE = "unparsable"
    TOO_MUCH_OUTPUT = "too_much_output"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    DENIED = "denied"
    UNKNOWN_MODEL = "unknown_model"
    UNSUPPORTED_FLAG = "unsupported_flag"
    VENDOR_CONFIG = "vendor_config"
    SESSION_LOST = "session_lost"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class FailureMeaning:
    """What a kind of failure means, whether waiting helps, and the one thing to do.

    `retried`: the port tries again inside the call's deadline. `halts`: the user must act first, so a debate
    stops without judging (O14). `remedy`: the one thing to do; `{tool}`, `{login}` and `{install}` are filled in.
    """

    meaning: str
    remedy: str
    retried: bool = False
    halts: bool = False


K = FailureKind
FAILURES: dict[FailureKind, FailureMeaning] = {
    K.NOT_INSTALLED: FailureMeaning("The program was not found.", "Install it with: {install}", halts=True),
    K.NOT_RUNNABLE: FailureMeaning(
        "The program was found but cannot be started.", "Reinstall it with: {install}", halts=True
    ),
    K.NOT_LOGGED_IN: FailureMeaning("The vendor does not know who you are.", "Log in with: {login}", halts=True),
    K.QUOTA: FailureMeaning(
        "Your allowance at the vendor is used up.", "Wait for the reset, or seat another tool.", halts=True
    ),
    K.RATE_LIMITED: FailureMeaning("Too many requests in a short time.", "Wait a minute, then resume.", retried=True),
    K.OVERLOADED: FailureMeaning(
        "The vendor's service is overloaded or faulty.", "Resume in a few minutes.", retried=True
    ),
    K.NETWORK: FailureMeaning(
        "The vendor's service was not reached.", "Check the network and proxy settings.", retried=True
    ),
    K.TIMED_OUT: FailureMeaning("No complete answer within the time limit.", "Raise the limit with --timeout SECONDS."),
    K.CRASHED: FailureMeaning(
        "The program ended without a complete answer.", "Try `debate ask {tool} hello` to see it alone."
    ),
    K.EMPTY: FailureMeaning("The vendor reported success but gave no text.", "Resume, or seat another tool or model."),
    K.UNPARSABLE: FailureMeaning("The output is not in the format that was asked for.", "Update {tool}: {install}"),
    K.TOO_MUCH_OUTPUT: FailureMeaning("More output than can be kept.", "Seat another tool, or narrow the topic."),
    K.REFUSED: FailureMeaning(
        "The model declined or its answer was filtered.", "Rephrase the topic, or seat another tool."
    ),
    K.TRUNCATED: FailureMeaning(
        "The answer was cut off at the model's length limit.", "Seat a model with a longer output."
    ),
    K.TOO_LONG: FailureMeaning(
        "The prompt is longer than the tool or model takes.", "Give less context, or fewer rounds."
    ),
    K.DENIED: FailureMeaning("The tool wanted a right that participants never get.", "Update {tool}: {install}"),
    K.UNKNOWN_MODEL: FailureMeaning("The vendor does not offer this model to you.", "Name another one: {tool}:MODEL"),
    K.UNSUPPORTED_FLAG: FailureMeaning(
        "The installed version does not know a flag we need.", "Update {tool}: {install}"
    ),
    K.VENDOR_CONFIG: FailureMeaning(
        "The vendor's own settings are broken or incomplete.", "Mend the named file or setting."
    ),
    K.SESSION_LOST: FailureMeaning("The vendor no longer knows the session.", "Ask again without the session."),
    K.CANCELLED: FailureMeaning("The call was stopped by you.", "Resume when you like."),
}
