"""What a question costs by CLI and over ACP: `DEBATE_VENDORS=FOLDER python bench/transports.py`.

The real CLIs, in fresh homes, each asked three times; a scripted model on loopback answers at once. Medians of seconds, as
the port counts them: from building the command until nothing of the process is left.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from adapters.acp.agents import ACP
from tests.fakes.model_server import ModelServer
from tests.vendors.asking import asked
from tests.vendors.cli import VENDORS, Vendor, program

TIMES = 3


def seconds(vendor: Vendor, models: ModelServer, home: Path) -> float:
    """How long one question takes; a first one that unpacks things is not counted."""
    ask = [asked(vendor, models.url(vendor.name), "Which queue?", home=home).envelope for _ in range(TIMES + 1)]
    assert all(envelope.response for envelope in ask), ask
    return median(envelope.duration_ms for envelope in ask[1:]) / 1000


def main() -> None:
    """Prints a line a vendor."""
    with ModelServer() as models:
        for name in (name for name in VENDORS if name in ACP and program(name)):
            ways = [replace(VENDORS[name], transport=transport) for transport in ("cli", "acp")]
            with tempfile.TemporaryDirectory() as folder:
                cli, acp = (seconds(vendor, models, Path(folder)) for vendor in ways)
            print(f"{name}: {cli:.2f} s by CLI, {acp:.2f} s over ACP")


if __name__ == "__main__":
    main()
