"""An index that grew by rewrites is compacted beside the run, and loses nothing, whatever becomes of that."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ingestion.vector_stores.edge import compaction as edge_compaction
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from tests.support.vector_points import make_point, opened, shard_of


@pytest.fixture
def grown(own: EdgeGenerations, own_directory: Path, monkeypatch: pytest.MonkeyPatch) -> EdgeGenerations:
    """An index that counts as grown whenever it is written."""
    monkeypatch.setattr(edge_compaction, "SMALLEST_BYTES", 0)
    note_of(own_directory).write_text("1")
    return own


def note_of(directory: Path) -> Path:
    return shard_of(directory).parent / "compact-bytes"


def rewrite(generations: EdgeGenerations) -> None:
    with closing(opened(generations)) as store:
        store.upsert([make_point(number, text="Written again.") for number in range(30)])


def contents(generations: EdgeGenerations) -> dict[str, object]:
    with closing(opened(generations)) as store:
        return {point.id: (point.payload, point.dense.tolist()) for point in store.scroll(Where(), vectors=True)}


def test_a_grown_index_is_compacted_and_holds_the_same(grown: EdgeGenerations, own_directory: Path) -> None:
    rewrite(grown)
    assert int(note_of(own_directory).read_text()) > 1
    assert len(contents(grown)) == 30
    assert {payload["text"] for payload, _ in contents(grown).values()} == {"Written again."}
    assert grown.known_count("robots") == 30


def test_a_compaction_that_dies_is_told_and_leaves_the_index(
    grown: EdgeGenerations, own_directory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(edge_compaction, "PYTHON", ("/bin/false",))
    rewrite(grown)
    assert "could not be compacted" in caplog.text
    assert note_of(own_directory).read_text() == "1" and len(contents(grown)) == 30


def test_an_index_that_is_only_read_or_has_not_grown_is_left_alone(
    own: EdgeGenerations, own_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_compaction.subprocess, "run", None)
    note_of(own_directory).write_text("1")
    monkeypatch.setattr(edge_compaction, "SMALLEST_BYTES", 1 << 40)
    rewrite(own)  # grown, but small
    monkeypatch.setattr(edge_compaction, "SMALLEST_BYTES", 0)
    note_of(own_directory).write_text(str(1 << 40))
    rewrite(own)
    note_of(own_directory).write_text("1")
    assert len(contents(own)) == 30


def test_a_note_that_cannot_be_read_is_written_anew(own: EdgeGenerations, own_directory: Path) -> None:
    note_of(own_directory).write_text("many")
    rewrite(own)
    assert int(note_of(own_directory).read_text()) > 0
