"""Which CLIs write unless told not to, and what is known to tell them: a user's own tool must be read-only by a flag."""

import re
from collections.abc import Sequence
from pathlib import PurePath

VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*=")
"""How an entry of `read_only` begins that is no flag but a variable of the child's environment."""

WRITERS: dict[str, str | None] = {
    "agent": '["--mode=ask"]',
    "aider": '["--chat-mode=ask", "--no-auto-commits", "--dry-run", "--no-git"]',
    "amp": None,
    "crush": None,
    "cursor-agent": '["--mode=ask"]',
    "goose": '["GOOSE_MODE=chat"]',
    "grok": '["--sandbox=read-only"]',
    "kimi": None,
    "kiro-cli": '["--trust-tools="]',
    "vibe": '["--agent=plan"]',
}
"""Programs that write or run things when they are started without a person, and the flags that stop them, if known."""

_WIDENING = re.compile(
    r"--(?:yolo|dangerously\b.*|allow-all.*|trust-all.*|always-approve|auto-approve.*|full-auto|skip-permissions.*|afk"
    r"|approval-mode=(?:yolo|auto.*)|permission-mode=(?:bypass.*|accept.*))$"
)


def wrong_rights(command: Sequence[str], read_only: Sequence[str] | None) -> str | None:
    """Why this CLI may not be seated, or None. The sentence begins with the key to mend."""
    if wide := next((word for word in (*command, *(read_only or ())) if _WIDENING.match(word)), None):
        return f"command: {wide} gives a participant the right to write or run things; leave it out"
    if read_only is None:
        return (
            "read_only is missing: declare the flags that keep this CLI from writing and running things, "
            "or [] where it cannot do either"
        )
    program = PurePath(command[0]).name.removesuffix(".exe")
    if read_only or program not in WRITERS:
        return None
    known = WRITERS[program]
    flags = f"declare read_only = {known}" if known else "no flag is known that stops it"
    return f"read_only is empty, and {program} writes or runs things by itself: {flags}"
