"""The records on a server: what a runner without a disk finds there, and how they heal."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import ingestion.sync.file_groups
import ingestion.sync.recorder
from ingestion.errors import ConfigurationError
from ingestion.factory import states_of
from ingestion.settings.loader import load_settings
from ingestion.state.state_file import StateFile
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.state import ServerStates
from tests.support.books import BOOK, Library, long_text, page
from tests.support.fakes import Crash
from tests.support.openapi import OpenApi
from tests.support.qdrant_server import KEY, QdrantServer, description, running

PAGES = {
    f"module-1-ros2/chapter-1-a/{number:02}-x.md": page(f"P{number}", long_text(f"word {number}"))
    for number in range(1, 5)
}
STATE = "/collections/books_state/points"


def runner(server: QdrantServer, folder: Path, *, on_server: bool = True) -> Library:
    """A runner with an empty disk, or one that keeps the state file."""
    folder.mkdir()
    generations = ServerGenerations(connect(server.url, KEY), "books")
    states = generations.states() if on_server else None
    library = Library(folder, generations=generations, flags={"index.wait": 0}, states=states)
    library.write(PAGES)
    return library


def files_recorded(server: QdrantServer) -> dict[str, Any]:
    points, _ = server.db.scroll("books_state", limit=1000)
    return {each.payload["source_file"]: each for each in points if "source_file" in each.payload}


def test_a_runner_without_a_disk_makes_the_plan_of_the_one_with_the_file(
    server: QdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_file = runner(server, tmp_path / "a", on_server=False)
    with_file.run()
    first = runner(server, tmp_path / "b")
    monkeypatch.chdir(first.folder)
    first.run()
    assert files_recorded(server).keys() == PAGES.keys()
    edited = PAGES | {next(iter(PAGES)): page("P1", long_text("new words"))}
    del edited[list(PAGES)[3]]
    plans = []
    assert first.embedder.calls == 0
    for library in (with_file, runner(server, tmp_path / "c")):
        library.write(edited)
        monkeypatch.chdir(library.folder)
        report = library.run(dry_run=True)
        plans.append((report.files, report.chunks))
    assert plans[0] == plans[1] and plans[0][0]["modified"] == 1 and plans[0][0]["deleted"] == 1


def test_an_empty_disk_finds_nothing_to_do_and_embeds_nothing(server: QdrantServer, tmp_path: Path) -> None:
    runner(server, tmp_path / "a").run()
    other = runner(server, tmp_path / "b")
    server.requests.clear()
    report = other.run()
    assert not report.pending and report.files["unchanged"] == 4 and other.embedder.calls == 0
    assert not server.paths("PUT", "/collections/books/points")


def test_only_changed_records_are_written(server: QdrantServer, tmp_path: Path) -> None:
    library = runner(server, tmp_path / "a")
    library.run()
    server.requests.clear()
    path = next(iter(PAGES))
    library.write(PAGES | {path: page("P1", long_text("new words"))})
    library.run()
    written = [
        point["payload"]
        for body in server.paths("PUT", STATE)
        for point in body["points"]
        if "expires" not in point["payload"]
    ]
    assert {payload["source_file"] for payload in written if "source_file" in payload} == {path}


def test_records_of_deleted_files_are_removed(server: QdrantServer, tmp_path: Path) -> None:
    library = runner(server, tmp_path / "a")
    library.run()
    kept = dict(list(PAGES.items())[:3])
    library.write(kept)
    library.run()
    assert files_recorded(server).keys() == kept.keys()


@pytest.mark.parametrize("lost", ["a record", "all records"])
def test_a_crash_between_chunks_and_records_heals(
    server: QdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    monkeypatch.setattr(ingestion.sync.file_groups, "FILES_PER_GROUP", 2)
    monkeypatch.setattr(ingestion.sync.recorder, "SAVE_INTERVAL_SECONDS", 0.0)
    library = runner(server, tmp_path / "a")
    saves = iter(["saved"] if lost == "a record" else [])

    def crash(states: ServerStates, state: Any) -> None:
        if next(saves, None):
            return save(states, state)
        raise Crash

    save = ServerStates.save
    monkeypatch.setattr(ServerStates, "save", crash)
    with pytest.raises(Crash):
        library.run()
    monkeypatch.setattr(ServerStates, "save", save)
    library.run()
    other = runner(server, tmp_path / "b")
    assert not other.run().pending
    assert not other.embedder.texts and files_recorded(server).keys() == PAGES.keys()


def test_a_move_is_recognised_without_any_records(server: QdrantServer, tmp_path: Path) -> None:
    runner(server, tmp_path / "a", on_server=False).run()
    other = runner(server, tmp_path / "b")
    other.write({path.replace("chapter-1-a", "chapter-1-b"): text for path, text in PAGES.items()})
    report = other.run()
    assert report.files["moved"] == 4 and other.embedder.calls == 0


def test_two_books_keep_their_records_apart(server: QdrantServer, tmp_path: Path) -> None:
    library = runner(server, tmp_path / "a")
    library.run()
    library.run(book="other")
    states = library.generations.states()
    assert states.books() == ["other", BOOK]
    for book in (BOOK, "other"):
        assert states.last_run(book) == states.load(book, "books").last_incremental_update is not None
    assert states.last_run("nobody's") is None
    states.forget("other")
    assert states.last_run("other") is None
    assert states.books() == [BOOK] and states.load("other", "books").records == {}
    assert states.load(BOOK, "books").records.keys() == PAGES.keys()


def test_a_record_that_cannot_be_read_is_rebuilt_from_the_points_with_a_warning(
    server: QdrantServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = runner(server, tmp_path / "a")
    library.run()
    point = next(iter(files_recorded(server).values()))
    server.db.overwrite_payload("books_state", {"format_version": 1, "book_id": BOOK, "source_file": "x"}, [point.id])
    library.embedder.texts.clear()
    library.run()
    assert "books_state" in caplog.text and "cannot be read" in caplog.text
    assert library.run().files == {"unchanged": len(PAGES)} and not library.embedder.texts


@pytest.mark.parametrize(
    ("state", "file_there", "kind"),
    [
        ("qdrant", True, ServerStates),
        ("auto", False, ServerStates),
        ("auto", True, StateFile),
        ("records.json", False, StateFile),
    ],
)
def test_where_the_records_are_follows_the_setting(
    server: QdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, file_there: bool, kind: type
) -> None:
    monkeypatch.chdir(tmp_path)
    if file_there:
        (tmp_path / ".ingestion_state.json").touch()
    generations = ServerGenerations(connect(server.url, KEY), "books")
    assert type(states_of(load_settings({"index.state": state}, environ={}), generations)) is kind


def test_an_embedded_index_has_a_file_and_refuses_the_server(tmp_path: Path) -> None:
    embedded = EdgeGenerations(tmp_path / "books")
    assert isinstance(states_of(load_settings({"index.state": "auto"}, environ={}), embedded), StateFile)
    with pytest.raises(ConfigurationError, match="needs a Qdrant server"):
        states_of(load_settings({"index.state": "qdrant"}, environ={}), embedded)


@pytest.mark.shared
@pytest.mark.parametrize("version", ["v1.17.x", "v1.19.x"])
def test_every_request_fits_qdrants_own_description(tmp_path: Path, version: str) -> None:
    if not description(version).is_file():
        pytest.skip(f"Qdrant's description {version} is not beside the project")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with running(QdrantServer(openapi=OpenApi(description(version)))) as server:
            library = runner(server, tmp_path / "a")
            library.run()
            library.generations.states().books()
            library.generations.states().forget(BOOK)
            assert server.violations == []


def keeping(server: QdrantServer, folder: Path) -> Library:
    """A new process of a runner that keeps its disk."""
    folder.mkdir(exist_ok=True)
    generations = ServerGenerations(connect(server.url, KEY), "books", folder=folder / "copies")
    library = Library(folder, generations=generations, flags={"index.wait": 0}, states=generations.states())
    library.write(PAGES)
    return library


def times_read(server: QdrantServer) -> int:
    return len(server.paths("POST", "books_state/points/scroll"))


def test_a_runner_that_keeps_its_disk_compares_one_hash(server: QdrantServer, tmp_path: Path) -> None:
    keeping(server, tmp_path / "a").run()
    before = times_read(server)
    library = keeping(server, tmp_path / "a")
    assert not library.run().changes and times_read(server) == before
    path = next(iter(PAGES))
    library.write(PAGES | {path: page("P1", long_text("new words"))})
    library.run()
    edited = library.states.load(BOOK, "books")  # type: ignore[union-attr]
    assert times_read(server) == before
    told = files_recorded(server)[path].payload["chunk_ids"]
    assert told and edited.records[path].chunk_ids == tuple(told)


def test_a_copy_of_other_records_than_the_servers_is_not_used(server: QdrantServer, tmp_path: Path) -> None:
    library = keeping(server, tmp_path / "a")
    library.run()
    [copy] = (tmp_path / "a/copies").glob("records-*.json")
    for content in (b"", b"[]", b"{", copy.read_bytes().replace(b"ros2", b"ros9", 1)):
        copy.write_bytes(content)
        before = times_read(server)
        again = ServerGenerations(connect(server.url, KEY), "books", folder=tmp_path / "a/copies").states()
        assert again.load(BOOK, "books") == library.states.load(BOOK, "books")  # type: ignore[union-attr]
        assert times_read(server) > before


def test_a_run_that_dies_between_two_records_leaves_no_hash(
    server: QdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = keeping(server, tmp_path / "a")
    library.run()
    library.write(PAGES | {next(iter(PAGES)): page("P1", long_text("new words"))})
    upsert = ServerStates._upsert

    def die_at_the_last(self: ServerStates, changed: Any) -> None:
        if any("source_file" not in payload for _, payload in changed):
            raise Crash
        upsert(self, changed)

    monkeypatch.setattr(ServerStates, "_upsert", die_at_the_last)
    with pytest.raises(Crash):
        library.run()
    monkeypatch.undo()
    points, _ = server.db.scroll("books_state", limit=1000)
    own = [each.payload for each in points if "records_hash" in each.payload]
    assert [each["records_hash"] for each in own] == [""]
    library = keeping(server, tmp_path / "a")
    library.run()
    assert not keeping(server, tmp_path / "a").run().changes


def test_records_of_the_format_before_are_read_with_their_ids_and_replaced(
    server: QdrantServer, tmp_path: Path
) -> None:
    library = keeping(server, tmp_path / "a")
    library.run()
    loaded = library.states.load(BOOK, "books")  # type: ignore[union-attr]
    points, _ = server.db.scroll("books_state", limit=1000)
    for point in points:
        if "format_version" in point.payload:
            old = {
                name: value for name, value in point.payload.items() if name not in ("chunk_count", "records_hash")
            }
            server.db.overwrite_payload("books_state", old | {"format_version": 2}, [point.id])
    again = keeping(server, tmp_path / "a")
    before = again.states.load(BOOK, "books")  # type: ignore[union-attr]
    assert before == loaded
    again.states.save(before)  # type: ignore[union-attr]
    assert {each.payload["format_version"] for each in files_recorded(server).values()} == {3}
    assert all(each.payload["chunk_ids"] for each in files_recorded(server).values())
