"""A CLI that nobody has heard of: `own_cli.py FORM [--in FILE] [--safe]`; judges with the ballot that is asked for.

FORM: text, json, jsonl, hang, or write (which tries to write into its folder unless it runs with --safe).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fakes.model_server.scenario import speaking


def main() -> None:
    form, *flags = sys.argv[1:]
    prompt = Path(flags[flags.index("--in") + 1]).read_text() if "--in" in flags else sys.stdin.read()
    if not prompt.strip():
        sys.exit("error: no prompt")
    if "--safe" not in flags and os.environ.get("OWN_MODE") != "safe":
        Path("written-by-participant").write_text("x")
    if form == "hang":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        time.sleep(600)
    answer = speaking(
        f"Answer as {form}, key {os.environ.get('OWN_API_KEY')}, other {os.environ.get('OTHER_API_KEY')}."
    )(prompt)
    if form == "text":
        print(f"\x1b[1m> {answer}\x1b[0m")
    elif form == "json":
        print("warming up")
        print(json.dumps([{"type": "system"}, {"type": "result", "result": answer, "is_error": False}], indent=1))
    else:
        print(json.dumps({"type": "thought", "item": {"text": "hm"}}))
        print(json.dumps({"type": "said", "item": {"text": answer}}))


if __name__ == "__main__":
    main()
