"""What a large embedded index costs to open and to search, beside another version's.

    python -m benchmarks.embedded [CHUNKS] [FOLDER OF ANOTHER CHECKOUT WITH ITS OWN .venv]

Each checkout writes its own index of CHUNKS (100,000) chunks of 384 numbers, about 70 terms and 2.4 kB of payload, in
five books, eight modules and three tiers, by its own store. Then their processes take turns: open, and ask the same
questions of six words. Shown are the median and, in brackets, the least and the most of the runs.
"""

from __future__ import annotations

import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

CHUNKS, DIMENSIONS, LESSON = 100_000, 384, 20
TEXTS, WORDS, STOP_WORDS = 5_000, 30_000, 30
QUESTIONS, ASKED_FIRST = 40, 5
RUNS = 5
HERE = Path(__file__).parents[1]


def words(source: np.random.Generator, count: int) -> str:
    """Words by Zipf's law, without the STOP_WORDS most frequent, which are never indexed."""
    shares = np.cumsum(1.0 / np.arange(STOP_WORDS, STOP_WORDS + WORDS))
    return " ".join(f"word{at}" for at in np.searchsorted(shares, source.random(count) * shares[-1]))


def unit_vectors(source: np.random.Generator, count: int) -> Any:
    """Vectors at random, of length one."""
    rows = source.standard_normal((count, DIMENSIONS), np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def points(count: int) -> Iterator[list[Any]]:
    """The same points at every call, a thousand at a time; each text stands in many, with weights of their own."""
    from ingestion.vector_stores.bm25 import document_vector
    from ingestion.vector_stores.types import Point, SparseVector

    source = np.random.default_rng(1)
    texts = [words(source, 160) for _ in range(TEXTS)]
    sparse = [document_vector(text) for text in texts]
    for start in range(0, count, 1_000):
        group = []
        for at, row in enumerate(unit_vectors(source, min(1_000, count - start)), start):
            text = at * 7_919 % TEXTS
            weights = tuple(value * (1 + at * 1e-7) for value in sparse[text].values)
            vector = SparseVector(sparse[text].indices, weights)
            group.append(Point(str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{at}")), row, vector, payload(at, texts[text])))
        yield group


def payload(at: int, text: str) -> dict[str, Any]:
    """What the index keeps of a chunk, as far as it is filtered by or takes room."""
    lesson, hashed = at // LESSON, hashlib.sha256(str(at).encode()).hexdigest()
    return {
        "book_id": f"book-{lesson // 10 % 5}",
        "module": f"module-{lesson // 50 % 8}",
        "chapter": lesson % 20,
        "lesson": lesson % 15,
        "hardware_tier": lesson % 3 + 1,
        "proficiency_levels": ["A2"],
        "layers": ["L1"],
        "language": "en",
        "source_file": f"module-{lesson % 8}/{lesson:06}.md",
        "parent_doc_id": str(uuid.uuid5(uuid.NAMESPACE_DNS, f"lesson {lesson}")),
        "chunk_index": at % LESSON,
        "total_chunks": LESSON,
        "content_hash": hashed,
        "source_file_hash": hashed[::-1],
        "embed_key": hashed[1:] + "0",
        "page_title": f"Lesson {lesson}",
        "text": text,
    }


def write(folder: Path, count: int) -> dict[str, float]:
    """Write an index by the store, as a run does."""
    from ingestion.vector_stores.edge.generations import EdgeGenerations
    from ingestion.vector_stores.types import Schema

    began = time.perf_counter()
    generations = EdgeGenerations(folder)
    with closing(generations.create(Schema("bench/1", DIMENSIONS))) as store:
        for at, group in enumerate(points(count)):
            store.upsert(group)
            if at % 10 == 9:
                store.checkpoint()
        store.checkpoint()
        generations.activate(store)
    return {"written s": time.perf_counter() - began, "MB at most while writing": peak()}


def ask(folder: Path) -> dict[str, float]:
    """Open an index and search it."""
    from ingestion.vector_stores.bm25 import query_vector
    from ingestion.vector_stores.edge.generations import EdgeGenerations
    from ingestion.vector_stores.filters import AnyOf, Equals, Range, Where

    narrow = Where((Equals("book_id", "book-1"), AnyOf("module", ("module-3",)), Range("hardware_tier", lte=2)))
    began, used = time.perf_counter(), time.process_time()
    store = EdgeGenerations(folder).open_active()
    assert store is not None
    figures = {"open s": time.perf_counter() - began, "open CPU s": time.process_time() - used, "open MB": peak()}
    with closing(store):
        for name, where in (("all", Where()), ("narrow", narrow)):
            source, times = np.random.default_rng(8), []
            for _ in range(QUESTIONS):
                dense, sparse = unit_vectors(source, 1)[0], query_vector(words(source, 6))
                began = time.process_time()
                store.search_with_rarity(dense=dense, sparse=sparse, keyword=True, where=where, limit=100)
                times.append(time.process_time() - began)
            figures[f"hybrid, {name}: CPU ms p50"] = statistics.median(times[ASKED_FIRST:]) * 1_000
        figures["narrow / all"] = figures["hybrid, narrow: CPU ms p50"] / figures["hybrid, all: CPU ms p50"]
        return figures | {"MB at most": peak()}


def peak() -> float:
    """Return the most memory that was resident, with mapped files, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def by_checkout(checkout: Path, *arguments: object) -> dict[str, float]:
    """Return the figures of one process of a checkout's own Python and code."""
    command = [str(checkout / ".venv/bin/python"), __file__, *map(str, arguments)]
    done = subprocess.run(command, env={"PYTHONPATH": str(checkout)}, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main(count: int, checkouts: list[Path]) -> None:
    """Write an index with each checkout, let them take turns, and print a table."""
    figures: dict[tuple[str, str], list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folders = [(checkout, Path(name) / str(at)) for at, checkout in enumerate(checkouts)]
        for checkout, folder in folders:
            figures["written", str(checkout)] = [by_checkout(checkout, "write", folder, count)]
        for _ in range(RUNS):
            for checkout, folder in folders:
                figures.setdefault(("asked", str(checkout)), []).append(by_checkout(checkout, "ask", folder))
    print(f"{count:,} chunks, {RUNS} runs\n")
    print("| |", " | ".join(map(str, checkouts)), "|")
    print("| --- " + "| ---: " * len(checkouts) + "|")
    for step in ("written", "asked"):
        for figure in figures[step, str(checkouts[0])][0]:
            shown = (spread([run[figure] for run in figures[step, str(each)]]) for each in checkouts)
            print(f"| {figure} |", " | ".join(shown), "|")


def spread(values: list[float]) -> str:
    """Return the median, with the least and the most."""
    if len(values) == 1:
        return f"{values[0]:,.1f}"
    return f"{statistics.median(values):,.2f} ({min(values):,.2f} to {max(values):,.2f})"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder, count]:
            print(json.dumps(write(Path(folder), int(count))))
        case ["ask", folder]:
            print(json.dumps(ask(Path(folder))))
        case given:
            main(int(given[0]) if given else CHUNKS, [HERE, *(Path(each).resolve() for each in given[1:2])])
