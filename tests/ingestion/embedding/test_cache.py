"""The embedding cache: it keeps vectors, keeps to its size, and never stops a run."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.embedding.cache import EmbeddingCache

DIMENSIONS = 384


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "below" / "embeddings.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[EmbeddingCache]:
    cache = EmbeddingCache(path)
    yield cache
    cache.close()


def vector(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)


def vectors(seeds: range) -> dict[str, Any]:
    return {f"key{seed}": vector(seed) for seed in seeds}


def age(path: Path, *keys: str) -> None:
    """Let the last use of these keys be long ago."""
    with sqlite3.connect(path) as db:
        db.executemany("UPDATE vectors SET used_at = 1 WHERE key = ?", [(key,) for key in keys])
    db.close()


def test_what_was_put_is_got_by_the_next_run_to_the_bit(cache: EmbeddingCache, path: Path) -> None:
    cache.put(vectors(range(3)))
    cache.close()
    later = EmbeddingCache(path)
    found = later.get(["key2", "unknown", "key0"])
    later.close()
    assert found.keys() == {"key0", "key2"}
    assert found["key2"].dtype == np.float32
    np.testing.assert_array_equal(found["key2"], vector(2))


def test_a_vector_put_again_replaces_the_former(cache: EmbeddingCache) -> None:
    cache.put({"key": vector(1)})
    cache.put({"key": vector(2)})
    np.testing.assert_array_equal(cache.get(["key"])["key"], vector(2))


def test_more_keys_than_one_query_takes_are_all_found(cache: EmbeddingCache) -> None:
    many = vectors(range(1201))
    cache.put(many)
    assert cache.get(list(many)).keys() == many.keys()


def test_reading_makes_no_file(cache: EmbeddingCache, path: Path) -> None:
    assert cache.get(["key"]) == {}
    cache.put({})
    assert not path.parent.exists()


def test_a_read_of_recently_used_vectors_writes_nothing(cache: EmbeddingCache, path: Path) -> None:
    cache.put(vectors(range(3)))
    cache.close()
    before = path.read_bytes()
    assert len(cache.get(["key0", "key1"])) == 2
    cache.close()
    assert path.read_bytes() == before


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.sets(st.integers(0, 59), max_size=12))
def test_the_size_holds_and_what_was_used_longest_ago_goes_first(tmp_path: Path, kept: set[int]) -> None:
    path = tmp_path / "bounded.sqlite"
    path.unlink(missing_ok=True)
    cache = EmbeddingCache(path, max_bytes=200_000)  # about 60 pages of two vectors each
    old = vectors(range(60))
    cache.put(old)
    age(path, *old)
    used = [f"key{seed}" for seed in sorted(kept)]
    assert cache.get(used).keys() == set(used)
    cache.put(vectors(range(60, 120)))
    left = cache.get([f"key{seed}" for seed in range(120)]).keys()
    cache.close()
    assert 60 <= len(left) < 120
    assert left >= set(used)
    assert left >= {f"key{seed}" for seed in range(60, 120)}


def test_a_cache_smaller_than_what_is_put_stays_small(cache: EmbeddingCache, path: Path) -> None:
    small = EmbeddingCache(path, max_bytes=100_000)
    for start in range(0, 1000, 50):
        small.put(vectors(range(start, start + 50)))
    small.close()
    assert path.stat().st_size < 300_000


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_file_is_set_aside_with_a_warning(
    cache: EmbeddingCache, path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    assert cache.get(["key"]) == {}
    cache.put(vectors(range(2)))
    assert len(cache.get(["key0", "key1"])) == 2
    assert path.with_name("embeddings.sqlite.damaged").read_bytes() == content
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "set aside as embeddings.sqlite.damaged" in caplog.text


def test_a_page_damaged_in_the_middle_is_noticed_at_the_latest_when_it_is_read(
    cache: EmbeddingCache, path: Path
) -> None:
    many = vectors(range(200))
    cache.put(many)
    cache.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xff" * (len(content) - 4096 * 2)
    path.write_bytes(content)
    assert cache.get(list(many)) == {}
    cache.put(many)
    assert len(cache.get(list(many))) == 200


def test_a_database_of_another_kind_is_set_aside(cache: EmbeddingCache, path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE vectors (name TEXT)")
    db.close()
    cache.put(vectors(range(2)))
    assert len(cache.get(["key0", "key1"])) == 2


def test_a_place_that_cannot_be_written_costs_one_warning_and_no_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = EmbeddingCache(tmp_path / "file" / "embeddings.sqlite")
    cache.put(vectors(range(2)))
    cache.put(vectors(range(2)))
    assert cache.get(["key0"]) == {}
    assert len(caplog.records) == 1
    assert "continuing without the embedding cache" in caplog.text


def test_many_may_read_while_one_writes(path: Path) -> None:
    writer = EmbeddingCache(path)
    writer.put(vectors(range(50)))
    wanted = [f"key{seed}" for seed in range(50)]
    counts: list[int] = []

    def read() -> None:
        reader = EmbeddingCache(path)
        counts.extend(len(reader.get(wanted)) for _ in range(20))
        reader.close()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(50, 550, 50):
        writer.put(vectors(range(start, start + 50)))
    for reader in readers:
        reader.join()
    writer.close()
    assert counts == [50] * 60
