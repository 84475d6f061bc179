"""The one pass, over fakes that count calls: what a run does for each change of a book, and what it embeds."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from ingestion.errors import PointRefused
from ingestion.vector_stores.types import Point
from tests.support.books import BOOK, Library, long_text, page
from tests.support.fakes import MemoryStore

ROS = "module-1-ros2/chapter-1-basics"
NODES, TOPICS, WORLDS = f"{ROS}/01-nodes.md", f"{ROS}/02-topics.md", "module-2-gazebo/chapter-2-sim/01-worlds.md"
PAGES = {
    NODES: page("Nodes", *(long_text(word) for word in ("alpha", "beta", "gamma")), hardware_tier=2),
    TOPICS: page("Topics", *(long_text(word) for word in ("delta", "epsilon"))),
    WORLDS: page("Worlds", *(long_text(word) for word in ("zeta", "eta")), layer="L3"),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    return library


@pytest.fixture
def indexed(library: Library) -> Library:
    library.run()
    library.embedder.texts.clear()
    return library


def from_nothing(library: Library, folder: Path) -> Library:
    other = Library(folder, flags=library.flags)
    other.write({path.relative_to(library.docs).as_posix(): path.read_text() for path in library.docs.rglob("*.md")})
    other.run()
    return other


def test_a_first_run_indexes_every_lesson_and_embeds_each_text_once(library: Library) -> None:
    report = library.run()
    assert report.files == {"new": 3, "unchanged": 0}
    assert report.chunks.embedded == len(library.contents()) == len(set(library.embedder.texts)) >= 7
    assert {each["source_file"] for each in library.contents().values()} == set(PAGES)


def test_each_point_names_the_model_of_its_vector_and_when_it_was_made(library: Library) -> None:
    library.run()
    first = {point_id: point.payload for point_id, point in library.generations.points.items()}
    assert {each["embedding_model"] for each in first.values()} == {library.embedder.model}
    assert all(datetime.fromisoformat(each["embedded_at"]).tzinfo for each in first.values())
    # A page that is edited, one whose metadata changes, and one that is moved.
    library.write(
        {
            NODES: PAGES[NODES] + "\n## More\n\n" + long_text("theta"),
            TOPICS: page("Topics", *(long_text(word) for word in ("delta", "epsilon")), hardware_tier=3),
            WORLDS.replace("01-", "02-"): PAGES[WORLDS],
        }
    )
    assert library.run().chunks.embedded == 1
    texts = {each["embed_key"]: each["embedded_at"] for each in first.values()}
    later = [point.payload for point in library.generations.points.values()]
    assert {each["embedding_model"] for each in later} == {library.embedder.model}
    kept = [each for each in later if each["embed_key"] in texts]
    assert len(kept) == len(later) - 1
    assert all(each["embedded_at"] == texts[each["embed_key"]] for each in kept)


def test_the_version_of_a_chunk_counts_its_updates(indexed: Library) -> None:
    def versions() -> set[int]:
        return {point.payload["version"] for point in indexed.generations.points.values()}

    assert versions() == {1}
    for tier, updates in ((3, 2), (4, 3)):
        pages = {path: text.replace("hardware_tier: 2", f"hardware_tier: {tier}", 1) for path, text in PAGES.items()}
        indexed.write(pages)
        indexed.run()
        assert max(versions()) == updates
    indexed.run("full")
    assert max(versions()) == 3


def test_points_of_the_first_release_were_embedded_when_they_were_written(indexed: Library) -> None:
    points = indexed.generations.points
    for point_id, point in points.items():
        old = {
            name: value for name, value in point.payload.items() if not name.startswith(("embedd", "payload_format"))
        }
        points[point_id] = Point(
            point.id, point.dense, point.sparse, old | {"version": 1, "created_at": "2024-05-01"}
        )
    report = indexed.run("full")
    assert not report.chunks.embedded and not indexed.embedder.texts
    assert {point.payload["embedded_at"] for point in points.values()} == {"2024-05-01"}
    assert {each["embedding_model"] for each in indexed.contents().values()} == {indexed.embedder.model}


def test_a_second_run_embeds_nothing_writes_nothing_and_parses_nothing(
    indexed: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, state = indexed.generations.writes, indexed.state_path.read_bytes()
    monkeypatch.setattr("ingestion.sync.chunked_files.parse_lesson", lambda *_: pytest.fail("parsed"))
    monkeypatch.setattr("ingestion.source.metadata.page.lesson_place", lambda *_: pytest.fail("looked into"))
    report = indexed.run()
    assert not report.pending and report.files == {"unchanged": 3}
    assert indexed.embedder.texts == [] and indexed.generations.writes == writes
    assert indexed.state_path.read_bytes() == state


def test_a_touched_file_or_other_line_ends_change_nothing(indexed: Library) -> None:
    location = indexed.docs / NODES
    location.write_bytes(b"\xef\xbb\xbf" + location.read_bytes().replace(b"\n", b"\r\n"))
    os.utime(location, (1, 1))
    assert indexed.run().files == {"unchanged": 3}


def test_an_edit_of_one_paragraph_embeds_at_most_two_chunks(indexed: Library, tmp_path: Path) -> None:
    indexed.write(PAGES | {NODES: PAGES[NODES].replace("The beta number 7 turns", "The beta number 7 wobbles")})
    report = indexed.run()
    assert report.changes == {NODES: "modified"}
    assert 1 <= len(indexed.embedder.texts) <= 2
    assert "wobbles" in indexed.texts_of(NODES)
    assert indexed.contents() == from_nothing(indexed, tmp_path / "other").contents()


def test_a_deleted_lesson_leaves_no_point(indexed: Library) -> None:
    (indexed.docs / WORLDS).unlink()
    report = indexed.run()
    assert report.changes == {WORLDS: "deleted"} and report.chunks.deleted >= 2
    assert indexed.texts_of(WORLDS) == ""
    assert indexed.run().files == {"unchanged": 2}


def test_a_moved_lesson_embeds_nothing_and_leaves_the_old_path_empty(indexed: Library, tmp_path: Path) -> None:
    moved = f"{ROS}/07-nodes-again.md"
    indexed.write({moved: PAGES[NODES], TOPICS: PAGES[TOPICS], WORLDS: PAGES[WORLDS]})
    report = indexed.run()
    assert report.changes == {moved: "moved"} and report.moved_from == {moved: NODES}
    assert indexed.embedder.texts == [] and report.chunks.reused > 0
    assert indexed.contents() == from_nothing(indexed, tmp_path / "other").contents()


def test_a_renamed_lesson_keeps_the_time_at_which_it_was_first_written(indexed: Library) -> None:
    points = indexed.generations.points
    for point in points.values():
        point.payload["created_at"] = "2020-01-01T00:00:00+00:00"
    indexed.write({f"{ROS}/01-renamed.md": PAGES[NODES], "elsewhere/x.md": PAGES[TOPICS], WORLDS: PAGES[WORLDS]})
    assert indexed.run().files["moved"] == 2
    assert {point.payload["created_at"] for point in points.values()} == {"2020-01-01T00:00:00+00:00"}
    assert all(point.payload["updated_at"] > "2021" for point in points.values())


def test_a_change_of_tier_patches_payloads_and_embeds_nothing(indexed: Library) -> None:
    indexed.write(PAGES | {NODES: PAGES[NODES].replace("hardware_tier: 2", "hardware_tier: 4")})
    report = indexed.run()
    assert report.changes == {NODES: "metadata"} and report.chunks.patched >= 3
    assert indexed.embedder.texts == [] and report.chunks.written == 0
    assert {each["hardware_tier"] for each in indexed.contents().values() if each["source_file"] == NODES} == {4}


def test_a_shorter_lesson_loses_its_tail(indexed: Library) -> None:
    indexed.write(PAGES | {NODES: page("Nodes", long_text("alpha"), hardware_tier=2)})
    indexed.run()
    assert "gamma" not in indexed.texts_of(NODES)


def test_a_lesson_that_becomes_empty_is_tracked_without_points_and_not_tried_again(indexed: Library) -> None:
    indexed.write(PAGES | {NODES: ""})
    report = indexed.run()
    assert report.empty == [NODES] and indexed.texts_of(NODES) == ""
    assert not indexed.run().pending


def test_a_failed_lesson_keeps_its_old_points_and_stops_no_other(indexed: Library) -> None:
    before = indexed.texts_of(NODES)
    (indexed.docs / NODES).write_bytes(b"# Nodes\n\nlatin \xe9\n")
    (indexed.docs / TOPICS).write_text(PAGES[TOPICS].replace("delta", "omega"), encoding="utf-8")
    report = indexed.run()
    assert [(each.path, each.line) for each in report.failures] == [(NODES, 3)]
    assert "offset 15" in report.failures[0].reason
    assert indexed.texts_of(NODES) == before and "omega" in indexed.texts_of(TOPICS)


def test_metadata_that_cannot_be_read_fails_the_lesson_and_its_old_points_stay(indexed: Library) -> None:
    before = indexed.texts_of(NODES)
    indexed.write(PAGES | {NODES: "---\ntitle: a: b: c\n---\n# Nodes\n\nThe word is pear, a fruit.\n"})
    report = indexed.run()
    assert [(failure.path, failure.line) for failure in report.failures] == [(NODES, 2)]
    assert indexed.texts_of(NODES) == before


def test_a_lost_state_is_rebuilt_from_the_store_without_embedding(indexed: Library) -> None:
    before, state = indexed.contents(), json.loads(indexed.state_path.read_text())
    indexed.state_path.unlink()
    report = indexed.run()
    assert report.files == {"unrecorded": 3, "unchanged": 0} and indexed.embedder.texts == []
    assert report.chunks.written == report.chunks.patched == report.chunks.deleted == 0
    assert indexed.contents() == before
    rebuilt = json.loads(indexed.state_path.read_text())
    assert rebuilt["books"][BOOK]["records"].keys() == state["books"][BOOK]["records"].keys()


def test_lost_points_are_restored_and_foreign_ones_of_the_book_removed(indexed: Library) -> None:
    before = indexed.contents()
    points = indexed.generations.points
    for point_id in [each for each in points if points[each].payload["source_file"] == TOPICS]:
        del points[point_id]
    stray = next(iter(points.values()))
    stray_id = "00000000-0000-4000-8000-000000000000"
    points[stray_id] = type(stray)(stray_id, stray.dense, stray.sparse, stray.payload | {"source_file": "gone.md"})
    report = indexed.run()
    assert report.changes == {TOPICS: "damaged", "gone.md": "deleted"}
    assert indexed.contents() == before


def test_two_files_that_claim_one_lesson_are_both_kept_with_distinct_ids(indexed: Library, tmp_path: Path) -> None:
    twin = f"{ROS}/01-nodes.summary.md"
    indexed.write(PAGES | {twin: PAGES[NODES]})
    indexed.run()
    by_file = [
        {point_id for point_id, each in indexed.contents().items() if each["source_file"] == path}
        for path in (NODES, twin)
    ]
    assert len(by_file[0]) == len(by_file[1]) > 0 and not by_file[0] & by_file[1]
    assert indexed.contents() == from_nothing(indexed, tmp_path / "other").contents()


def test_a_new_owner_of_a_lesson_number_renumbers_the_former_one(indexed: Library, tmp_path: Path) -> None:
    earlier = f"{ROS}/01-a-new-start.md"
    indexed.write(PAGES | {earlier: page("A new start", long_text("theta"))})
    report = indexed.run()
    assert report.changes == {earlier: "new", NODES: "renumbered"}
    assert all("theta" in text for text in indexed.embedder.texts)
    assert indexed.contents() == from_nothing(indexed, tmp_path / "other").contents()


def test_lessons_that_swap_their_numbers_lose_nothing_even_where_texts_are_equal(
    indexed: Library, tmp_path: Path
) -> None:
    shared = long_text("common")
    a, b = page("Same", shared, long_text("one")), page("Same", shared, long_text("two"))
    indexed.write(PAGES | {NODES: a, TOPICS: b})
    indexed.run()
    indexed.write(PAGES | {NODES: b, TOPICS: a})
    indexed.run()
    assert indexed.contents() == from_nothing(indexed, tmp_path / "other").contents()


def test_another_chunk_size_chunks_again_and_another_base_url_only_patches(indexed: Library) -> None:
    indexed.flags["book.base_url"] = "https://example.org/book"
    report = indexed.run()
    assert report.files == {"outdated": 3, "unchanged": 0}
    assert report.chunks.patched > 0 and report.chunks.written == 0
    indexed.flags |= {"chunk.tokens": 120, "chunk.max_tokens": 200}
    assert indexed.run().chunks.embedded > 0


def test_full_looks_at_every_file_and_embeds_nothing_known(indexed: Library) -> None:
    before = indexed.contents()
    report = indexed.run("full")
    assert report.chunks.kept == len(before) and indexed.embedder.texts == []
    assert indexed.contents() == before


def test_a_chunk_that_no_store_takes_fails_its_lesson_alone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert = MemoryStore.upsert

    def picky(store: MemoryStore, points: Sequence[Point]) -> None:
        for point in points:
            if point.payload["source_file"] == TOPICS:
                raise PointRefused(point.id, point.payload, "is larger than a request may be")
        upsert(store, points)

    monkeypatch.setattr(MemoryStore, "upsert", picky)
    report = library.run()
    assert [failure.path for failure in report.failures] == [TOPICS]
    assert {each["source_file"] for each in library.contents().values()} == {NODES, WORLDS}
    monkeypatch.undo()
    assert library.run().changes == {TOPICS: "new"}
