"""git is asked without running anything of the repository, and sees no other repository."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from adapters import git, worktree
from adapters.git import GitTrouble
from adapters.repository import find_repository, head_commit
from tests import repositories
from tests.repositories import hostile_repository, repository, write


def nothing_secret(_path: str) -> bool:
    return False


def listed(folder: Path, *paths: str) -> worktree.Listing:
    found = worktree.list_files(folder, paths)
    assert isinstance(found, worktree.Listing), found
    return found


def changed(folder: Path) -> str:
    found = worktree.uncommitted_changes(folder, nothing_secret)
    assert isinstance(found, worktree.Changes), found
    return found.diff.decode()


def tree_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in sorted(folder.rglob("*"))}


def test_plain_git_runs_programs_of_the_hostile_repository(tmp_path: Path) -> None:
    folder, ran = hostile_repository(tmp_path / "r", tmp_path / "ran"), tmp_path / "ran"
    for arguments in (["status"], ["diff"], ["diff", "--no-ext-diff", "HEAD"], ["update-index", "--refresh"]):
        subprocess.run(["git", *arguments], cwd=folder, env=repositories.ENVIRON, capture_output=True, timeout=20)
    fired = {trace.name for trace in ran.iterdir()}
    assert {"fsmonitor", "driver", "textconv", "process", "included-clean", "hook"} <= fired


def test_nothing_of_a_hostile_repository_runs_and_nothing_in_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ran = hostile_repository(tmp_path / "r", tmp_path / "ran"), tmp_path / "ran"
    for trace in ran.iterdir():
        trace.unlink()
    before = tree_of(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", str(folder), os.environ["PATH"]]))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"{tmp_path}/trap environment")
    found = listed(folder)
    assert set(found.tracked) == {"app.py", "go.mod", "notes.bin", "sub/mod.py"}
    assert set(found.untracked) == {".gitattributes", "more-settings", "git"}
    diff = changed(folder)
    assert "-old\n+new" in diff
    assert "a/app.py" in diff
    assert list(ran.iterdir()) == []
    assert tree_of(folder) == before


def test_a_repository_whose_only_git_is_its_own_program_gives_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ran = hostile_repository(tmp_path / "r", tmp_path / "ran"), tmp_path / "ran"
    for trace in ran.iterdir():
        trace.unlink()
    outside = tmp_path / "bin"
    outside.mkdir()
    (outside / "git").symlink_to(folder / "git")
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), str(outside)]))
    assert worktree.list_files(folder) == GitTrouble("it is not installed")
    assert list(ran.iterdir()) == []


def test_a_work_tree_that_points_elsewhere_is_ignored(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "a\n"})
    write(tmp_path / "private", {"secret.txt": "s"})
    repositories.git(folder, "config", "core.worktree", str(tmp_path / "private"))
    assert listed(folder).tracked == ("a.txt",)
    assert listed(folder).untracked == ()


def private_repository(tmp_path: Path) -> Path:
    return repository(tmp_path / "private", {"secret.txt": "TOP-SECRET\n"})


def test_a_git_file_that_leads_into_another_repository_is_not_followed(tmp_path: Path) -> None:
    private = private_repository(tmp_path)
    write(tmp_path / "r", {".git": f"gitdir: {private}/.git\n", "a.txt": "a"})
    assert worktree.list_files(tmp_path / "r") is None
    assert worktree.uncommitted_changes(tmp_path / "r", nothing_secret) is None


def test_a_git_link_is_not_followed(tmp_path: Path) -> None:
    private = private_repository(tmp_path)
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / ".git").symlink_to(private / ".git")
    assert worktree.uncommitted_changes(tmp_path / "r", nothing_secret) is None


@pytest.mark.parametrize("linked", [["refs"], ["packed-refs"], ["HEAD"], ["index"], ["refs/heads/main"], ["commondir"]])
def test_parts_that_lead_into_another_repository_show_nothing_of_it(tmp_path: Path, linked: list[str]) -> None:
    private = private_repository(tmp_path)
    if linked == ["packed-refs"]:
        repositories.git(private, "pack-refs", "--all")
    if linked == ["HEAD"]:
        repositories.git(private, "checkout", "-q", "--detach")
    folder = tmp_path / "r"
    folder.mkdir()
    repositories.git(folder, "init", "-q", "-b", "main")
    write(folder, {".git/objects/info/alternates": f"{private}/.git/objects\n"})
    for part in linked:
        path = folder / ".git" / part
        if part == "commondir":
            path.write_text(f"{private}/.git\n")
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(private / ".git" / part)
    found = worktree.uncommitted_changes(folder, nothing_secret)
    assert "SECRET" not in repr(found)
    assert "secret.txt" not in repr(found)
    assert "secret.txt" not in repr(worktree.list_files(folder))


def test_a_worktree_and_a_submodule_are_believed(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", {"a.txt": "a\n"})
    repositories.git(main, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    write(tmp_path / "tree", {"a.txt": "b\n"})
    assert listed(tmp_path / "tree").tracked == ("a.txt",)
    assert "-a\n+b" in changed(tmp_path / "tree")
    outer = repository(tmp_path / "outer", {"o.txt": "o\n"})
    repositories.git(outer, "submodule", "add", "-q", str(main), "inner")
    write(outer / "inner", {"a.txt": "c\n"})
    assert listed(outer / "inner").tracked == ("a.txt",)
    assert "-a\n+c" in changed(outer / "inner")
    assert "inner" in listed(outer).tracked


def test_ignored_files_are_not_listed_whoever_ignores_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r", {".gitignore": "*.log\n", "a.txt": "a"})
    write(tmp_path / "home", {".gitconfig": "[core]\n\texcludesFile = ~/mine\n", "mine": "*.mine\n"})
    write(folder, {".git/info/exclude": "*.local\n", "x.log": "", "x.mine": "", "x.local": "", "new.txt": ""})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    assert listed(folder).untracked == ("new.txt",)


def test_a_listing_can_be_narrowed_and_starts_in_a_folder_below(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a/1.py": "", "b/2.py": "", "b/*.py": "", "c/d/3.py": ""})
    assert listed(folder, "b/*.py", "c").tracked == ("b/*.py", "c/d/3.py")
    assert listed(folder / "c").tracked == ("d/3.py",)


def test_a_damaged_index_leaves_the_ignore_rules_in_force(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {".gitignore": "*.log\n", "a.txt": "a"})
    write(folder, {"x.log": ""})
    (folder / ".git" / "index").write_bytes(b"rubbish")
    assert listed(folder) == worktree.Listing(folder, (), (".gitignore", "a.txt"))


def test_the_diff_shows_staged_and_unstaged_changes_and_odd_names(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "1\n", "名 前.txt": "1\n", "gone.txt": "1\n"})
    write(folder, {"a.txt": "2\n", "名 前.txt": "2\n", "staged.txt": "new\n", "untracked.txt": "u\n"})
    (folder / "gone.txt").unlink()
    repositories.git(folder, "add", "staged.txt")
    diff = changed(folder)
    assert "名 前.txt" in diff
    assert "+new" in diff
    assert "deleted file" in diff
    assert "untracked" not in diff


def test_before_the_first_commit_the_diff_shows_what_is_staged(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    repositories.git(tmp_path / "r", "init", "-q")
    write(tmp_path / "r", {"a.txt": "first\n"})
    assert changed(tmp_path / "r") == ""
    repositories.git(tmp_path / "r", "add", "a.txt")
    assert "+first" in changed(tmp_path / "r")


def test_packed_refs_detached_heads_and_sha256_are_read(tmp_path: Path) -> None:
    packed = repository(tmp_path / "packed", {"a.txt": "1\n"})
    repositories.git(packed, "pack-refs", "--all")
    assert changed(packed) == ""
    repositories.git(packed, "checkout", "-q", "--detach")
    assert changed(packed) == ""
    long = repository(tmp_path / "long", {"a.txt": "1\n"}, "--object-format=sha256")
    write(long, {"a.txt": "2\n"})
    assert "-1\n+2" in changed(long)
    found = find_repository(long)
    assert found is not None
    assert len(head_commit(found) or "") == 64


def test_secret_files_are_kept_out_of_the_diff(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {".env": "KEY=1\n", "a.txt": "1\n"})
    write(folder, {".env": "KEY=2\n", "a.txt": "2\n"})
    found = worktree.uncommitted_changes(folder, lambda path: path == ".env")
    assert isinstance(found, worktree.Changes)
    assert found.left_out == (".env",)
    assert b"KEY" not in found.diff
    assert b"+2" in found.diff


def test_a_split_index_is_read(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "1\n"})
    repositories.git(folder, "update-index", "--split-index")
    write(folder, {"a.txt": "2\n"})
    assert listed(folder).tracked == ("a.txt",)
    assert "-1\n+2" in changed(folder)


def test_reftable_repositories_are_listed_but_refused_for_a_diff(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "1\n"})
    (folder / ".git" / "reftable").mkdir()
    assert listed(folder).tracked == ("a.txt",)
    found = worktree.uncommitted_changes(folder, nothing_secret)
    assert isinstance(found, GitTrouble)
    assert "reftable" in found.message


def test_a_git_that_hangs_is_ended_at_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "1\n"})
    write(tmp_path / "bin", {"git": "#!/bin/sh\nexec sleep 60\n"})
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "TIMEOUT_S", 0.2)
    assert worktree.list_files(folder) == GitTrouble("no answer within 0.2 s")


def test_a_git_that_prints_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r", {"a.txt": "1\n"})
    write(tmp_path / "bin", {"git": "#!/bin/sh\nexec yes\n"})
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(worktree, "LISTING_LIMIT", 1_000_000)
    assert worktree.list_files(folder) == GitTrouble("it printed more than 1 MB")
