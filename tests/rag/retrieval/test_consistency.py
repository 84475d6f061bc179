"""Readers never see a hole, nor a mix of two versions of a lesson, while runs rewrite it."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Active
from rag.models import SearchQuery
from rag.retrieval.lessons import read_lesson
from rag.retrieval.search import search
from tests.support.books import BOOK, Library, long_text, page
from tests.support.fakes import FakeEmbedder

PATH = "module-1-ros2/chapter-1-basics/01-nodes.md"


def version(number: int) -> str:
    """Four sections, of which the second never changes; each other one names its version."""
    mark = f"version {number} of the turtle"
    texts = [long_text(mark, 20), long_text("steady turtle", 20), long_text(mark + " again", 20), long_text(mark, 19)]
    return page("Nodes", *texts[: 3 + number % 2])


def versions_in(text: str) -> set[str]:
    return {word for word, before in zip(text.split()[1:], text.split(), strict=False) if before == "version"}


class Lent:
    """An open store that runs may close without closing it: readers and runs share the engine's one opener."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    def writer(self, wait: float) -> AbstractContextManager[Any]:
        return nullcontext(lambda: None)

    def repair(self) -> None:
        pass

    is_remote = False

    def active(self) -> Active:
        return Active(self._store.schema, self._store.runs())

    def known_count(self, book_id: str) -> None:
        return None

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        return nullcontext()

    def open_active(self, lease: object = None) -> Lent:
        return self

    def close(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Watcher(threading.Thread):
    """Reads one lesson and searches it again and again, and writes down what no reader may see."""

    def __init__(self, store: VectorStore, embedder: FakeEmbedder) -> None:
        super().__init__()
        self._store, self._embedder = store, embedder
        self._done = threading.Event()
        self.seen: set[str] = set()
        self.problems: list[str] = []

    def run(self) -> None:
        query = SearchQuery(text="version of the turtle", book_id=BOOK, limit=20, mode="keyword")
        while not self._done.wait(0.002):
            lesson = read_lesson(self._store, BOOK, PATH)
            found = search(query, self._store, self._embedder).results
            self._note(lesson.text())
            self._note("\n".join(result.text for result in found if result.source_file == PATH))
            if len(lesson.chunks) != lesson.chunks[0]["total_chunks"]:
                self.problems.append(f"{len(lesson.chunks)} of {lesson.chunks[0]['total_chunks']} chunks")

    def stop(self) -> None:
        self._done.set()
        self.join()

    def _note(self, answer: str) -> None:
        versions = versions_in(answer)
        self.seen |= versions
        if len(versions) != 1:
            self.problems.append(f"versions {sorted(versions)} in one answer")


def test_a_reader_sees_the_old_lesson_or_the_new_one_through_50_runs(tmp_path: Path) -> None:
    library = Library(tmp_path, generations=EdgeGenerations(tmp_path / "index", 0))
    library.write({PATH: version(0)})
    library.run()
    store = library.generations.open_active()
    library.generations = Lent(store)
    watcher = Watcher(store, library.embedder)
    watcher.start()
    try:
        for number in range(1, 51):
            library.write({PATH: version(number)})
            library.run()
    finally:
        watcher.stop()
        store.close()
    assert watcher.problems == []
    assert len(watcher.seen) > 5


@pytest.mark.parametrize("gone", [0, 1])
def test_a_lesson_that_lost_a_chunk_is_still_shown(tmp_path: Path, gone: int) -> None:
    library = Library(tmp_path)
    library.write({PATH: version(0)})
    library.run()
    points = library.generations.points
    del points[sorted(points)[gone]]
    store = library.generations.open_active()
    assert store is not None and read_lesson(store, BOOK, PATH).chunks
