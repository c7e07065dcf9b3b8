"""The hostile repository really bites whoever trusts it; otherwise tests that nothing ran would prove nothing."""

import os
import subprocess
from pathlib import Path

from tests.fakes.hostile import ALLOWED, build, footprint
from tests.fakes.trap import Trap


def test_plain_git_runs_its_plants(tmp_path: Path) -> None:
    with Trap() as trap:
        made = build(tmp_path / "outer", tmp_path / "watched", trap.url)
        assert made.pwned == []
        for path in made.repo.rglob("*.*"):
            if path.is_file() and ".git" not in path.parts:
                os.utime(path, (1, 1))  # git looks into a file again only where its time is another one
        for words in (
            ["status"],
            ["diff", "--", "app.py"],
            ["diff", "--no-ext-diff", "--", "app.py"],
            ["checkout", "-b", "x"],
        ):
            subprocess.run(["git", *words], cwd=made.repo, capture_output=True, check=False, timeout=20)
    ran = {name.removeprefix("PWNED-") for name in made.pwned}
    assert ran >= {"git-fsmonitor", "git-clean", "git-extdiff", "git-textconv", "git-process", "git-hook-post-checkout"}


def test_its_programs_run_for_those_who_search_the_current_folder(tmp_path: Path) -> None:
    made = build(tmp_path / "outer", tmp_path / "watched", "http://127.0.0.1:9")
    search = {"PATH": f".{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["/bin/sh", "-c", "rg x; git status"], cwd=made.repo, env=search, capture_output=True, check=False)
    assert made.pwned == ["PWNED-program-git", "PWNED-program-rg"]


def test_a_footprint_sees_a_changed_byte_a_new_file_and_a_changed_link(tmp_path: Path) -> None:
    made = build(tmp_path / "outer", tmp_path / "watched", "http://127.0.0.1:9")
    before = footprint(made.repo)
    assert footprint(made.repo) == before
    assert set(ALLOWED) <= set(before)
    (made.repo / "app.py").write_text("changed")
    (made.repo / "new").touch()
    (made.repo / "link.txt").unlink()
    (made.repo / "link.txt").symlink_to("/etc/passwd")
    after = footprint(made.repo)
    assert {path for path in after if after[path] != before.get(path)} == {"app.py", "new", "link.txt"}
