"""Draws docs/live.svg, the live view in the midst of a rehearsal: `python docs/picture.py`.

A small shop's repository is made, the built-in speakers debate in it, and their record is shown to the live view up to
round 2. Where nothing changed, the picture is the same, letter for letter.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from adapters.spec import Progress
from orchestrator.doors.live import Live
from orchestrator.events import Activity
from state.document import load
from state.models import TurnStarted
from state.record import Record

PICTURE = ROOT / "docs/live.svg"
COLUMNS = 100
TOPIC = "Postgres or Redis for the job queue?"
START = "import sys; sys.argv[0] = 'debate'; from orchestrator.doors.cli import main; main()"
SHOP = {
    "README.md": "# Shop\nOrders are written to Postgres. A job must never be lost.\nWe tried Redis for sessions and dropped it.\n",
    "requirements.txt": "psycopg==3.2.1\nflask==3.0.3\n",
    "jobs/queue.py": (
        '"""Job queue on Postgres: a row a job, taken with SKIP LOCKED."""\nimport psycopg\n\n'
        "# TODO: polling Postgres every 100 ms is slow under load\n"
    ),
}


def rehearsed(folder: Path) -> Record:
    """The record of a rehearsal in the shop's repository."""
    for name, text in SHOP.items():
        path = folder / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environ = {"HOME": str(folder), "PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", START, "--rehearse", TOPIC, "--json", "--quiet"]
    done = subprocess.run(command, cwd=folder / "shop", env=environ, capture_output=True, check=True, timeout=60)
    return load(done.stdout, PICTURE)


def drawn(record: Record) -> str:
    """The picture: all that was said in round 1, and the proposer at work in round 2."""
    seconds = iter([0.0, 1.0, 14.0, 27.0, *[34.0] * 99])
    console = Console(
        record=True, file=io.StringIO(), width=COLUMNS, height=30, force_terminal=True, force_interactive=False,
        color_system="truecolor",
    )  # fmt: skip
    live = Live(console, clock=lambda: next(seconds))
    console.print(f"$ debate --rehearse '{TOPIC}'")
    for number, event in enumerate(record.events, 1):
        so_far = Record(events=record.events[:number])
        if isinstance(event, TurnStarted) and event.key.step == "round-2":
            live.tell(so_far, event)
            live.tell(so_far, Activity(event.key, Progress("reads jobs/queue.py", 612)))
            break
        live.tell(so_far, event)
    console.print(live.below())
    return console.export_svg(title="debate", code_format=_without_fonts(CONSOLE_SVG_FORMAT), unique_id="debate")


def _without_fonts(code_format: str) -> str:
    """The template without the fonts that it would have browsers fetch from elsewhere."""
    return re.sub(r"@font-face \{\{.*?\}\}\s*|<!-- .*? -->\s*", "", code_format, flags=re.DOTALL)


def main() -> None:
    """Draw the picture; with `--check` only compare."""
    with tempfile.TemporaryDirectory() as folder:
        picture = drawn(rehearsed(Path(folder)))
    if "--check" in sys.argv:
        sys.exit(
            None if PICTURE.read_text("utf-8") == picture else "docs/live.svg is behind: run python docs/picture.py"
        )
    PICTURE.write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
