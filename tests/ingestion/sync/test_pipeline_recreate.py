"""Recreate: a new generation out of the old vectors, which loses no book and no lesson."""

from __future__ import annotations

import pytest

from ingestion.errors import ConfigurationError, DeletionRefused, VectorStoreError
from tests.ingestion.sync.test_pipeline import NODES, indexed, library
from tests.support.books import Library
from tests.support.fakes import FakeEmbedder, MemoryGenerations

__all__ = ["indexed", "library"]


def test_recreate_builds_a_new_generation_with_the_old_vectors(indexed: Library) -> None:
    before, generation = indexed.contents(), indexed.generations.active_name
    report = indexed.run("recreate")
    assert indexed.generations.active_name != generation and indexed.contents() == before
    assert indexed.embedder.texts == [] and report.chunks.reused == len(before)
    assert not indexed.run().pending


def test_another_embedding_is_refused_before_any_call_and_made_by_recreate(indexed: Library) -> None:
    indexed.embedder = FakeEmbedder("other/1", dimensions=4)
    with pytest.raises(ConfigurationError, match="--mode recreate"):
        indexed.run()
    assert indexed.embedder.calls == 0
    assert indexed.run("recreate").chunks.embedded > 0
    assert {point.dense.shape for point in indexed.generations.points.values()} == {(4,)}
    assert not indexed.run().pending


def test_recreate_of_one_book_keeps_the_others(indexed: Library) -> None:
    first = indexed.contents()
    indexed.run(book="second")
    indexed.run("recreate", book="second")
    assert indexed.contents() == first and len(indexed.contents("second")) == len(first)


def test_a_dry_run_of_recreate_knows_which_vectors_are_reused(indexed: Library) -> None:
    planned = indexed.run("recreate", dry_run=True)
    assert planned.chunks.embedded == 0 and planned.chunks.reused == len(indexed.contents())


def test_recreate_keeps_what_a_failed_lesson_had(indexed: Library) -> None:
    before = indexed.texts_of(NODES)
    (indexed.docs / NODES).write_bytes(b"\xff")
    report = indexed.run("recreate")
    assert len(report.failures) == 1 and indexed.texts_of(NODES) == before


def test_recreate_with_another_embedding_never_drops_another_book(indexed: Library) -> None:
    first, generation = indexed.contents(), indexed.generations.active_name
    indexed.embedder = FakeEmbedder("other/1", dimensions=4)
    with pytest.raises(DeletionRefused, match="the old one stays in use"):
        indexed.run("recreate", book="second")
    assert indexed.generations.active_name == generation and indexed.contents() == first
    assert indexed.embedder.calls == 0


def test_recreate_mends_an_index_that_cannot_be_opened(indexed: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = indexed.contents()

    def damaged(*_: object) -> None:
        raise VectorStoreError("damaged")

    monkeypatch.setattr(MemoryGenerations, "open_active", damaged)
    with pytest.raises(VectorStoreError):
        indexed.run()
    indexed.run("recreate")
    monkeypatch.undo()
    assert indexed.contents() == before and not indexed.run().pending
