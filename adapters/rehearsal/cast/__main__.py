"""One built-in speaker. A brief comes in as JSON on stdin, JSON lines go out; the current folder is all that it reads.

It is started as a program of its own (`python -I -S -B adapters/rehearsal/cast`), so it uses the standard library alone.
"""

import json
import os
import sys
import time
from typing import Any

from judging import ballot
from search import Library
from speaking import speech


def say(**event: Any) -> None:
    """Print one event."""
    sys.stdout.buffer.write(json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def misbehave(scenario: str, brief: dict[str, Any]) -> None:
    """Play the fault of the scenario, if it is this speaker's turn to fail."""
    if brief["role"] != "challenger":
        return
    match scenario:
        case "hang":
            say(type="activity", text="thinks, and will not answer")
            time.sleep(24 * 3600)
        case "garbage":
            sys.stdout.write("<html><body>502 Bad Gateway</body></html>\n")
            sys.exit(0)
        case "quota" if brief["values"].get("round", 1) > 1:
            say(type="failure", kind="quota", message="Rehearsal: the allowance of this seat is used up.")
            sys.exit(1)
        case "crash" if brief["values"].get("round", 1) > 1:
            say(type="activity", text="writes")
            sys.stderr.write("rehearsal: crashing in the middle of the answer\n")
            sys.exit(70)
        case "empty":
            say(type="speech", text="")
            sys.exit(0)
        case _:
            return


def main() -> None:
    """Read the brief, answer, and exit."""
    brief = json.load(sys.stdin.buffer)
    misbehave(brief["scenario"], brief)
    values = brief["values"]
    say(type="activity", text="searches the folder for lines that bear on the topic")
    library = Library(os.getcwd(), values.get("exhibits") or ())
    if "schema" in values:
        text = json.dumps(ballot(values, library, by_place=brief["scenario"] == "judge-split"), ensure_ascii=False)
    else:
        text = speech(values, library)
    say(type="speech", text=text)


if __name__ == "__main__":
    main()
