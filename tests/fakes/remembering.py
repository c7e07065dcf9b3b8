"""A claude that remembers: keeps what each session heard in CLAUDE_CONFIG_DIR, and answers with all of it."""

import json
import os
import sys

FOLDER = os.environ.get("CLAUDE_CONFIG_DIR", "")
ASKED = sys.stdin.read().rpartition("\n\n")[2].strip()
RESUMED = next((word.partition("=")[2] for word in sys.argv if word.startswith("--resume=")), None)
IDENT = RESUMED or f"session-{os.getpid()}"
PATH = os.path.join(FOLDER, IDENT)

if ASKED == "fail":
    sys.exit("it fell over")
if RESUMED and not os.path.exists(PATH):
    sys.exit(f"No conversation found with session ID: {RESUMED}")
HEARD = [ASKED]
if RESUMED:
    with open(PATH) as file:
        HEARD = [*json.load(file), ASKED]
if FOLDER:
    os.makedirs(FOLDER, exist_ok=True)
    with open(PATH, "w") as file:
        json.dump(HEARD, file)
said = f"heard {len(HEARD)}: {', '.join(HEARD)}"
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": said, "session_id": IDENT}))
