"""An index that grew by rewrites is compacted beside the run, and loses nothing, whatever becomes of that."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
import qdrant_edge as qe

from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.edge import compaction as edge_compaction
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.edge.shard import open_points
from ingestion.vector_stores.edge.store import EdgeStore
from ingestion.vector_stores.filters import AnyOf, Equals, Range, Where
from tests.support.vector_points import SCHEMA, make_point, opened, shard_of, unit_vector


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


@pytest.fixture
def sealing(own: EdgeGenerations, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is written is sealed at the next checkpoint, and at the end."""
    monkeypatch.setattr(edge_compaction, "OPEN_POINTS", 1)
    monkeypatch.setattr(edge_compaction, "OPEN_POINTS_AT_END", 1)


def answers(store: EdgeStore) -> list[object]:
    """What each kind of question is told."""
    narrow = Where((Equals("book_id", "robots"), AnyOf("module", ("ros2",)), Range("chapter", lte=1)))
    words, near = query_vector("node topic3 robot"), unit_vector(5)
    found: list[object] = [store.size(), store.values("source_file", narrow)]
    for where in (Where(), narrow, Where((Equals("module", "isaac"),))):
        found += [store.count(where), store.search(dense=near, sparse=words, where=where, limit=7)]
        found += [store.rarity(words.indices, where), sorted(point.id for point in store.scroll(where))]
    return found


@pytest.mark.usefixtures("sealing")
def test_a_sealed_index_answers_as_before_takes_writes_and_opens_with_nothing_in_memory(own: EdgeGenerations) -> None:
    with closing(opened(own)) as store:
        before = answers(store)
        assert open_points(store._shard) == 30
        store.upsert([make_point(1)])
        store.checkpoint()
        assert open_points(store._shard) == 0
        assert answers(store) == before
        store.upsert([make_point(2, text="Another text."), make_point(30)])
        store.delete(Where((Equals("source_file", make_point(9).payload["source_file"]),)))
        after = answers(store)
    with closing(opened(own)) as store:
        assert open_points(store._shard) == 0
        assert answers(store) == after
        assert {point.payload["text"] for point in store.retrieve([make_point(2).id]).values()} == {"Another text."}


@pytest.mark.usefixtures("sealing")
def test_a_sealing_that_dies_in_a_run_is_told_and_the_run_goes_on(
    own: EdgeGenerations, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(edge_compaction, "PYTHON", ("/bin/false",))
    with closing(opened(own)) as store:
        store.upsert([make_point(30)])
        store.checkpoint()
        store.upsert([make_point(31)])
        assert store.size() == 32 and open_points(store._shard) == 32
    assert "could not be compacted" in caplog.text


@pytest.mark.usefixtures("sealing")
def test_a_store_that_others_use_is_sealed_by_the_last_alone(own: EdgeGenerations) -> None:
    store = opened(own)
    with closing(store), closing(store.share()):
        store.upsert([make_point(30)])
        store.checkpoint()
        assert open_points(store._shard) == 31
    with closing(opened(own)) as store:
        assert open_points(store._shard) == 0


@pytest.mark.usefixtures("sealing")
def test_an_index_of_the_former_layout_opens_and_is_sealed_in_todays(
    own: EdgeGenerations, own_directory: Path
) -> None:
    """Until release 1.1 all lists were in memory, and payloads were read ahead."""
    path = shard_of(own_directory)
    with closing(opened(own)) as store:
        before, points = answers(store), list(store.scroll(Where(), vectors=True))
    shutil.rmtree(path)
    path.mkdir()
    shard = qe.EdgeShard.create(
        str(path),
        qe.EdgeConfig(
            vectors={"dense": qe.EdgeVectorParams(size=SCHEMA.dimensions, distance=qe.Distance.Cosine)},
            sparse_vectors={"bm25": qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
            payload_memory=qe.Memory.Cached,
        ),
    )
    shard.update(qe.UpdateOperation.create_field_index("module", qe.KeywordIndexParams(enable_hnsw=False)))
    rows = [
        qe.Point(
            point.id,
            {
                "dense": point.dense.tolist(),
                "bm25": qe.SparseVector(list(point.sparse.indices), list(point.sparse.values)),
            },
            point.payload,
        )
        for point in points
        if point.dense is not None and point.sparse is not None
    ]
    shard.update(qe.UpdateOperation.upsert_points(rows))
    shard.close()
    with closing(opened(own)) as store:
        assert answers(store) == before
        store.upsert([make_point(1)])
    with closing(opened(own)) as store:
        assert open_points(store._shard) == 0
        indexes = store._shard.info().payload_schema.values()
        assert all(getattr(each.params, "memory", None) == qe.Memory.Cold for each in indexes)
        assert answers(store) == before
