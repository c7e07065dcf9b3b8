"""What tests with the real CLIs share: the programs, a fresh home, a model server."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.acp.agents import ACP
from tests.fakes.model_server import ModelServer
from tests.fakes.trap import Trap
from tests.vendors.cli import VENDORS, Vendor, program


def installed(name: str) -> Vendor:
    """The vendor; skips where its CLI is missing, but fails in CI, where a skip would go unseen."""
    if program(name) is None:
        complain = pytest.fail if os.environ.get("CI") else pytest.skip
        complain(f"the real {name} is not installed: put its folder into DEBATE_VENDORS or on PATH")
    return VENDORS[name]


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> Vendor:
    """Each of the five in turn."""
    return installed(request.param)


@pytest.fixture(params=[*VENDORS, *(f"{name}@acp" for name in VENDORS if name in ACP)])
def participant(request: pytest.FixtureRequest) -> Vendor:
    """Each of the five by its CLI, and those that speak ACP over that too."""
    name, _, transport = request.param.partition("@")
    return replace(installed(name), transport=transport or "cli")


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where copilot unpacks its 240 MB program: once for all homes."""
    return tmp_path_factory.mktemp("copilot")


@pytest.fixture
def home(tmp_path: Path, unpacked: Path) -> Path:
    """A home that nobody has used yet."""
    folder = tmp_path / "home"
    (folder / ".cache").mkdir(mode=0o700, parents=True)
    (folder / ".cache/copilot").symlink_to(unpacked)
    return folder


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """A model server whose routes are the vendors' names."""
    with ModelServer() as server:
        yield server


@pytest.fixture
def trap() -> Iterator[Trap]:
    """A listener that nothing may reach."""
    with Trap() as listener:
        yield listener
