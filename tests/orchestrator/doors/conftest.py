from pathlib import Path

import pytest

from tests.orchestrator.doors.household import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)
