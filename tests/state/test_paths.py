"""Where state lies: what is named on purpose, else the host's folder, else the user's."""

from pathlib import Path

import pytest

from state.paths import HOST_MARKS, inside_repository, shelf_folder

PROJECT = Path("/project")
USER = {"HOME": "/home/u"}


@pytest.mark.parametrize(
    ("flag", "environ", "folder"),
    [
        (None, {}, "/home/u/.local/state/debate"),
        (None, {"XDG_STATE_HOME": "/xdg"}, "/xdg/debate"),
        (None, {"XDG_STATE_HOME": "relative"}, "/home/u/.local/state/debate"),
        (None, {"XDG_STATE_HOME": ""}, "/home/u/.local/state/debate"),
        (None, {"AI_STATE_DIR": "/ai", "XDG_STATE_HOME": "/xdg", "CLAUDECODE": "1"}, "/ai/debate"),
        (None, {"AI_STATE_DIR": "", "XDG_STATE_HOME": "/xdg"}, "/xdg/debate"),
        (None, {"AI_STATE_DIR": "here"}, "/project/here/debate"),
        ("/flag", {"AI_STATE_DIR": "/ai", "CLAUDECODE": "1"}, "/flag/debate"),
        ("there", {"AI_STATE_DIR": "/ai"}, "/project/there/debate"),
        *(
            (None, {mark: "1", "XDG_STATE_HOME": "/xdg"}, f"/project/{host}/debate")
            for mark, host in HOST_MARKS.items()
        ),
        (None, {"CLAUDECODE": "0", "XDG_STATE_HOME": "/xdg"}, "/xdg/debate"),
        (None, {"CLAUDECODE": "", "XDG_STATE_HOME": "/xdg"}, "/xdg/debate"),
    ],
)
def test_what_is_named_on_purpose_goes_before_the_host_and_the_host_before_the_user(
    flag: str | None, environ: dict[str, str], folder: str
) -> None:
    assert shelf_folder(PROJECT, flag, USER | environ) == Path(folder)


def test_a_tilde_is_the_users_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/u")
    assert shelf_folder(PROJECT, "~/x", USER) == Path("/home/u/x/debate")


@pytest.mark.parametrize("as_file", [True, False])
def test_a_folder_lies_inside_a_repository_at_any_depth_also_of_a_worktree(as_file: bool, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    assert not inside_repository(deep)
    (tmp_path / "a").mkdir()
    mark = tmp_path / "a" / ".git"
    mark.write_text("gitdir: elsewhere") if as_file else mark.mkdir()
    assert [inside_repository(folder) for folder in (deep, tmp_path / "a", tmp_path)] == [True, True, False]
