"""Every file that bookwise keeps, cut short, with flipped bytes or of other types: healed, or named in an error."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ingestion.embedding.cache import EmbeddingCache
from ingestion.errors import VectorStoreError
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.state.job_ledger import JobLedger
from ingestion.state.state_file import StateFile
from ingestion.sync.known_vectors import KnownVectors
from ingestion.sync.pipeline import job_of
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from tests.support.books import Library, indexed_library, long_text, page
from tests.support.vector_points import SCHEMA, build_index, index_directory, opened

PAGES = {
    "m/a.md": page("Nodes", *(long_text(word) for word in ("alpha", "beta"))),
    "m/b.md": page("Topics", long_text("delta")),
}
DEEP = b"[" * 200_000
WRONG: list[Any] = [None, True, -1, 1e300, "x", "\ud800", [], [[]], {}, {"a": {"a": {}}}]


def cut(contents: bytes, number: int) -> bytes:
    return contents[: number % len(contents)]


def flipped(contents: bytes, number: int) -> bytes:
    chance = random.Random(number)
    damaged = bytearray(contents)
    for _ in range(3):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def retyped(contents: bytes, number: int) -> bytes:
    """Replace one value somewhere in a JSON document by one of another type or depth."""
    chance = random.Random(number)
    document = json.loads(contents)
    holder, name = document, chance.choice(sorted(document))
    while isinstance(holder[name], dict) and holder[name] and chance.random() < 0.8:
        holder, name = holder[name], chance.choice(sorted(holder[name]))
    holder[name] = WRONG[number % len(WRONG)]
    return json.dumps(document).encode()


def stored(library: Library) -> dict[str, Any]:
    """What the index holds and what is recorded of it, but for times."""
    state = StateFile(library.state_path).load("test-book", load_settings({}, environ={}).qdrant.collection)
    records = {path: (record.file_hash, record.chunk_ids, record.chapter) for path, record in state.records.items()}
    return {"points": sorted(library.contents()), "records": records}


def fill_cache(path: Path) -> None:
    with closing(EmbeddingCache(path)) as cache:
        cache.put({"key": np.ones(3, np.float32)})


@pytest.fixture
def own_index() -> Iterator[Path]:
    """An embedded index of 30 points that a test may damage."""
    with index_directory() as directory:
        build_index(directory)
        yield directory


@pytest.fixture
def indexed(tmp_path: Path) -> Library:
    return indexed_library(tmp_path, PAGES)


@pytest.mark.parametrize("damage", [cut, flipped, retyped])
def test_a_damaged_state_is_rebuilt_from_the_index_and_embeds_nothing(
    indexed: Library, damage: Callable[[bytes, int], bytes]
) -> None:
    good, expected = indexed.state_path.read_bytes(), stored(indexed)
    for number in range(0, 3000, 53):
        indexed.state_path.write_bytes(damage(good, number))
        if b'"format_version": 2' not in indexed.state_path.read_bytes() and damage is flipped:
            continue  # a version that looks newer than this program is not thrown away
        indexed.run(mode="full")
        assert stored(indexed) == expected, f"{damage.__name__} {number}"
    assert not indexed.embedder.texts


def test_a_damaged_state_is_set_aside_with_a_warning_that_names_it(
    indexed: Library, caplog: pytest.LogCaptureFixture
) -> None:
    good = indexed.state_path.read_bytes()
    for contents in (good[:100], b"", DEEP, b"\xff", good.replace(b'"chapter": null', b'"chapter": "\\ud800"')):
        indexed.state_path.write_bytes(contents)
        caplog.clear()
        report = indexed.run()
        assert report.chunks.embedded == 0 and "deleted" not in report.files
        aside = indexed.state_path.with_name(f"{indexed.state_path.name}.damaged")
        assert str(indexed.state_path) in caplog.text and str(aside) in caplog.text
        assert aside.read_bytes() == contents
        assert indexed.run().files == {"unchanged": 2}


def test_a_dry_run_over_a_damaged_state_changes_nothing(indexed: Library, caplog: pytest.LogCaptureFixture) -> None:
    indexed.state_path.write_bytes(b"{")
    assert indexed.run(mode="full", dry_run=True).pending
    assert indexed.state_path.read_bytes() == b"{" and str(indexed.state_path) in caplog.text


def test_the_entry_of_one_book_does_not_cost_those_of_others(indexed: Library) -> None:
    document = json.loads(indexed.state_path.read_bytes())
    document["books"]["other"] = {"collection_name": "c", "docs_root": None, "records": {}}
    document["books"]["test-book"]["records"] = 7
    indexed.state_path.write_text(json.dumps(document))
    assert indexed.run().chunks.embedded == 0
    assert StateFile(indexed.state_path).books() == ["other", "test-book"]


@pytest.mark.parametrize("contents", [b"{", b"[]", DEEP, b"\xff", b'{"active": 7}', b'{"active": "../.."}'])
def test_a_damaged_pointer_is_mended_by_a_writer_and_loses_nothing(
    own_index: Path, contents: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    good = (own_index / "CURRENT").read_bytes()
    (own_index / "CURRENT").write_bytes(contents)
    generations = EdgeGenerations(own_index)
    with pytest.raises(VectorStoreError, match=r"CURRENT.*verify --repair"):
        generations.open_active()
    generations.repair()
    assert json.loads((own_index / "CURRENT").read_bytes())["active"] == json.loads(good)["active"]
    assert "CURRENT" in caplog.text
    with closing(opened(generations)) as store:
        assert store.count(Where()) == 30


def test_of_two_generations_the_fuller_one_is_taken(own_index: Path) -> None:
    full = json.loads((own_index / "CURRENT").read_bytes())["active"]
    EdgeGenerations(own_index).create(SCHEMA).close()
    (own_index / "CURRENT").write_bytes(b"")
    EdgeGenerations(own_index).repair()
    pointer = json.loads((own_index / "CURRENT").read_bytes())
    assert pointer["active"] == full and pointer["former"] not in (None, full)


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_damaged_job_ledger_blocks_no_run_and_is_named(
    indexed: Library, tmp_path: Path, damage: Callable[[bytes, int], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "jobs.sqlite"
    with closing(JobLedger(path)) as ledger:
        for _ in range(40):
            ledger.queue("test-book", "full")
    good = path.read_bytes()
    for number in range(1, len(good), len(good) // 25):
        path.write_bytes(damage(good, number))
        caplog.clear()
        with closing(JobLedger(path)) as ledger:
            with job_of(ledger, lambda: indexed.run()):
                pass
            if "jobs.sqlite" not in caplog.text:
                assert ledger.entries(limit=1)[0].job.status == "completed"
        path.unlink(missing_ok=True)


def test_a_ledger_that_is_no_database_is_set_aside_and_begun_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "jobs.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with closing(JobLedger(path)) as ledger:
        ledger.queue("b", "full")
        assert len(ledger.entries()) == 1
    assert (tmp_path / "jobs.sqlite.damaged").read_bytes().startswith(b"no database")
    assert str(path) in caplog.text and "DATABASE_URL" not in caplog.text and "SQL" not in caplog.text


@pytest.mark.parametrize("blob", [b"", b"x", b"\0\0\xc0\x7f" * 3, b"abc", "text", 7, b"\1\0\0\0\1"])
def test_a_cached_vector_that_is_none_is_not_used(
    tmp_path: Path, blob: object, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "embeddings.sqlite"
    with closing(EmbeddingCache(path)) as cache:
        cache.put({"good": np.ones(3, np.float32), "bad": np.ones(3, np.float32)})
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE vectors SET vector = ? WHERE key = 'bad'", (blob,))
    with closing(EmbeddingCache(path)) as cache:
        assert [*cache.get(["good", "bad"])] == ["good"]
    assert str(path) in caplog.text


def test_a_flipped_bit_of_a_cached_vector_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    with closing(EmbeddingCache(path)) as cache:
        cache.put({"key": np.array([0.6, 0.8], np.float32)})
    with closing(sqlite3.connect(path)) as database, database:
        (good,) = database.execute("SELECT vector FROM vectors").fetchone()
        for bit in range(len(good) * 8):
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            database.execute("UPDATE vectors SET vector = ?", (bytes(bad),))
            database.commit()
            with closing(EmbeddingCache(path)) as cache:
                assert not cache.get(["key"]), bit


def test_a_row_of_an_older_version_has_no_checksum_and_is_used(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    with closing(EmbeddingCache(path)) as cache:
        cache.put({"key": np.ones(2, np.float32)})
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE vectors SET vector = ?", (np.ones(2, np.float32).tobytes(),))
    with closing(EmbeddingCache(path)) as cache:
        assert cache.get(["key"])["key"].tolist() == [1, 1]


def test_a_cached_vector_of_another_length_is_embedded_again() -> None:
    chunk = SimpleNamespace(embed_key="key")
    cache: Any = SimpleNamespace(get=lambda _: {"key": np.ones(3, np.float32)})
    known = KnownVectors(stores=list, cache=cache, dimensions=4)
    assert known.of(cast("list[DocumentChunk]", [chunk])) == {}
