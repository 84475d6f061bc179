"""What a new version of one stage costs, and what a run knows of lessons that it does not read again."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from ingestion import versions
from ingestion.models import IngestionState
from ingestion.source.findings import Finding
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.vector_stores.bm25 import document_vector
from ingestion.vector_stores.types import Point, SparseVector
from tests.support.books import BOOK, Library, indexed_library, long_text, page

ONE, TWO = "module-1-ros2/chapter-1-a/01-one.md", "module-1-ros2/chapter-1-a/02-two.md"
PAGES = {ONE: page("One", long_text("alpha"), chapter="x"), TWO: page("Two", long_text("beta"))}


@pytest.fixture
def indexed(tmp_path: Path) -> Library:
    return indexed_library(tmp_path, PAGES)


def state_of(library: Library) -> IngestionState:
    parts = library.parts()
    return parts.states.load(BOOK, parts.settings.qdrant.collection)


@pytest.fixture
def other_terms(indexed: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of BM25, which makes other terms."""
    monkeypatch.setattr(versions, "BM25", "next")
    monkeypatch.setattr("ingestion.sync.writer.vector_of", lambda chunk: SparseVector((7,), (1.0,)))


@pytest.mark.usefixtures("other_terms")
def test_a_new_bm25_writes_all_sparse_vectors_again_and_embeds_nothing(indexed: Library) -> None:
    dense = {point_id: point.dense for point_id, point in indexed.generations.points.items()}
    report = indexed.run()
    assert report.files == {"outdated": 2, "unchanged": 0} and indexed.embedder.texts == []
    assert report.chunks.written == report.chunks.reused == len(dense)
    points = indexed.generations.points
    assert {point.sparse.indices for point in points.values()} == {(7,)}
    assert all((points[point_id].dense == vector).all() for point_id, vector in dense.items())
    assert not indexed.run().pending


@pytest.mark.usefixtures("other_terms")
def test_verify_notices_points_with_old_terms_whatever_the_records_say(indexed: Library) -> None:
    indexed.run()
    old_id, old = next(iter(indexed.generations.points.items()))
    payload = old.payload | {"bm25": "1"}
    indexed.generations.points[old_id] = Point(old_id, old.dense, document_vector("anything"), payload)
    assert not indexed.run(dry_run=True).pending, "the records know nothing of it"
    report = indexed.run("full", dry_run=True)
    assert list(report.changes.values()) == ["damaged"] and report.chunks.written == 1
    indexed.run("full")
    assert indexed.generations.points[old_id].sparse.indices == (7,) and indexed.embedder.texts == []


def test_points_of_a_release_that_named_no_bm25_are_of_the_first_and_embed_nothing(indexed: Library) -> None:
    for point in indexed.generations.points.values():
        del point.payload["bm25"]
    report = indexed.run("full")
    assert report.chunks.written == report.chunks.reused == len(indexed.contents()) and not indexed.embedder.texts


def test_findings_of_unchanged_lessons_are_reported_again_without_reading_them(
    indexed: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.source.metadata.front_matter.split_front_matter", lambda *_: pytest.fail("read"))
    report = indexed.run()
    assert not report.pending
    assert [(found.path, found.rule) for found in report.findings] == [(ONE, "chapter-value")]
    assert report.findings == indexed.run(dry_run=True).findings


def test_a_new_linter_reads_all_lessons_again_and_writes_no_point(
    indexed: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "LINTER", "next")
    monkeypatch.setattr("ingestion.sync.chunked_files.parse_lesson", lint_anew)
    writes = indexed.generations.writes
    report = indexed.run()
    assert {found.rule for found in report.findings} == {"new-rule"} and len(report.findings) == 2
    assert report.chunks.written == report.chunks.patched == report.chunks.deleted == 0
    assert indexed.generations.writes - writes == 1, "the checkpoint before the records"
    assert [found.rule for found in state_of(indexed).records[TWO].findings] == ["new-rule"]


def lint_anew(*arguments: Any) -> Lesson:
    lesson = parse_lesson(*arguments)
    return dataclasses.replace(lesson, findings=(Finding(lesson.path, 1, "new-rule", "is new"),))


def test_the_first_complete_run_is_a_full_one_and_an_edit_is_not(indexed: Library) -> None:
    first = state_of(indexed)
    assert first.last_full_ingest is not None and first.last_full_ingest == first.last_incremental_update
    indexed.write(PAGES | {ONE: page("One", long_text("gamma"))})
    indexed.run()
    assert state_of(indexed).last_full_ingest == first.last_full_ingest
