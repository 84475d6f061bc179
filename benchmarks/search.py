"""How long a search takes on the embedded engine, the embedding of the question excluded.

    python -m benchmarks.search WORKDIR [CHUNKS]

The index holds CHUNKS (100,000) chunks of 384 dimensions, made of seeded words whose frequencies fall as those of a
language do, in lessons of 20 chunks over three tiers; it is made below WORKDIR at the first call. Questions are of
six words, drawn alike.
"""

from __future__ import annotations

import hashlib
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ingestion.models import DocumentMetadata, QdrantPayload
from ingestion.settings.loader import load_settings
from ingestion.vector_stores.bm25 import document_vector
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Point, Schema
from rag.filters import Filters, SearchMode
from rag.retrieval.retriever import Retriever

BOOK = "synthetic"
DIMENSIONS = 384
LESSON = 20
WORDS = 30_000
STOP_WORDS = 30
QUESTIONS = 200


class Random:
    """Stands for an embedder: any text gets a unit vector at random."""

    model = "random/1"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._source = np.random.default_rng(7)

    def embed_documents(self, texts: Any) -> Any:
        """One unit vector a text."""
        rows = self._source.standard_normal((len(texts), DIMENSIONS)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        """One unit vector."""
        return self.embed_documents([text])[0]


def words(source: np.random.Generator, count: int) -> str:
    """Words by Zipf's law, without the STOP_WORDS most frequent, which are never indexed."""
    chances = 1.0 / np.arange(STOP_WORDS, STOP_WORDS + WORDS)
    return " ".join(f"word{number}" for number in source.choice(WORDS, count, p=chances / chances.sum()))


def points(count: int) -> Iterator[list[Point]]:
    """The points, a lesson at a time."""
    source, embedder = np.random.default_rng(1), Random()
    for lesson in range(count // LESSON):
        ids = [str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{lesson}:{index}")) for index in range(LESSON)]
        vectors = embedder.embed_documents(ids)
        yield [point(lesson, index, ids, vectors[index], words(source, 160)) for index in range(LESSON)]


def point(lesson: int, index: int, ids: list[str], vector: Any, text: str) -> Point:
    """One chunk of a lesson."""
    metadata = DocumentMetadata(
        book_id=BOOK,
        module=f"module-{lesson % 8}",
        chapter=lesson % 20,
        lesson=lesson % 15,
        section_title=None,
        hardware_tier=lesson % 3 + 1,
        source_file=f"module-{lesson % 8}/{lesson:05}.md",
        parent_doc_id=str(uuid.uuid5(uuid.NAMESPACE_DNS, str(lesson))),
        chunk_index=index,
        total_chunks=LESSON,
        prev_chunk_id=ids[index - 1] if index else None,
        next_chunk_id=ids[index + 1] if index + 1 < LESSON else None,
        content_hash=hashlib.sha256(f"{lesson}:{index}".encode()).hexdigest(),
        source_file_hash=str(lesson),
        page_title=f"Lesson {lesson}",
        page_url="",
        line_start=1,
        line_end=2,
    )
    payload = QdrantPayload(metadata=metadata, text=text, word_count=160, token_count=400, embed_key=ids[index])
    return Point(ids[index], vector, document_vector(text), payload.as_dict())


def opened(workdir: Path, count: int) -> VectorStore:
    """The index, made if it is not there yet."""
    generations = EdgeGenerations(workdir / f"{count}-chunks", 0)
    store = generations.open_active()
    if store is None:
        started = time.perf_counter()
        store = generations.create(Schema(Random.model, DIMENSIONS))
        batch: list[Point] = []
        for lesson in points(count):
            batch += lesson
            if len(batch) >= 2_000:
                store.upsert(batch)
                batch = []
        if batch:
            store.upsert(batch)
        store.checkpoint()
        generations.activate(store)
        print(f"{count} chunks written in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return store


def main() -> None:
    """Measure the modes and two kinds of filters."""
    workdir, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    retriever = Retriever(load_settings({"book.id": BOOK}), opened(workdir, count), Random(), BOOK)
    source = np.random.default_rng(3)
    questions = [words(source, 6) for _ in range(QUESTIONS)]
    all_tiers = Filters(hardware_tier=4)
    cases: dict[str, tuple[Filters, SearchMode]] = {
        "hybrid, all tiers": (all_tiers, "hybrid"),
        "hybrid, tier 1": (Filters(), "hybrid"),
        "hybrid, one module": (Filters(hardware_tier=4, module="module-3"), "hybrid"),
        "dense": (all_tiers, "dense"),
        "keyword": (all_tiers, "keyword"),
    }
    for name, (filters, mode) in cases.items():
        times = []
        for question in questions:
            started = time.perf_counter()
            retriever.search(question, limit=5, filters=filters, mode=mode)
            times.append((time.perf_counter() - started) * 1000)
        p50, p99 = statistics.median(times), statistics.quantiles(times, n=100)[98]
        print(f"{name:20} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms", flush=True)


if __name__ == "__main__":
    main()
