"""The state file: round trip, atomic writes, and never an empty start over a file that cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import StateError
from ingestion.models import IngestionRecord, IngestionState, RecordedFinding
from ingestion.state.records import FORMAT_VERSION
from ingestion.state.state_file import StateFile


def record(path: str, *chunk_ids: str, book: str = "b", **changes: Any) -> IngestionRecord:
    values: dict[str, Any] = {
        "source_file": path,
        "file_hash": f"hash of {path}",
        "chunk_ids": chunk_ids,
        "ingested_at": "2026-01-01T00:00:00+00:00",
        "book_id": book,
        "module": "ros2",
        "chapter": 2,
        "lesson": None,
        "shares_lesson": False,
        "fingerprint": {"parser": "1", "embedding": "m/8"},
    }
    return IngestionRecord(**values | changes)


def state(*records: IngestionRecord, book: str = "b", collection: str = "c") -> IngestionState:
    return IngestionState(
        book_id=book,
        collection_name=collection,
        docs_root="docs",
        records={each.source_file: each for each in records},
        last_full_ingest="2026-01-01T00:00:00+00:00",
    )


@pytest.fixture
def states(tmp_path: Path) -> StateFile:
    return StateFile(tmp_path / "deep" / "state.json")


def test_without_a_file_nothing_is_recorded(states: StateFile) -> None:
    assert states.load("b", "c") == IngestionState(book_id="b", collection_name="c")
    assert states.books() == []


def test_what_is_saved_is_what_is_loaded(states: StateFile) -> None:
    saved = state(record("a/1.md", "x", "y"), record("سبق é.md", shares_lesson=True, chapter=None))
    states.save(saved)
    loaded = states.load("b", "c")
    assert loaded == saved
    assert loaded.total_chunks == 2


def test_findings_and_includes_come_back(states: StateFile) -> None:
    found = (
        RecordedFinding(3, "chapter-range", "chapter 30 is outside 0 to 20; kept"),
        RecordedFinding(None, "r", "m"),
    )
    saved = state(
        record("a.md", findings=found, includes={"../code/x.py": "f" * 64, "gone.py": ""}),
        record("b.md"),
    )
    states.save(saved)
    assert states.load("b", "c") == saved
    assert '"includes": {}' not in states.path.read_text(), "what is empty takes no room"


def test_records_with_the_same_fingerprint_name_it_once(states: StateFile) -> None:
    new = {"parser": "2", "embedding": "m/8"}
    states.save(state(record("a.md"), record("b.md"), record("c.md", fingerprint=new)))
    text = states.path.read_text()
    assert text.count('"embedding": "m/8"') == 2
    assert states.load("b", "c").records["c.md"].fingerprint == new


def test_a_state_of_format_1_is_read(states: StateFile) -> None:
    old = {
        "file_hash": "f",
        "chunk_ids": ["x"],
        "ingested_at": "2026-01-01T00:00:00+00:00",
        "module": "ros2",
        "chapter": 1,
        "lesson": None,
        "shares_lesson": False,
        "fingerprint": {"parser": "1"},
    }
    entry = {"collection_name": "c", "docs_root": "docs", "records": {"a.md": old}}
    entry |= {"last_full_ingest": None, "last_incremental_update": "2026-01-01T00:00:00+00:00"}
    states.path.parent.mkdir()
    states.path.write_text(json.dumps({"format_version": 1, "books": {"b": entry}}))
    loaded = states.load("b", "c")
    assert loaded.records["a.md"].chunk_ids == ("x",) and loaded.records["a.md"].findings == ()
    states.save(loaded)
    assert json.loads(states.path.read_text())["format_version"] == FORMAT_VERSION
    assert states.load("b", "c") == loaded


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("file_hash", 1),
        ("chunk_ids", "xyz"),
        ("chunk_ids", [1]),
        ("ingested_at", None),
        ("module", []),
        ("chapter", "1"),
        ("chapter", True),
        ("shares_lesson", "no"),
        ("fingerprint", {"parser": 1}),
        ("fingerprint", "unknown"),
        ("findings", [[1, 2, 3]]),
        ("findings", [["a"]]),
        ("findings", 7),
        ("includes", {"a": None}),
    ],
)
def test_a_record_of_wrong_types_is_an_error_and_never_a_crash(states: StateFile, field: str, value: Any) -> None:
    states.save(state(record("a.md", "x")))
    document = json.loads(states.path.read_text())
    document["books"]["b"]["records"]["a.md"][field] = value
    states.path.write_text(json.dumps(document))
    with pytest.raises(StateError, match="cannot be read"):
        states.load("b", "c")


PATHS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.dictionaries(PATHS, st.lists(PATHS, max_size=3), max_size=4))
def test_any_records_come_back(tmp_path_factory: pytest.TempPathFactory, chunk_ids: dict[str, list[str]]) -> None:
    states = StateFile(tmp_path_factory.getbasetemp() / "any-state.json")
    saved = state(*(record(path, *ids) for path, ids in chunk_ids.items()))
    states.save(saved)
    assert states.load("b", "c") == saved


def test_books_are_kept_apart(states: StateFile) -> None:
    one, two = state(record("a.md", "x")), state(record("a.md", "y", book="b2"), book="b2", collection="c2")
    states.save(two)
    states.save(one)
    assert states.books() == ["b", "b2"]
    assert (states.load("b", "c"), states.load("b2", "c2")) == (one, two)
    states.forget("b")
    assert states.books() == ["b2"]
    assert states.load("b2", "c2") == two


def test_when_a_book_was_indexed_is_told_without_its_records(
    states: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states.last_run("b") is None
    for book, time in (("a", "2026-01-01T00:00:00+00:00"), ("b", None), ('c"\n', "2026-03-01T00:00:00+00:00")):
        # A lesson may be called like a book, or like the field.
        saved = state(record("b", book=book), record("last_incremental_update", book=book), book=book)
        saved.last_incremental_update = time
        states.save(saved)
    monkeypatch.setattr(json, "loads", _of_one_line)
    assert [states.last_run(book) for book in ("a", "b", 'c"\n', "d")] == [
        "2026-01-01T00:00:00+00:00",
        None,
        "2026-03-01T00:00:00+00:00",
        None,
    ]


def _of_one_line(text: str) -> Any:
    assert "\n" not in text and "{" not in text
    return json.JSONDecoder().decode(text)


@pytest.mark.parametrize("content", [b"", b"\xff", b'  "b": {\n   "last_incremental_update": ["x"],\n', b"{]"])
def test_a_broken_file_does_not_tell_when_a_book_was_indexed(states: StateFile, content: bytes) -> None:
    states.path.parent.mkdir()
    states.path.write_bytes(content)
    assert states.last_run("b") is None


def test_records_of_another_collection_are_not_this_ones(states: StateFile) -> None:
    states.save(state(record("a.md", "x")))
    assert states.load("b", "other") == IngestionState(book_id="b", collection_name="other")


def test_equal_indexes_have_equal_files(tmp_path: Path) -> None:
    one, two = StateFile(tmp_path / "1.json"), StateFile(tmp_path / "2.json")
    first, second = record("b.md", "x"), record("a.md", "y")
    one.save(state(first, second))
    two.save(state(second, first))
    assert one.path.read_bytes() == two.path.read_bytes()


def test_the_file_is_sorted_has_a_line_a_record_and_tells_nothing_of_the_machine(states: StateFile) -> None:
    states.save(state(record("b.md", "x"), record("a.md", "é")))
    text = states.path.read_text(encoding="utf-8")
    document = json.loads(text)
    assert document["format_version"] == FORMAT_VERSION
    assert json.dumps(document) == json.dumps(document, sort_keys=True)
    lines = [json.loads(f"{{{line.strip().rstrip(',')}}}") for line in text.split("\n") if ".md" in line]
    assert [[*line] for line in lines] == [["a.md"], ["b.md"]]
    assert str(states.path.parent) not in text and os.getcwd() not in text
    assert "mtime" not in text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"{}",
        b"\xff\xfe",
        b'{"books": {}}',
        b'{"format_version": 1}',
        b'{"format_version": 1, "books": []}',
        b'{"format_version": 1, "books": {"b": []}}',
        b'{"format_version": 1, "books": {"b": {}}}',
        b'{"format_version": 1, "books": {"b": {"collection_name": "c"}}}',
        b'{"format_version": 1, "books": {"b": {"collection_name": "c", "records": {"a.md": {}}}}}',
        b'{"format_version": 1, "books": {"b": {"collection_name": "c", "records": {"a.md": []}}}}',
        b'{"format_version": 1, "books": {"b": {"collection_name": "c", "records": {}, "unknown": 1}}}',
    ],
)
def test_a_broken_file_is_an_error_that_says_what_to_do_and_stays(states: StateFile, content: bytes) -> None:
    states.path.parent.mkdir()
    states.path.write_bytes(content)
    with pytest.raises(StateError, match=r"state\.json: cannot be read .*; `bookwise ingest` sets it aside"):
        states.load("b", "c")
    assert states.path.read_bytes() == content


@pytest.mark.parametrize("content", ['{"format_version": 4, "books": {}}', '{"format_version": 99}'])
def test_a_newer_format_is_an_error_that_does_not_ask_to_throw_it_away(states: StateFile, content: str) -> None:
    states.path.parent.mkdir()
    states.path.write_text(content)
    with pytest.raises(
        StateError, match=r"format .* is not supported by this version \(it reads 1 to 3\); update it"
    ):
        states.load("b", "c")
    with pytest.raises(StateError):
        states.save(state())
    assert states.path.read_text() == content


def test_a_crash_before_the_file_is_replaced_leaves_the_old_one(
    states: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    states.save(state(record("a.md", "x")))
    before = states.path.read_bytes()

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        states.save(state(record("a.md", "x", "y")))
    assert states.path.read_bytes() == before
    monkeypatch.undo()
    states.save(state(record("a.md", "x", "y")))
    assert states.load("b", "c").total_chunks == 2


def test_the_new_file_is_on_disk_before_it_takes_the_old_ones_place(
    states: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, move = os.fsync, os.replace

    def noted_sync(file: int) -> None:
        calls.append("fsync")
        sync(file)

    def noted_move(old: Path, new: Path) -> None:
        calls.append("replace")
        move(old, new)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_move)
    states.save(state())
    assert calls[:2] == ["fsync", "replace"]
    assert [path.name for path in states.path.parent.iterdir()] == ["state.json"]


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "state.json"
    (folder / "inside").mkdir(parents=True)
    with pytest.raises(StateError, match=r"state\.json: cannot be (read|written)"):
        StateFile(folder).save(state())
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match=r"cannot be (read|written)"):
        StateFile(tmp_path / "file" / "state.json").save(state())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "state.json"]
