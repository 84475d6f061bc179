"""The ids of chunks lie beside the state: read only when asked for, and never those of another state."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ingestion.errors import RecordsDamaged
from ingestion.models import IngestionRecord, IngestionState
from ingestion.state.chunk_ids import ChunkIdFile
from ingestion.state.state_file import StateFile


def record(path: str, *chunk_ids: str, book: str = "b") -> IngestionRecord:
    return IngestionRecord(
        source_file=path,
        file_hash=f"hash of {path}",
        chunk_ids=chunk_ids,
        ingested_at="2026-01-01T00:00:00+00:00",
        book_id=book,
        module="ros2",
        chapter=2,
        lesson=None,
        shares_lesson=False,
        fingerprint={"parser": "1"},
    )


def state(*records: IngestionRecord, book: str = "b") -> IngestionState:
    known = {each.source_file: each for each in records}
    return IngestionState(book_id=book, collection_name="c", records=known, run_id="run of the points")


@pytest.fixture
def states(tmp_path: Path) -> StateFile:
    return StateFile(tmp_path / "state.json")


def ids_beside(states: StateFile) -> Path:
    return states.path.with_name("state.chunks.jsonl")


def test_the_state_has_the_fields_of_the_specification_and_no_id(states: StateFile) -> None:
    states.save(state(record("a.md", "x", "y"), record("b.md", "z")))
    document = json.loads(states.path.read_text())
    book = document["books"]["b"]
    assert (document["format_version"], book["book_id"], book["total_chunks"]) == (3, "b", 3)
    told = book["records"]["a.md"]
    assert (told["book_id"], told["source_file"], told["chunk_count"]) == ("b", "a.md", 2)
    assert "chunk_ids" not in told and '"x"' not in states.path.read_text()


def test_ids_are_read_when_they_are_asked_for(states: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    states.save(state(record('a "b": [.md', "x", "y"), record("empty.md")))
    loaded = StateFile(states.path).load("b", "c")
    with monkeypatch.context() as patched:
        patched.setattr(ChunkIdFile, "lines", lambda self: pytest.fail("the ids were read"))
        assert (loaded.total_chunks, loaded.run_id) == (2, "run of the points")
        assert loaded.records["empty.md"].chunk_ids == ()
    ids = loaded.records['a "b": [.md'].chunk_ids
    assert ids == ("x", "y") and ids[0] == "x" and ids[1:] == ("y",) and ids != ("x", "z")
    assert copy.deepcopy(ids) == ("x", "y") and loaded.get_chunks_to_delete(['a "b": [.md']) == ["x", "y"]


def test_a_save_keeps_the_ids_of_what_did_not_change(states: StateFile) -> None:
    states.save(state(record("a.md", "other", book="b2"), book="b2"))
    states.save(state(record("a.md", "x"), record("b.md", "y")))
    loaded = StateFile(states.path).load("b", "c")
    StateFile(states.path).save(replace(loaded, records=loaded.records | {"b.md": record("b.md", "new", "ids")}))
    again = StateFile(states.path)
    assert [[*each.chunk_ids] for each in again.load("b", "c").records.values()] == [["x"], ["new", "ids"]]
    assert again.load("b2", "c").records["a.md"].chunk_ids == ("other",)


def test_equal_indexes_have_equal_ids(tmp_path: Path) -> None:
    one, two = StateFile(tmp_path / "one/state.json"), StateFile(tmp_path / "two/state.json")
    one.save(state(record("a.md", "x"), record("b.md", "y")))
    two.save(state(record("b.md", "y")))
    two.save(state(record("b.md", "y"), record("a.md", "x")))
    assert ids_beside(one).read_bytes() == ids_beside(two).read_bytes()
    assert one.path.read_bytes() == two.path.read_bytes()


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"[]", b'{"sha256": "0"}\n', b'{"sha256": 7}\n{"book'])
def test_a_state_whose_ids_are_lost_tells_of_no_run_so_that_every_file_is_compared(
    states: StateFile, content: bytes | None
) -> None:
    states.save(state(record("a.md", "x", "y"), record("b.md", "z")))
    if content is None:
        ids_beside(states).unlink()
    else:
        ids_beside(states).write_bytes(content)
    loaded = StateFile(states.path).load("b", "c")
    assert (loaded.run_id, loaded.total_chunks) == (None, 3)
    with pytest.raises(RecordsDamaged, match=r"a\.md: 2 chunks are recorded and 0 ids; `bookwise ingest`"):
        list(loaded.records["a.md"].chunk_ids)
    # What a run could not compare stays in doubt; what it compared has its ids again.
    StateFile(states.path).save(replace(loaded, run_id="r", records=loaded.records | {"a.md": record("a.md", "x")}))
    assert StateFile(states.path).load("b", "c").run_id is None
    StateFile(states.path).save(state(record("a.md", "x"), record("b.md", "z")))
    assert StateFile(states.path).load("b", "c").run_id == "run of the points"


def test_a_crash_between_the_two_files_leaves_the_old_state_which_tells_of_no_run(
    states: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    states.save(state(record("a.md", "x")))
    before = states.path.read_bytes()
    move = os.replace

    def crash_at_the_state(old: Path, new: Path) -> None:
        if new == states.path:
            raise KeyboardInterrupt
        move(old, new)

    monkeypatch.setattr(os, "replace", crash_at_the_state)
    with pytest.raises(KeyboardInterrupt):
        states.save(state(record("a.md", "x", "y"), record("b.md", "z")))
    monkeypatch.undo()
    assert states.path.read_bytes() == before
    loaded = StateFile(states.path).load("b", "c")
    assert (loaded.run_id, [*loaded.records]) == (None, ["a.md"])


def test_a_state_of_an_older_format_is_read_and_replaced(states: StateFile) -> None:
    states.save(state(record("a.md", "x"), record("b.md")))
    document = json.loads(states.path.read_text())
    del document["chunk_ids"]
    document["format_version"] = 2
    for path, told in document["books"]["b"]["records"].items():
        for name in ("book_id", "source_file", "chunk_count"):
            del told[name]
        told["chunk_ids"] = ["x"] if path == "a.md" else []
    states.path.write_text(json.dumps(document))
    ids_beside(states).unlink()
    loaded = StateFile(states.path).load("b", "c")
    assert loaded == state(record("a.md", "x"), record("b.md"))
    StateFile(states.path).save(state(record("a.md", "x", book="b2"), book="b2"))
    again = StateFile(states.path)
    assert again.load("b", "c") == loaded and json.loads(states.path.read_text())["format_version"] == 3
