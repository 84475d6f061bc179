"""Stale points go after the last group, so that a lesson of a later group finds the vector of a text it takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingestion.errors import EmbeddingError
from ingestion.vector_stores.types import Point
from tests.support.books import Library, indexed_library, long_text, page
from tests.support.fakes import Faults, MemoryStore

NAMES = [f"module-1-ros2/chapter-1-basics/{number:02}-lesson.md" for number in range(1, 13)]
WRITTEN_ANEW = {name: page("Part", long_text(f"{name} again")) for name in NAMES}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Twelve lessons that are written in six groups, without a cache."""
    monkeypatch.setattr("ingestion.sync.file_groups.FILES_PER_GROUP", 2)
    return indexed_library(tmp_path / "shelf", {name: page("Part", long_text(name)) for name in NAMES})


def most_points(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> int:
    """Write all lessons anew, and return how many points there were at most."""
    sizes = []
    upsert = MemoryStore.upsert

    def counted(store: MemoryStore, points: Sequence[Point]) -> None:
        upsert(store, points)
        sizes.append(len(store.points))

    monkeypatch.setattr(MemoryStore, "upsert", counted)
    shelf.write(WRITTEN_ANEW)
    shelf.run()
    return max(sizes)


@pytest.mark.parametrize("by", [1, 5, 11])
def test_lessons_that_take_each_others_texts_embed_nothing(shelf: Library, tmp_path: Path, by: int) -> None:
    texts = [(shelf.docs / name).read_text() for name in NAMES]
    swapped = dict(zip(NAMES, [*texts[by:], *texts[:by]], strict=True))
    shelf.write(swapped)
    planned, done = shelf.run(dry_run=True), shelf.run()
    assert planned.chunks == done.chunks and done.files["modified"] == len(NAMES)
    assert shelf.embedder.texts == []
    assert shelf.contents() == indexed_library(tmp_path / "other", swapped).contents()


def test_a_run_that_fails_halfway_leaves_nothing_stale_of_what_it_wrote(shelf: Library) -> None:
    shelf.write(WRITTEN_ANEW)
    shelf.embedder.faults = Faults(at=8, error=EmbeddingError)
    with pytest.raises(EmbeddingError):
        shelf.run()
    texts = [shelf.texts_of(name) for name in NAMES]
    assert "again number" in texts[0] and "again number" not in texts[-1]
    assert not any("again number" in text and "md number" in text for text in texts)
    shelf.embedder.faults = Faults()
    assert shelf.run().files["modified"] == sum("again number" not in text for text in texts)


def test_stale_points_do_not_wait_for_the_last_group_where_they_are_many(
    shelf: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.sync.writer.MOST_STALE", 3)
    before = len(shelf.generations.points)
    most = most_points(shelf, monkeypatch)
    assert most < before + len(shelf.generations.points) / 2


def test_stale_points_wait_where_they_are_few(shelf: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(shelf.generations.points)
    most = most_points(shelf, monkeypatch)
    assert most == before + len(shelf.generations.points)
