"""The documentation says what the program does, and what is installed is whole."""

import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("orchestrator", "adapters", "prompts", "state")


def test_the_tables_of_the_documentation_are_those_of_the_program() -> None:
    done = subprocess.run(
        [sys.executable, "docs/tables.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_picture_is_what_the_live_view_draws_and_fetches_nothing_from_elsewhere() -> None:
    done = subprocess.run(
        [sys.executable, "docs/picture.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    picture = ET.parse(ROOT / "docs/live.svg").getroot()
    said = "".join(picture.itertext())
    assert "Round\xa01:\xa0claude\xa0(Proposer)" in said
    assert "reads\xa0jobs/queue.py" in said
    assert "url(" not in said.replace("url(#", "")
    assert [part.tag for part in picture.iter() if part.tag.endswith(("script", "image"))] == []


def test_every_file_that_the_documentation_links_to_is_there() -> None:
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    code = f"from hatchling.build import build_wheel, build_sdist; build_wheel({str(folder)!r}); build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, timeout=120)
    return folder


def _ours() -> set[str]:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}


def test_the_wheel_holds_every_module_and_template_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == _ours()
    assert any(name.endswith(".j2") for name in names)


def test_the_source_distribution_holds_the_tests_too(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= _ours() | {"README.md", "LICENSE", "tests/test_documents.py"}
