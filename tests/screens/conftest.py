import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.screens.terminal import Terminal


@pytest.fixture(params=[40, 120])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("tmux is not installed")
    made = Terminal(f"debate-{time.time_ns()}", request.param, tmp_path)
    yield made
    subprocess.run(["tmux", "-L", made.name, "kill-server"], capture_output=True, timeout=20, check=False)
