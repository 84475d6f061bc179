"""How much of the nearest a filtered search finds, and how long it takes, on the embedded engine or any server.

    python -m benchmarks.recall POINTS [--url URL] [--dimensions 384] [--int8] [--keep FOLDER]

The points lie in 500 clusters, and module and tier go with the cluster, as topics go with the modules of books: under
such filters a graph search is at its worst. What is right is found by looking at every vector, here and not in the
engine. On a server a collection is made and deleted again; the key is QDRANT_API_KEY. Without a URL the index is
embedded, and how long it takes to open and how much memory that needs is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.bm25 import document_vector, query_vector
from ingestion.vector_stores.factory import open_generations
from ingestion.vector_stores.filters import AnyOf, Equals, Range, Where
from ingestion.vector_stores.protocol import Generations, PointSearcher
from ingestion.vector_stores.server import generations as on_server
from ingestion.vector_stores.types import Point, Schema

INT8 = {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}}
CLUSTERS, BOOKS, MODULES, TIERS = 500, 5, 4, 4
GROUP = 1024
QUESTIONS = 40
LIMIT = 5
WORDS = [f"word{number}" for number in range(5000)]

BOOK, MODULE, TIER = Equals("book_id", "book-1"), AnyOf("module", ("m1",)), Range("hardware_tier", lte=2)
FILTERS: Mapping[str, Where] = {
    "no filter": Where(),
    "book": Where((BOOK,)),
    "book, tier": Where((BOOK, TIER)),
    "book, module": Where((BOOK, MODULE)),
    "book, module, tier": Where((BOOK, MODULE, TIER)),
    "module": Where((MODULE,)),
    "tier": Where((TIER,)),
}


def centres(dimensions: int) -> Any:
    """The middles of the clusters."""
    rows = np.random.default_rng(7).standard_normal((CLUSTERS, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def vectors(count: int, dimensions: int) -> Iterator[tuple[int, Any]]:
    """The vectors in groups, each group with the number of its first; the same at every call."""
    source, middles = np.random.default_rng(8), centres(dimensions)
    for start in range(0, count, GROUP):
        numbers = np.arange(start, min(start + GROUP, count))
        rows = near(middles[numbers // 10 % CLUSTERS], source, dimensions)
        yield start, rows


def near(middles: Any, source: np.random.Generator, dimensions: int) -> Any:
    """Unit vectors around these middles."""
    rows = middles + source.standard_normal((len(middles), dimensions)).astype(np.float32) / np.sqrt(dimensions)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def payload(number: int) -> dict[str, Any]:
    """The fields that the filters name, and those that make a point a chunk."""
    return {
        "book_id": f"book-{number % BOOKS}",
        "module": f"m{number // BOOKS % MODULES}",
        "hardware_tier": number // (BOOKS * MODULES) % TIERS + 1,
        "source_file": f"docs/{number // 10}.md",
        "chunk_index": number % 10,
        "text": f"chunk {number}",
    }


def matching(numbers: Any, name: str) -> Any:
    """Which of these points a filter lets through."""
    kept = np.ones(len(numbers), bool)
    if "book" in name:
        kept &= numbers % BOOKS == 1
    if "module" in name:
        kept &= numbers // BOOKS % MODULES == 1
    if "tier" in name:
        kept &= numbers // (BOOKS * MODULES) % TIERS < 2
    return kept


def point_id(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012x}"


def points(count: int, dimensions: int) -> Iterator[list[Point]]:
    """The points in groups, as a run writes them."""
    source = np.random.default_rng(9)
    sparse = [document_vector(" ".join(source.choice(WORDS, 80))) for _ in range(500)]
    for start, rows in vectors(count, dimensions):
        yield [
            Point(point_id(start + at), row, sparse[(start + at) % 500], payload(start + at))
            for at, row in enumerate(rows)
        ]


def questions(dimensions: int) -> Any:
    """Vectors near a cluster each."""
    source = np.random.default_rng(11)
    return near(centres(dimensions)[source.integers(0, CLUSTERS, QUESTIONS)], source, dimensions)


def nearest(count: int, dimensions: int) -> dict[str, list[set[str]]]:
    """For each filter and question the ids of the nearest points, found by looking at every vector."""
    asked = questions(dimensions)
    best: dict[str, list[list[tuple[float, int]]]] = {name: [[] for _ in asked] for name in FILTERS}
    for start, rows in vectors(count, dimensions):
        scores = asked @ rows.T
        numbers = np.arange(start, start + len(rows))
        for name, lists in best.items():
            kept = np.flatnonzero(matching(numbers, name))
            for at, row in enumerate(scores):
                top = kept[np.argsort(-row[kept])[:LIMIT]]
                found = [*lists[at], *((float(row[each]), int(numbers[each])) for each in top)]
                lists[at] = sorted(found, key=lambda pair: -pair[0])[:LIMIT]
    return {name: [{point_id(number) for _, number in found} for found in lists] for name, lists in best.items()}


def measured(store: PointSearcher, expected: Mapping[str, list[set[str]]], dimensions: int) -> Iterator[str]:
    """One line for each filter: recall, times of dense and of hybrid searches, and how it was searched."""
    asked = questions(dimensions)
    words = np.random.default_rng(12)
    terms = [query_vector(" ".join(words.choice(WORDS, 4))) for _ in asked]
    for name, where in FILTERS.items():
        recalls, dense_ms, hybrid_ms = [], [], []
        for at, vector in enumerate(asked):
            begun = time.perf_counter()
            found, _ = store.search(dense=vector, sparse=None, where=where, limit=LIMIT)
            dense_ms.append((time.perf_counter() - begun) * 1e3)
            wanted = expected[name][at]
            recalls.append(len({hit.id for hit in found} & wanted) / len(wanted))
        for vector, sparse in zip(asked, terms, strict=True):
            begun = time.perf_counter()
            store.search(dense=vector, sparse=sparse, where=where, limit=100)
            hybrid_ms.append((time.perf_counter() - begun) * 1e3)
        yield (
            f"{name:20} recall@5 {statistics.mean(recalls):.3f}  dense p50 {statistics.median(dense_ms):6.1f} ms  "
            f"hybrid, 100 hits p50 {statistics.median(hybrid_ms):6.1f} ms  {store.search_method(where)}"
        )


def opening(folder: Path) -> dict[str, float]:
    """Seconds to open the embedded index, and megabytes of memory then and after a search for each filter."""
    begun = time.perf_counter()
    store = open_generations(
        url=None, api_key=None, collection="bench", directory=folder, wait=0, settings=None
    ).open_active()
    assert store is not None
    figures = {"open s": time.perf_counter() - begun, "MB open": _memory("VmRSS"), "anonymous MB": _memory("RssAnon")}
    vector = questions(store.schema.dimensions)[0]
    terms = query_vector("word1 word2 word3 word4")
    for where in FILTERS.values():
        store.search(dense=vector, sparse=terms, where=where, limit=100)
    figures |= {
        "MB searched": _memory("VmRSS"),
        "anonymous MB searched": _memory("RssAnon"),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    return {name: round(value, 2) for name, value in figures.items()}


def _memory(name: str) -> float:
    """Megabytes of this process, which Linux tells."""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(f"{name}:"))


def build(generations: Generations, count: int, dimensions: int) -> str:
    """Make the index; returns how fast."""
    seconds = 0.0
    with generations.writer(0) as lease, closing(generations.create(Schema("bench/1", dimensions), lease)) as store:
        with generations.loading(store, count):
            for group in points(count, dimensions):
                begun = time.perf_counter()
                store.upsert(group)
                seconds += time.perf_counter() - begun
            store.checkpoint()
        generations.activate(store)
    return f"{count:,} points of {dimensions} numbers: {count / seconds:,.0f} points/s"


def main() -> None:
    """Build the index, or open the one in `--keep`, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("points", type=int)
    parser.add_argument("--url")
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder of an embedded index that is made once and kept")
    parser.add_argument("--opening", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.opening:
        _show(json.dumps(opening(asked.opening)))
        return
    on_server.DEFERRED_FROM = 0
    settings = QdrantSettings(options={"quantization_config": INT8} if asked.int8 else None)
    name = f"recall-{os.getpid()}" if asked.url else "bench"
    with ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        generations = open_generations(
            url=asked.url,
            api_key=os.environ.get("QDRANT_API_KEY"),
            collection=name,
            directory=folder,
            wait=0,
            settings=settings,
        )
        if asked.url:
            stack.callback(_delete, asked.url, name)
        if generations.active() is None:
            _show(build(generations, asked.points, asked.dimensions))
        if not asked.url:
            command = [sys.executable, "-m", "benchmarks.recall", "0", "--opening", str(folder)]
            _show(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
        store = generations.open_active()
        assert store is not None
        with closing(store):
            for line in measured(store, nearest(asked.points, asked.dimensions), asked.dimensions):
                _show(line)


def _delete(url: str, name: str) -> None:
    from qdrant_client import QdrantClient

    client = QdrantClient(url=url, api_key=os.environ.get("QDRANT_API_KEY"), check_compatibility=False)
    for each in client.get_collections().collections:
        if each.name.startswith(name):
            client.delete_collection(each.name)


def _show(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
