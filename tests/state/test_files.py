"""Writing files: whole or not at all, private, and never through a stranger's link."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from state.files import is_draft, private_folder, read_text, replace_file, write_new

ROOT = Path(__file__).parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("before", [None, b"", b"an older and longer text"])
def test_a_file_is_replaced_as_a_whole_and_is_private(before: bytes | None, durable: bool, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o666)
    replace_file(file, b"new", durable=durable)
    assert (file.read_bytes(), mode(file), os.listdir(tmp_path)) == (b"new", 0o600, ["x.json"])


def test_a_wide_umask_makes_nothing_public_and_a_narrow_one_takes_nothing_away(tmp_path: Path) -> None:
    for mask in (0o000, 0o077):
        before = os.umask(mask)
        try:
            private_folder(tmp_path / f"{mask}" / "deep")
            replace_file(tmp_path / f"{mask}" / "deep" / "x", b"x")
        finally:
            os.umask(before)
        assert [mode(path) for path in sorted((tmp_path / f"{mask}").rglob("*"))] == [0o700, 0o600]


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    victim, file, draft = tmp_path / "victim", tmp_path / "x.json", tmp_path / ".x.json.tmp"
    victim.write_text("precious")
    file.symlink_to(victim)
    draft.symlink_to(victim)
    replace_file(file, b"new", draft=draft)
    assert (file.is_symlink(), file.read_bytes(), victim.read_text()) == (False, b"new", "precious")
    os.link(victim, tmp_path / "hard")
    replace_file(tmp_path / "hard", b"new")
    assert victim.read_text() == "precious"


def test_a_new_file_is_never_written_over_another_nor_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("precious")
    (tmp_path / "dangling").symlink_to(tmp_path / "elsewhere")
    for name in ("there", "dangling"):
        with pytest.raises(FileExistsError):
            write_new(tmp_path / name, b"new")
    assert (tmp_path / "there").read_text() == "precious"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("where", "told"), [("missing/x", "No such file"), ("file/x", "Not a directory"), ("folder", "directory")]
)
def test_what_cannot_be_written_raises_and_leaves_no_draft(where: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "folder" / "full").mkdir(parents=True)
    with pytest.raises(OSError, match=told):
        replace_file(tmp_path / where, b"new")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "precious"


def test_a_read_only_folder_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("old")
    tmp_path.chmod(0o555)
    code = (
        "import os, sys\nsys.path.insert(0, sys.argv[1])\nfrom pathlib import Path\nfrom state.files import replace_file\n"
        "os.getuid() or os.seteuid(65534)\n"
        "try:\n replace_file(Path('x.json'), b'new')\nexcept PermissionError as e:\n print(e.strerror)"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(ROOT)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    finally:
        tmp_path.chmod(0o700)
    assert (done.stdout, done.stderr) == ("Permission denied\n", "")
    assert ((tmp_path / "x.json").read_text(), os.listdir(tmp_path)) == ("old", ["x.json"])


def test_a_private_folder_is_ours_alone_and_never_behind_a_link(tmp_path: Path) -> None:
    open_one = tmp_path / "open"
    open_one.mkdir(mode=0o755)
    private_folder(open_one)
    assert mode(open_one) == 0o700
    (tmp_path / "link").symlink_to(open_one)
    (tmp_path / "file").touch()
    for name, told in (("link", "it is a link"), ("file/x", "Not a directory")):
        with pytest.raises(OSError, match=told):
            private_folder(tmp_path / name)
    assert os.listdir(open_one) == []


def test_reading_a_bit_of_a_file_never_fails(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"ab\xffcd")
    assert [read_text(tmp_path / "x", limit) for limit in (-1, 2, 3)] == ["ab�cd", "ab", "ab�"]
    assert [read_text(path) for path in (tmp_path, tmp_path / "none")] == ["", ""]


@pytest.mark.parametrize(("name", "is_one"), [(".x.json.tmp", True), ("x.tmp", False), (".x.json", False)])
def test_a_draft_is_known_by_its_name(name: str, is_one: bool) -> None:
    assert is_draft(Path("folder") / name) is is_one
