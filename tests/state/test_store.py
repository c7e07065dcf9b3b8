"""A debate on disk: written whole or not at all, held by one process, private, and never over what is not ours."""

import json
import os
import resource
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from state.document import BadState, encoded, read
from state.failures import FailureKind
from state.models import Envelope, Failure, Key, TurnEnded, TurnStarted
from state.record import Record
from state.store import InUse, NotSaved, Store, calls_of, file_store, new_id, new_store
from tests.orchestrator.playing import CLAUDE, NOW, failing, opened, play

KEY = Key(step="round-1", seat="proposer")
STARTED = TurnStarted(at=NOW, key=KEY, seat=CLAUDE, prompt_sha256="0" * 64, prompt_bytes=1)


def answered(response: str) -> tuple[TurnStarted, TurnEnded]:
    """The events of one speech."""
    return STARTED, TurnEnded(at=NOW, key=KEY, envelope=Envelope(tool="claude", response=response))


def shelf(folder: Path) -> Path:
    return folder / "state" / "debate"


def begun(folder: Path, topic: str = "Tabs or spaces?") -> tuple[Store, Record]:
    """A new debate on the shelf, saved once."""
    store = new_store(ident := new_id(), shelf(folder), {})
    record = opened(topic=topic)
    first = record.events[0].model_copy(update={"id": ident})
    record = Record(events=(first,))
    store.save(record)
    return store, record


def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    store, record = begun(tmp_path)
    assert read(store.path) == record
    assert store.last.read_bytes() == store.path.read_bytes() == encoded(record)


def test_files_are_private_and_git_is_told_to_look_away(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    store, _ = begun(tmp_path)
    store.keep_prompt(KEY, "prompt")
    made = [path for path in (tmp_path / "state" / "debate").rglob("*") if path.name != ".gitignore"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_dir()} == {0o700}
    assert (shelf(tmp_path) / ".gitignore").read_text() == "*\n"


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    store, record = begun(tmp_path, "x" * 200_000)
    stop = threading.Event()
    broken: list[str] = []

    def look() -> None:
        while not stop.is_set():
            for path in (store.path, store.last):
                try:
                    json.loads(path.read_bytes())
                except ValueError as problem:
                    broken.append(str(problem))

    reader = threading.Thread(target=look)
    reader.start()
    for _ in range(40):
        store.save(record)
    stop.set()
    reader.join()
    assert not broken


def test_a_full_disk_leaves_the_last_good_file_and_says_so(tmp_path: Path) -> None:
    store, record = begun(tmp_path)
    before = store.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    large = record.after(*answered("y" * 300_000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(
            NotSaved, match=r"The state could not be saved: .*json: file too large \(\d+,\d+ bytes to write\)"
        ):
            store.save(large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert store.path.read_bytes() == before
    assert sorted(path.name for path in store.path.parent.iterdir()) == [store.calls.name, store.path.name]
    store.save(large)
    assert read(store.path) == large


def test_a_debate_is_held_by_one_process_and_let_go_when_it_dies(tmp_path: Path) -> None:
    store, _ = begun(tmp_path)
    store.release()
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom state.lock import Lock\n"
        "Lock(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(store.calls / "lock")], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with pytest.raises(InUse, match=f"is in use by pid {other.pid}"):
        store.hold()
    other.kill()
    other.communicate(timeout=10)
    store.hold()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"schema_version": 1, "id": "debate-', "it is cut off"),
        (b"\x00" * 40, "NUL"),
        (b'{"name": "something else"}', "no debate"),
        (b'{"schema_version": 99, "id": "debate-1", "events": []}', "99"),
        (b"[1, 2]", "no debate"),
    ],
)
def test_a_file_that_is_none_of_ours_is_named_and_never_overwritten(content: bytes, told: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(content)
    for use in (lambda: read(file), lambda: file_store(file, shelf(tmp_path), {})):
        with pytest.raises(BadState) as problem:
            use()
        assert str(problem.value).startswith(f"{file}: ")
        assert problem.value.remedy
    assert file.read_bytes() == content
    assert not calls_of(file).exists()


def test_a_state_file_may_be_new_empty_or_a_finished_debate_of_ours(tmp_path: Path) -> None:
    file, where = tmp_path / "mine.json", shelf(tmp_path)
    for content in (None, b"", encoded(play(opened()))):
        if content is not None:
            file.write_bytes(content)
        file_store(file, where, {}).release()
    file.write_bytes(encoded(play(opened(), failing("round-2"))))
    with pytest.raises(BadState, match="not finished"):
        file_store(file, where, {})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda file: file.symlink_to("elsewhere"), "it is a link"),
        (lambda file: file.mkdir(), "it is not a file"),
        (os.mkfifo, "it is not a file"),
    ],
)
def test_a_state_file_is_a_file_in_a_folder_that_is_there(
    make: Callable[[Path], None], told: str, tmp_path: Path
) -> None:
    make(tmp_path / "mine.json")
    with pytest.raises(BadState, match=told):
        file_store(tmp_path / "mine.json", shelf(tmp_path), {})
    with pytest.raises(BadState, match="its folder does not exist"):
        file_store(tmp_path / "none" / "mine.json", shelf(tmp_path), {})


def test_raw_output_is_kept_short_and_without_secrets_or_control_characters(tmp_path: Path) -> None:
    store, _ = begun(tmp_path)
    store.hidden = ("hunter2-hunter2",)
    long = b"begin " + b"x" * 500_000 + b" hunter2-hunter2 \x1b[31mend"
    where = store.keep_output(KEY, ("claude", "-p", "it's"), b"", long)
    kept = Path(f"{where}.stderr").read_text()
    assert len(kept) < 70_000
    assert kept.startswith("begin ")
    assert "bytes left out" in kept
    assert "hunter2" not in kept
    assert "\x1b" not in kept
    assert "claude -p 'it'\"'\"'s' <" in Path(f"{where}.command.sh").read_text()


def test_the_copy_is_of_the_debate_that_was_started_last(tmp_path: Path) -> None:
    older, first = begun(tmp_path)
    younger = new_store(first.id.replace("debate-2", "debate-3"), shelf(tmp_path), {})
    second = Record(events=(first.events[0].model_copy(update={"id": younger.path.stem}),))
    younger.save(second)
    older.save(first.after(*answered("late")))
    assert read(older.last) == second


def test_a_failure_is_saved_with_what_may_help(tmp_path: Path) -> None:
    store, record = begun(tmp_path)
    failure = Failure(kind=FailureKind.QUOTA, message="used up", remedy="Wait.", retry_at="2026-11-30T13:00:00Z")
    store.save(
        record.after(STARTED, TurnEnded(at=NOW, key=KEY, envelope=Envelope(tool="claude", failure=failure, raw="r")))
    )
    [told] = json.loads(store.path.read_bytes())["failures"]
    assert {name: told[name] for name in ("kind", "message", "round", "seat", "tool", "raw", "made_up_for")} == {
        "kind": "quota", "message": "used up", "round": 1, "seat": "proposer", "tool": "claude", "raw": "r",
        "made_up_for": False,
    }  # fmt: skip


def test_two_debates_at_once_get_two_files_and_one_file_goes_to_one_of_them(tmp_path: Path) -> None:
    names = {begun(tmp_path, f"topic {number}")[0].path.name for number in range(8)}
    assert len(names) == 8
    file = tmp_path / "mine.json"
    first = file_store(file, shelf(tmp_path), {})
    with pytest.raises(InUse, match=f"{file} is in use by pid {os.getpid()}"):
        file_store(file, shelf(tmp_path), {})
    first.release()
    with pytest.raises(NotSaved):
        new_store(next(iter(names)).removesuffix(".json"), shelf(tmp_path), {})


def test_what_a_process_that_died_while_saving_left_is_cleared_away_and_the_last_good_file_stays(
    tmp_path: Path,
) -> None:
    store, record = begun(tmp_path)
    store.release()
    draft = store.path.with_name(f".{store.path.name}.tmp")
    draft.write_bytes(b"half a rec")
    store.hold()
    assert (draft.exists(), read(store.path)) == (False, record)


@pytest.mark.parametrize("part", ["debate", "debate/history"])
def test_a_shelf_behind_a_link_of_the_project_is_refused(part: str, tmp_path: Path) -> None:
    (tmp_path / "state" / part).parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state" / part).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotSaved, match="it is a link"):
        new_store(new_id(), shelf(tmp_path), {})
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_copy_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    store, record = begun(tmp_path)
    store.last.unlink()
    (store.last / "in the way").mkdir(parents=True)
    longer = record.after(*answered("words"))
    store.save(longer)
    assert read(store.path) == longer


def test_the_copy_is_no_way_out_of_the_shelf(tmp_path: Path) -> None:
    store, record = begun(tmp_path)
    (tmp_path / "victim").write_text("precious")
    store.last.unlink()
    store.last.symlink_to(tmp_path / "victim")
    store.save(record.after(*answered("words")))
    assert ((tmp_path / "victim").read_text(), store.last.is_symlink()) == ("precious", False)


def test_git_ignores_nothing_outside_a_repository_and_an_ignore_file_that_is_there_stays(tmp_path: Path) -> None:
    begun(tmp_path)
    assert not (shelf(tmp_path) / ".gitignore").exists()
    (tmp_path / ".git").mkdir()
    (shelf(tmp_path) / ".gitignore").write_text("# mine\n")
    begun(tmp_path)
    assert (shelf(tmp_path) / ".gitignore").read_text() == "# mine\n"


def test_names_of_calls_stay_in_their_folder(tmp_path: Path) -> None:
    store, _ = begun(tmp_path)
    store.keep_prompt(Key(step="../../round", seat="/etc/x"), "prompt")
    assert [path.name for path in store.calls.iterdir() if path.name != "lock"] == [".._.._round._etc_x.0.prompt.md"]


def test_a_new_debate_in_an_old_file_keeps_nothing_of_the_old_ones_calls(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    store = file_store(file, shelf(tmp_path), {})
    store.keep_prompt(KEY, "old prompt")
    store.keep_output(KEY, ("claude",), b"out", b"err")
    (store.calls / "notes.txt").write_text("mine")
    store.save(play(opened()))
    store.release()
    again = file_store(file, shelf(tmp_path), {})
    assert sorted(os.listdir(again.calls)) == ["lock", "notes.txt"]
