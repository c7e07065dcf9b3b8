"""The real wrappers of codex, gemini and copilot, hanging on a server that never answers: nothing of them is left."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

from adapters.process import run
from adapters.spec import Command
from tests.adapters.helpers import vendor

pytestmark = pytest.mark.vendors
ROOT = Path(__file__).parents[2]
SEARCHED = os.pathsep.join(filter(None, (os.environ.get("DEBATE_VENDORS"), os.environ["PATH"])))
ARGUMENTS = {
    "codex": """exec --json --ephemeral --skip-git-repo-check --ignore-user-config -m lab-model
        -c model_provider="lab" -c model_providers.lab.name="lab" -c model_providers.lab.base_url="{url}/v1"
        -c model_providers.lab.wire_api="responses" -c model_providers.lab.env_key="LAB_KEY" -""",
    "gemini": "-o stream-json -m gemini-2.5-pro --approval-mode default --skip-trust -e none",
    "copilot": """--output-format json --no-color --available-tools=view --no-custom-instructions --no-ask-user
        --disable-builtin-mcps --no-auto-update""",
}
SETTINGS = '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'


@pytest.fixture
def silence() -> Iterator[tuple[str, threading.Event]]:
    """A server on loopback that takes a request and never answers, and whether it got one."""
    asked, kept = threading.Event(), []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take(connection: socket.socket) -> None:
            while data := connection.recv(65536):
                if b"POST " in data:
                    asked.set()

        def accept() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                except OSError:
                    return
                threading.Thread(target=take, args=(kept[-1],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        for connection in kept:
            connection.close()
        server.shutdown(socket.SHUT_RDWR)


def command(tool: str, home: Path, url: str) -> Command:
    program = shutil.which(tool, path=SEARCHED)
    if program is None:
        reason = f"{tool} is not installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini" / "settings.json").write_text(SETTINGS)
    (home / "cwd").mkdir()
    env = {"HOME": str(home), "PATH": SEARCHED, "TERM": "dumb", "LAB_KEY": "dummy"}
    env |= {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url}
    env |= {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_OFFLINE": "true"}
    env |= {"COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "gpt-4.1"}
    argv = (program, *ARGUMENTS[tool].format(url=url).split())
    return Command(argv, b"Say hello.", env, home / "cwd")


def running(home: Path) -> list[str]:
    """The command lines of all processes that live in this home."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"HOME={home}\0".encode() in environ.read_bytes():
                found.append(environ.with_name("cmdline").read_bytes()[:80].decode())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("tool", ARGUMENTS)
@pytest.mark.parametrize("signals", [(15,), ()])
def test_at_the_deadline_the_worker_behind_the_wrapper_is_gone_too(
    tool: str, signals: tuple[int, ...], tmp_path: Path, silence
) -> None:
    url, asked = silence
    asking = command(tool, tmp_path / "home", url)

    async def until_asked() -> int:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(run, asking, vendor(signals=signals), seconds=60))
            while not asked.is_set():  # noqa: ASYNC110 - another thread sets it
                await anyio.sleep(0.05)
            count = len(running(tmp_path / "home"))
            began = anyio.current_time()
            tasks.cancel_scope.cancel()
        assert anyio.current_time() - began < 2
        return count

    assert anyio.run(until_asked) >= 2
    assert running(tmp_path / "home") == []


RUN = """
import json, sys
from functools import partial
from pathlib import Path
import anyio
from adapters.process import run
from adapters.spec import Command
from tests.adapters.helpers import vendor

argv, env, cwd = json.loads(sys.argv[1])
anyio.run(partial(run, Command(tuple(argv), b"Say hello.", env, Path(cwd)), vendor(), seconds=60))
"""


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_after_kill_9_the_worker_behind_the_wrapper_is_gone_within_five_seconds(
    tool: str, tmp_path: Path, silence
) -> None:
    import json

    url, asked = silence
    asking = command(tool, tmp_path / "home", url)
    us = subprocess.Popen(
        [sys.executable, "-c", RUN, json.dumps([asking.argv, dict(asking.env), str(asking.cwd)])], cwd=ROOT
    )
    try:
        assert asked.wait(40)
        assert len(running(tmp_path / "home")) >= 2
    finally:
        us.kill()
        us.wait()
    until = time.monotonic() + 5
    while running(tmp_path / "home") and time.monotonic() < until:
        time.sleep(0.05)
    assert running(tmp_path / "home") == []
