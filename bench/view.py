"""How long it takes to make a view: `python bench/view.py [FILES ...]` (default 5000).

A repository of that many files, about 2.4 KB each, is made in a temporary folder; the median of five views is printed.
Views are removed at the end only: files are created slowly right after many were deleted.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orchestrator.view import Limits, Made, make_view


def make_project(folder: Path, files: int) -> None:
    """A repository with `files` files, 50 in a folder."""
    for number in range(files):
        path = folder / f"package{number // 500}" / f"part{number // 50}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"# module {number}\n".encode() + os.urandom(1200).hex().encode())
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


def measure(files: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        project.mkdir()
        make_project(project, files)
        made = [make_view(project, Path(name, f"view{n}"), limits=Limits(files=files)) for n in range(5)]
        times = [view.seconds for view in made if isinstance(view, Made)]
        view = next(view.view for view in made if isinstance(view, Made))
        median, worst = statistics.median(times), max(times)
        print(f"{view.files} files, {view.bytes / 1e6:.1f} MB: median {median:.3f} s, worst {worst:.3f} s")


if __name__ == "__main__":
    for count in [int(word) for word in sys.argv[1:]] or [5000]:
        measure(count)
