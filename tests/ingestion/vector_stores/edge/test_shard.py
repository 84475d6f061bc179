"""Damage to the embedded index is repaired where it can be, and named where it cannot."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import qdrant_edge as qe

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from tests.support.vector_points import (
    SCHEMA,
    build_index,
    index_directory,
    make_point,
    opened,
    point_id,
    shard_of,
    unit_vector,
)


def poison(shard_path: Path) -> None:
    """Put an operation into the log that the engine can never replay."""
    shard = qe.EdgeShard.load(str(shard_path))
    sparse = qe.SparseVector([1, 2], [1.0])
    bad = qe.Point(point_id("bad"), {"dense": unit_vector(1), "bm25": sparse}, {})  # type: ignore[dict-item]
    with pytest.raises(BaseException, match="out of bounds"):
        shard.update(qe.UpdateOperation.upsert_points([bad]))
    shard.close()


def test_a_log_that_cannot_be_replayed_is_set_aside_once(
    own: EdgeGenerations, own_directory: Path, caplog: pytest.LogCaptureFixture
) -> None:
    poison(shard_of(own_directory))
    with closing(opened(own)) as store:
        assert store.count(Where()) == 30
        store.upsert([make_point(40)])
    assert "set aside" in caplog.text
    with closing(opened(own)) as store:
        assert store.count(Where()) == 31


def test_an_index_that_cannot_be_opened_says_how_to_build_it_anew(
    generations: EdgeGenerations, directory: Path
) -> None:
    config = shard_of(directory) / "edge_config.json"
    before = config.read_bytes()
    config.write_text("{")
    with pytest.raises(VectorStoreError, match=r"cannot open the index .* `bookwise ingest --mode recreate`"):
        generations.open_active()
    assert (shard_of(directory) / "wal").is_dir()
    assert not list(directory.glob("*/wal-damaged"))
    config.write_bytes(before)
    with closing(opened(generations)) as store:
        assert store.count(Where()) == 30


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("CURRENT", "{", "cannot read .*CURRENT.*`bookwise verify --repair`"),
        ("CURRENT", '{"active": "20260801T101500-a1b2c3"}', "--mode recreate"),
        ("schema.json", "", "cannot read .*schema.json.* --mode recreate"),
        ("schema.json", '{"format": 1}', "does not say how its vectors were made; .* --mode recreate"),
        ("schema.json", '{"format": 99}', "newer bookwise"),
    ],
)
def test_damaged_files_beside_the_engines_are_named(
    generations: EdgeGenerations, directory: Path, file: str, text: str, message: str
) -> None:
    damaged = next(path for path in (directory / file, *directory.glob(f"*/{file}")) if path.exists())
    before = damaged.read_bytes()
    damaged.write_text(text)
    try:
        with pytest.raises(VectorStoreError, match=message):
            generations.active()
        with pytest.raises(VectorStoreError, match=message):
            generations.open_active()
    finally:
        damaged.write_bytes(before)


@pytest.mark.parametrize("text", ["{", '{"active": "20260801T101500-a1b2c3"}'])
def test_beside_a_damaged_index_a_new_generation_can_be_built(text: str) -> None:
    with index_directory() as directory:
        (directory / "CURRENT").write_text(text)
        build_index(directory)
        assert EdgeGenerations(directory).active().schema == SCHEMA


def test_what_a_killed_optimisation_left_is_removed(generations: EdgeGenerations, directory: Path) -> None:
    left = shard_of(directory) / "temp_segments" / "segment_builder_1"
    left.mkdir(parents=True)
    with closing(opened(generations)) as store:
        assert store.count(Where()) == 30
    assert not left.exists()


def test_an_index_that_an_older_shard_lacks_is_added(own: EdgeGenerations, own_directory: Path) -> None:
    shard = qe.EdgeShard.load(str(shard_of(own_directory)))
    shard.update(qe.UpdateOperation.delete_field_index("module"))
    shard.close()
    with closing(opened(own)) as store:
        assert store.values("module", Where()) == {"gazebo": 9, "isaac": 9, "ros2": 12}


def test_an_index_of_another_type_is_reported(own: EdgeGenerations, own_directory: Path) -> None:
    shard = qe.EdgeShard.load(str(shard_of(own_directory)))
    shard.update(qe.UpdateOperation.delete_field_index("chapter"))
    shard.update(qe.UpdateOperation.create_field_index("chapter", qe.PayloadSchemaType.Keyword))
    shard.close()
    with pytest.raises(VectorStoreError, match=r"another type on chapter; .* --mode recreate"):
        own.open_active()
