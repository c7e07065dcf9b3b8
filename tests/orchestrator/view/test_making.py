"""The view holds the project's files, all of them copies, and nothing that steers, leaks or leads out."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from orchestrator.problem import Problem
from orchestrator.view import Limits, Made, make_view, project_paths, view_digest
from orchestrator.view.making import DEFAULT_LIMITS
from tests import repositories
from tests.repositories import hostile_repository, repository, write


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    return folder


def made(
    root: Path, target: Path, *paths: str, exclude: tuple[Path, ...] = (), limits: Limits = DEFAULT_LIMITS
) -> Made:
    found = make_view(root, target, paths, exclude, limits)
    assert isinstance(found, Made), found
    return found


def files(folder: Path) -> dict[str, str]:
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file() or p.is_symlink()}
    return {name: path.read_text("utf-8") for name, path in found.items() if not name.startswith(".git/")}


def test_it_holds_tracked_and_untracked_but_not_ignored_files(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "a", "sub/b.py": "b", ".gitignore": "*.log\n", "kept.log": "k"})
    repositories.git(root, "add", "-f", "kept.log")
    write(root, {"new.py": "n", "x.log": "x", "sub/deep/c.py": "c"})
    (root / "a.py").write_text("changed")
    view = made(root, tmp_path / "v")
    expected = {"a.py": "changed", "sub/b.py": "b", ".gitignore": "*.log\n", "kept.log": "k", "new.py": "n"}
    assert files(view.folder) == {**expected, "sub/deep/c.py": "c"}
    assert (view.view.files, view.view.bytes, view.view.left_out) == (6, 7 + 1 + 6 + 1 + 1 + 1, ())


def test_nobody_else_may_look_in_and_nothing_in_it_can_be_started(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"sub/run.sh": "#!/bin/sh\n"})
    (root / "sub" / "run.sh").chmod(0o777)
    view = made(root, tmp_path / "v")
    assert stat.S_IMODE(view.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((view.folder / "sub").stat().st_mode) == 0o700
    assert stat.S_IMODE((view.folder / "sub" / "run.sh").stat().st_mode) == 0o400


def test_a_write_in_the_view_does_not_reach_the_project(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "a"})
    view = made(root, tmp_path / "v")
    (view.folder / "a.py").chmod(0o600)
    (view.folder / "a.py").write_text("b")
    assert (root / "a.py").read_text() == "a"


def test_it_is_a_repository_of_its_own_that_git_accepts(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", {".gitignore": "*\n"})
    root = repository(tmp_path / "r", {"a.py": "a"})
    view = made(root, outer / "v")
    status = ["git", "status", "--porcelain", "--branch"]
    shown = subprocess.run(
        status, cwd=view.folder, env=repositories.ENVIRON, check=True, capture_output=True, text=True
    )
    assert shown.stdout == "## No commits yet on main\n?? a.py\n"


def test_what_steers_agents_and_what_holds_credentials_is_left_out_and_said(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "r", {"netrc.py": "", "sub/AGENTS.md": "", "CLAUDE.md": "", ".claude/x": "", ".claude/y": ""}
    )
    write(root, {".env": "K=1", "deploy.pem": "", "sub/.git/config": "[core]"})
    view = made(root, tmp_path / "v")
    assert set(files(view.folder)) == {"netrc.py"}
    assert view.view.left_out == ("instruction files: .claude, CLAUDE.md, sub/AGENTS.md", "2 credential files")


def test_links_pipes_and_what_lies_behind_linked_folders_never_get_in(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"b.py": "SECRET"})
    root = repository(tmp_path / "r", {"a.py": "a", "sub/b.py": "b", "sub/c.py": "c"})
    shutil.rmtree(root / "sub")
    (root / "sub").symlink_to(tmp_path / "outside")
    (root / "link.py").symlink_to(root / "a.py")
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    view = made(root, tmp_path / "v")
    assert files(view.folder) == {"a.py": "a"}
    assert "SECRET" not in repr(files(view.folder))
    assert any("links" in words for words in view.view.left_out)


def test_the_same_holds_without_git(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"b.py": "SECRET"})
    write(
        tmp_path / "r", {"a.py": "a", "node_modules/m/i.js": "", "env/pyvenv.cfg": "", "env/x.py": "", ".claude/x": ""}
    )
    root = tmp_path / "r"
    (root / "sub").symlink_to(tmp_path / "outside")
    os.mkfifo(root / "pipe")
    view = made(root, tmp_path / "v")
    assert files(view.folder) == {"a.py": "a"}
    expected = (
        "instruction files: .claude",
        "1 link",
        "1 device, socket or pipe",
        "packages and caches: env, node_modules",
    )
    assert view.view.left_out == expected


def test_nothing_of_a_hostile_repository_runs(tmp_path: Path) -> None:
    root, ran = hostile_repository(tmp_path / "r", tmp_path / "ran"), tmp_path / "ran"
    for trace in ran.iterdir():
        trace.unlink()
    view = made(root, tmp_path / "v")
    subprocess.run(["git", "status"], cwd=view.folder, env=repositories.ENVIRON, check=True, capture_output=True)
    assert {"app.py", "git", ".gitattributes"} <= set(files(view.folder))
    assert list(ran.iterdir()) == []


def test_submodules_and_repositories_within_are_counted_not_copied(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"i.py": ""})
    root = repository(tmp_path / "r", {"a.py": ""})
    repositories.git(root, "submodule", "add", "-q", str(inner), "module")
    repository(root / "nested", {"n.py": ""})
    view = made(root, tmp_path / "v")
    assert set(files(view.folder)) == {"a.py", ".gitmodules"}
    assert view.view.left_out == ("2 submodules or repositories within",)


def test_limits_keep_the_tracked_files_first_and_say_what_is_missing(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"z.py": "1234", "big.bin": "x" * 20})
    write(root, {"a.py": "1234", "b.py": "1234"})
    view = made(root, tmp_path / "v", limits=Limits(files=2, total=100, file=10))
    assert set(files(view.folder)) == {"z.py", "a.py"}
    expected = ("1 file over 1e-05 MB", "1 file beyond 2 files or 0.0001 MB (narrow it with --view PATH)")
    assert view.view.left_out == expected
    assert set(files(made(root, tmp_path / "w", limits=Limits(total=7)).folder)) == {"z.py"}


def test_a_walk_stops_at_the_limit_and_says_so(tmp_path: Path) -> None:
    write(tmp_path / "r", {f"{number}.txt": "" for number in range(9)})
    view = made(tmp_path / "r", tmp_path / "v", limits=Limits(files=4))
    assert set(files(view.folder)) == {"0.txt", "1.txt", "2.txt", "3.txt"}
    assert view.view.left_out == ("all after the first 4 files (narrow it with --view PATH)",)


def test_parts_narrow_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a/1.py": "", "b/2.py": "", "b/c/3.py": "", "d.py": "", ".gitignore": "out\n"})
    write(root, {"out/x": ""})
    view = made(root, tmp_path / "v", "b/c", f"{root}/a/../d.py", "out")
    assert set(files(view.folder)) == {"b/c/3.py", "d.py"}
    assert view.view.paths == ("b/c", "d.py", "out")
    assert view.view.left_out == ("all of out (ignored by git, or cleaned away)",)
    assert set(files(made(root, tmp_path / "w", ".", "a").folder)) == {
        "a/1.py",
        "b/2.py",
        "b/c/3.py",
        "d.py",
        ".gitignore",
    }


@pytest.mark.parametrize("path", ["..", "../other", "/etc", "//host/share", "\\\\host\\share", "link"])
def test_parts_outside_the_project_are_refused(tmp_path: Path, path: str) -> None:
    write(tmp_path, {"other/x": "", "r/a.py": ""})
    (tmp_path / "r" / "link").symlink_to(tmp_path / "other")
    assert make_view(tmp_path / "r", tmp_path / "v", (path,)) == Problem(f"Path escapes project directory: {path}")
    assert not (tmp_path / "v").exists()


def test_a_part_or_a_project_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, {"r/a.py": ""})
    assert make_view(tmp_path / "r", tmp_path / "v", ("none.py",)) == Problem("View path not found: none.py")
    assert isinstance(make_view(tmp_path / "gone", tmp_path / "v"), Problem)


def test_our_own_files_in_the_project_are_not_in_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": ""})
    write(root, {"state.json": "", "state.json.calls/x": "", "records/debate/y": "", "state.jsonl": ""})
    exclude = (root / "state.json", root / "state.json.calls", root / "records")
    view = made(root, root / "records" / "views" / "v", exclude=exclude)
    assert set(files(view.folder)) == {"a.py", "state.jsonl"}


def test_the_digest_tells_the_same_tree_from_another(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "1", "b/c.py": "2"})
    first = made(root, tmp_path / "v1")
    assert made(root, tmp_path / "v2").view.digest == first.view.digest == view_digest(first.folder)
    (root / "a.py").rename(root / "d.py")
    assert made(root, tmp_path / "v3").view.digest != first.view.digest
    (root / "d.py").rename(root / "a.py")
    (root / "b" / "c.py").write_text("3")
    assert made(root, tmp_path / "v4").view.digest != first.view.digest
    (first.folder / "b" / "c.py").chmod(0o600)
    (first.folder / "b" / "c.py").write_text("3")
    assert view_digest(first.folder) != first.view.digest


def test_odd_names_and_places_are_copied(tmp_path: Path) -> None:
    root = repository(tmp_path / "プロ ジェクト 'q' \"dq\" $(id)", {"名 前.py": "1", "-x": "2", "new\nline": "3"})
    raw = os.fsencode(root) + b"/latin-\xe9.txt"
    Path(os.fsdecode(raw)).write_text("4")
    view = made(root, tmp_path / "v")
    assert sorted(files(view.folder).values()) == ["1", "2", "3", "4"]
    assert view_digest(view.folder) == view.view.digest


def test_an_empty_folder_gives_an_empty_view(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    view = made(tmp_path / "r", tmp_path / "v")
    assert (view.view.files, view.view.bytes, files(view.folder)) == (0, 0, {})


def test_a_small_home_folder_is_copied_without_its_hidden_files(home: Path, tmp_path: Path) -> None:
    write(home, {"notes.txt": "n", ".bashrc": "", ".config/x": ""})
    view = made(home, tmp_path / "v")
    assert set(files(view.folder)) == {"notes.txt"}
    assert view.view.left_out == ("hidden files of a home folder",)


def test_a_large_home_folder_or_the_root_is_not_copied_at_all(home: Path, tmp_path: Path) -> None:
    write(home, {f"docs/{n}.txt": "" for n in range(501)} | {"project/a.py": ""})
    for root in (home, Path("/")):
        view = made(root, tmp_path / f"v{len(str(root))}")
        assert view.view.files == 0
        assert "home folder" in view.view.left_out[0]
    assert set(files(made(home, tmp_path / "part", "project").folder)) == {"project/a.py"}
    assert made(home / "project", tmp_path / "inside").view.files == 1


def test_a_folder_that_the_repository_above_ignores_is_walked(tmp_path: Path) -> None:
    outer = repository(tmp_path / "dotfiles", {".gitignore": "*\n"})
    write(outer / "project", {"a.py": "a"})
    view = made(outer / "project", tmp_path / "v")
    assert files(view.folder) == {"a.py": "a"}
    assert view.view.left_out == ("nothing by ignore rules (the repository above knows no file of this folder)",)


def test_a_repository_in_which_all_is_ignored_is_not_walked(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"x": ""})
    repositories.git(root, "rm", "-q", "--cached", "x")
    write(root, {".gitignore": "*\n", "secret.txt": ""})
    assert made(root, tmp_path / "v").view.files == 0


def test_without_git_the_folders_are_walked_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "r", {"a.py": "a", ".env": ""})
    monkeypatch.setenv("PATH", str(tmp_path))
    view = made(root, tmp_path / "v")
    assert files(view.folder) == {"a.py": "a"}
    assert view.view.left_out == ("1 credential file", "nothing by ignore rules (git: it is not installed)")


def test_a_target_that_cannot_be_made_is_a_problem_and_stays_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, {"r/a.py": "", "taken/x": "", "file": ""})
    for target in (tmp_path / "taken", tmp_path / "file" / "v"):
        assert isinstance(make_view(tmp_path / "r", target), Problem)
    assert (tmp_path / "taken" / "x").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see {v}/src/app.py:3.", "see src/app.py:3."),
        ("`{v}` and {v}/", "`./` and ./"),
        ("file://{v}/a.py, ({v}/.github/x.yml)", "a.py, (.github/x.yml)"),
        ("{v}//中.py {v}/ end", "中.py ./ end"),
        ("{v}2/a {v}.bak/b /other{v}/c {v}-old", "{v}2/a {v}.bak/b /other{v}/c {v}-old"),
        ('{{"path": "{v}/a.py"}}', '{{"path": "a.py"}}'),
    ],
)
def test_paths_of_the_view_become_paths_of_the_project(tmp_path: Path, text: str, expected: str) -> None:
    view = tmp_path / "view"
    assert project_paths(text.format(v=view), view) == expected.format(v=view)


def test_a_view_reached_through_a_link_is_translated_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert project_paths(f"{tmp_path}/real/a.py {tmp_path}/link/b.py", tmp_path / "link") == "a.py b.py"
