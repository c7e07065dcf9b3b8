"""The shelf: every debate is found, a broken one hides no other, and what is forgotten is gone."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from state.document import BadState, encoded
from state.models import Key
from state.record import Record
from state.shelf import entries, everything, forget, is_playing, locate, older_than, read, store_of
from state.store import InUse, Store, file_store, new_store
from tests.orchestrator.playing import opened, play

IDS = [f"debate-2026113{day}T215501Z-1a2b" for day in (0, 1, 2)]
KEY = Key(step="round-1", seat="proposer")


def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "debate"


def named(ident: str, **more: object) -> Record:
    record = play(opened())
    return Record(events=(record.events[0].model_copy(update={"id": ident, **more}), *record.events[1:]))


def kept(tmp_path: Path, ident: str) -> Store:
    """A debate on the shelf as a run leaves it, with all that can lie beside it."""
    store = new_store(ident, folder(tmp_path), {})
    store.save(named(ident))
    store.keep_prompt(KEY, "a private prompt")
    store.keep_output(KEY, ("claude",), b"out", b"err")
    store.release()
    return store


def test_debates_are_listed_the_newest_first_and_a_broken_one_with_its_problem(tmp_path: Path) -> None:
    for ident in (IDS[1], IDS[0], IDS[2]):
        kept(tmp_path, ident)
    broken = folder(tmp_path) / "history" / f"{IDS[1]}.json"
    broken.write_bytes(broken.read_bytes()[:700])
    found = list(entries(folder(tmp_path)))
    assert [entry.id for entry in found] == IDS[::-1]
    assert [entry.record is None for entry in found] == [False, True, False]
    assert found[1].problem is not None


def test_an_empty_shelf_is_no_error(tmp_path: Path) -> None:
    assert (list(entries(folder(tmp_path))), everything(folder(tmp_path))) == ([], [])
    with pytest.raises(BadState, match="no debate was started yet"):
        locate("last", folder(tmp_path), tmp_path)


def test_a_debate_is_found_as_last_by_id_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    older, newer = kept(tmp_path, IDS[0]), kept(tmp_path, IDS[1])
    where = folder(tmp_path)
    for name, path in (
        ("last", newer.path),
        (str(newer.last), newer.path),
        (IDS[0], older.path),
        (str(older.path), older.path),
        (f"state/debate/history/{IDS[0]}.json", older.path),
        (f"~/state/debate/history/{IDS[0]}.json", older.path),
        ("debate-20000101T000000Z-0000", where / "history" / "debate-20000101T000000Z-0000.json"),
        ("else.json", tmp_path / "else.json"),
    ):
        assert locate(name, where, tmp_path) == path


def test_without_a_whole_copy_the_last_debate_is_the_newest_on_the_shelf(tmp_path: Path) -> None:
    kept(tmp_path, IDS[0])
    last = kept(tmp_path, IDS[2])
    last.last.write_bytes(last.last.read_bytes()[:90])
    assert locate("last", folder(tmp_path), tmp_path) == last.path


def test_a_debate_in_a_file_of_its_own_is_found_through_its_copy(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    store = file_store(file, folder(tmp_path), {})
    store.save(named(IDS[2], state_file=str(file)))
    for name in ("last", IDS[2], "mine.json"):
        assert locate(name, folder(tmp_path), tmp_path) == file
    store.release()
    assert forget(file, folder(tmp_path)) == IDS[2]
    assert (os.listdir(tmp_path), list(folder(tmp_path).glob("*.json"))) == (["state"], [])


def test_of_a_torn_file_the_whole_copy_is_named(tmp_path: Path) -> None:
    store = kept(tmp_path, IDS[0])
    store.path.write_bytes(b"{")
    with pytest.raises(BadState) as problem:
        read(store.path)
    assert str(store.last) in problem.value.remedy
    store.last.write_bytes(encoded(named(IDS[1])))
    with pytest.raises(BadState) as problem:
        read(store.path)
    assert str(store.last) not in problem.value.remedy


def test_of_what_is_forgotten_nothing_stays_not_even_what_a_killed_run_was_writing(tmp_path: Path) -> None:
    store = kept(tmp_path, IDS[0])
    for draft in (
        store.path.with_name(f".{store.path.name}.tmp"),
        store.draft_of_copy(IDS[0]),
        store.calls / ".round-1.proposer.0.prompt.md.0123abcd.tmp",
    ):
        draft.write_text("half of something private")
    assert forget(store.path, folder(tmp_path)) == IDS[0]
    assert [path.name for path in (tmp_path / "state").rglob("*") if path.is_file()] == []
    assert os.listdir(folder(tmp_path) / "history") == []


def test_what_was_killed_before_its_first_save_is_forgotten_too_but_not_while_it_lives(tmp_path: Path) -> None:
    store = new_store(IDS[0], folder(tmp_path), {})
    store.path.with_name(f".{store.path.name}.tmp").write_text("half a record")
    assert everything(folder(tmp_path)) == [store.path]
    with pytest.raises(InUse):
        forget(store.path, folder(tmp_path))
    store.release()
    forget(store.path, folder(tmp_path))
    assert os.listdir(folder(tmp_path) / "history") == []


def test_a_strangers_file_beside_the_calls_stays(tmp_path: Path) -> None:
    store = kept(tmp_path, IDS[0])
    (store.calls / "notes.txt").write_text("mine")
    forget(store.path, folder(tmp_path))
    assert os.listdir(store.calls) == ["notes.txt"]


def test_another_debates_copy_stays(tmp_path: Path) -> None:
    older, newer = kept(tmp_path, IDS[0]), kept(tmp_path, IDS[1])
    forget(older.path, folder(tmp_path))
    assert read(newer.last) == read(newer.path)


def test_a_debate_that_is_played_is_known_and_neither_taken_nor_deleted(tmp_path: Path) -> None:
    store = kept(tmp_path, IDS[0])
    assert not is_playing(store.path)
    playing = store_of(store.path, folder(tmp_path), {})
    assert is_playing(store.path)
    for use in (lambda: forget(store.path, folder(tmp_path)), lambda: store_of(store.path, folder(tmp_path), {})):
        with pytest.raises(InUse, match=f"in use by pid {os.getpid()}"):
            use()
    playing.release()
    assert store.path.exists()


def test_age_goes_by_the_name_also_of_one_that_cannot_be_read(tmp_path: Path) -> None:
    old = kept(tmp_path, "debate-20200101T000000Z-1a2b").path
    old.write_bytes(b"{")
    kept(tmp_path, "debate-29990101T000000Z-1a2b")
    (old.parent / "notes.json").write_text("{}")
    assert older_than(folder(tmp_path), timedelta(days=90)) == [old]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for use in (forget, lambda path, where: store_of(path, where, {})):
        with pytest.raises(BadState, match="no such file"):
            use(folder(tmp_path) / "history" / f"{IDS[0]}.json", folder(tmp_path))
