"""The same search on both engines, over pages with awkward names and texts (cases C15, C19, C24)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from rag.models import SearchQuery, SearchResponse
from rag.retrieval.search import search
from tests.support.books import BOOK, Library
from tests.support.paths import CASES
from tests.support.qdrant_server import KEY, QdrantServer, running

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

QUESTIONS = (
    "where does the chapter begin?",
    "what does <|endoftext|> do in a page?",
    "سبق میں کیا ہے؟",
    "word " * 400,
    "x" * 5_000,
    "🤖🤖🤖 robot 100% #1 [WIP]",
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Library]]:
    cases = CASES
    folder = tmp_path_factory.mktemp("engines")
    with ExitStack() as stack:
        server = stack.enter_context(running(QdrantServer()))
        engines = EdgeGenerations(folder / "index", 0), ServerGenerations(connect(server.url, KEY), "books")
        made = []
        for name, generations in zip(("edge", "server"), engines, strict=True):
            library = Library(folder / name, generations=generations, flags={"index.wait": 0})
            shutil.copytree(cases / "c24" / "docs", library.docs)
            for case in ("c15", "c19"):
                shutil.copytree(cases / case, library.docs / case)
            library.run()
            made.append(library)
        yield made


def find(library: Library, text: str, **filters: Any) -> SearchResponse:
    store = library.generations.open_active()
    try:
        return search(SearchQuery(text=text, book_id=BOOK, **filters), store, library.embedder)
    finally:
        store.close()


def test_a_passage_that_two_searches_find_is_equal_whatever_they_read_with_it(libraries: list[Library]) -> None:
    for library in libraries:
        first, again = (find(library, "how is a robot charged?").results[0] for _ in range(2))
        assert first.read_along.vector is not again.read_along.vector
        assert first == again


@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
@pytest.mark.parametrize("text", QUESTIONS, ids=range(len(QUESTIONS)))
def test_both_engines_give_the_same_passages(libraries: list[Library], text: str, mode: str) -> None:
    edge, server = (find(library, text, mode=mode) for library in libraries)
    assert [each.id for each in edge.results] == [each.id for each in server.results]
    for ours, theirs in zip(edge.results, server.results, strict=True):
        assert ours.score == pytest.approx(theirs.score, abs=1e-4)
        assert ours.relevance == pytest.approx(theirs.relevance, abs=1e-3)
    assert edge.total_found == server.total_found
    assert edge.evidence.known == pytest.approx(server.evidence.known, abs=1e-3)


AWKWARD = ("chapter 3 & more/[WIP] #1 100%.md", "باب-4/سبق-1.md", "chapter-1-one/01-intro.md")


def test_pages_with_awkward_paths_are_found_filtered_and_placed(libraries: list[Library]) -> None:
    for library in libraries:
        store = library.generations.open_active()
        points = list(store.scroll(Where(), fields=["source_file", "parent_doc_id"]))
        store.close()
        parents = {point.payload["source_file"]: point.payload["parent_doc_id"] for point in points}
        for path in AWKWARD:
            [found, *_] = find(library, "chapter", limit=20, parent_doc_id=parents[path]).results
            lines = (library.docs / path).read_text(encoding="utf-8").split("\n")
            assert found.source_file == path
            assert "\n".join(lines[found.line_start - 1 : found.line_end]) == found.text
