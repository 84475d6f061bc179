"""Search over a book of fakes: ranking, filters, and what a result tells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import UsageError
from ingestion.settings.validators import Module
from ingestion.vector_stores.types import StoredPoint
from rag.filters import NO_FILTERS
from rag.models import SearchQuery, SearchResponse
from rag.retrieval.retriever import make_query
from rag.retrieval.search import search
from tests.support.books import BOOK, Library, page
from tests.support.fakes import MemoryStore

PAGES = {
    "module-1-ros2/chapter-1-a/01-one.md": page("One", "The turtle walks over the table.", hardware_tier=1),
    "module-1-ros2/chapter-2-b/02-two.md": page("Two", "The turtle swims in the sea.", hardware_tier=2, layer="L2"),
    "module-2-gazebo/chapter-3-c/03-three.md": page(
        "Three", "The turtle sleeps in the sun.", hardware_tier=3, proficiency_level="B1-B2"
    ),
    "module-2-gazebo/chapter-4-d/04-four.md": page("Four", "The turtle eats a leaf of salad.", hardware_tier=4),
    "module-2-gazebo/chapter-4-d/05-five.md": page("Five", "The turtle has no declared tier at all."),
    "translations/ur/module-1-ros2/chapter-1-a/01-one.md": page("One", "The turtle in another language."),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    library.run()
    return library


def find(library: Library, text: str = "turtle", modules: tuple[Module, ...] = (), **filters: Any) -> SearchResponse:
    store = library.generations.open_active()
    assert store is not None
    query = SearchQuery.model_validate({"text": text, "book_id": BOOK, "limit": 20, **filters})
    return search(query, store, library.embedder, modules=modules)


def lessons(response: SearchResponse) -> set[int | None]:
    return {result.lesson for result in response.results}


def test_the_default_tier_is_1_and_an_undeclared_one_counts_as_for_everyone(library: Library) -> None:
    response = find(library)
    assert lessons(response) == {1, 5}
    declared = {result.lesson: "hardware_tier" in result.declared for result in response.results}
    assert declared == {1: True, 5: False} or declared == {1: False, 5: False}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"hardware_tier_filter": 2}, {1, 2, 5}),
        ({"hardware_tier_filter": 4}, {1, 2, 3, 4, 5}),
        ({"module_filter": "ros2"}, {1, 2}),
        ({"module_filter": "gazebo"}, {3, 4, 5}),
        ({"chapter_min": 2, "chapter_max": 3}, {2, 3}),
        ({"chapter_min": 4}, {4, 5}),
        ({"lesson_filter": 4}, {4}),
        ({"proficiency_levels": ["B2", "C1"]}, {3}),
        ({"layer_filter": "L2"}, {2}),
        ({"language": "ur"}, {1}),
        ({"module_filter": "gazebo", "chapter_max": 3}, {3}),
        ({"module_filter": "ros2", "lesson_filter": 4}, set()),
    ],
)
def test_all_filters_must_hold_and_levels_any(library: Library, filters: dict[str, Any], expected: set[int]) -> None:
    assert lessons(find(library, **{"hardware_tier_filter": 4, **filters})) == expected


def test_a_lesson_is_found_by_its_parent_id_alone(library: Library) -> None:
    some = find(library, "swims in the sea", hardware_tier_filter=4).results[0]
    again = find(library, parent_doc_id=some.parent_doc_id, hardware_tier_filter=4)
    assert {result.parent_doc_id for result in again.results} == {some.parent_doc_id}


def test_words_decide_in_keyword_mode(library: Library) -> None:
    response = find(library, "who eats salad", mode="keyword", hardware_tier_filter=4)
    assert response.results[0].lesson == 4
    assert all("salad" in result.text for result in response.results[:1])


def test_scores_are_cosines_from_0_to_1_in_every_mode(library: Library) -> None:
    for mode in ("dense", "keyword", "hybrid"):
        for result in find(library, mode=mode, hardware_tier_filter=4).results:
            vector = library.generations.points[result.id].dense
            cosine = float(vector @ library.embedder.embed_query("turtle"))
            assert result.score == pytest.approx(min(1.0, max(0.0, cosine)), abs=1e-6)


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_vectors_are_read_of_the_shown_passages_alone(
    library: Library, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    read: list[str] = []
    retrieve = MemoryStore.retrieve

    def noting(store: MemoryStore, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        wanted = list(ids)
        read.extend(wanted if vectors else ())
        return retrieve(store, wanted, vectors=vectors)

    monkeypatch.setattr(MemoryStore, "retrieve", noting)
    results = find(library, mode=mode, hardware_tier_filter=4, limit=2).results
    assert read == [result.id for result in results]


def test_a_passage_deleted_while_it_is_looked_at_is_shown_with_the_score_it_was_found_by(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = find(library, hardware_tier_filter=4)
    retrieve = MemoryStore.retrieve

    def deleted_meanwhile(store: MemoryStore, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        return {} if vectors else retrieve(store, ids)

    monkeypatch.setattr(MemoryStore, "retrieve", deleted_meanwhile)
    found = find(library, hardware_tier_filter=4)
    assert [each.id for each in found.results] == [each.id for each in whole.results]
    assert [each.score for each in found.results] == pytest.approx([each.score for each in whole.results], abs=1e-6)


def test_results_are_ranked_from_1_by_relevance(library: Library) -> None:
    results = find(library, hardware_tier_filter=4).results
    assert [result.rank for result in results] == list(range(1, len(results) + 1))
    assert [result.relevance for result in results] == sorted((each.relevance for each in results), reverse=True)


def test_what_was_read_and_is_not_shown_follows_the_shown_passages(library: Library) -> None:
    few, every = (find(library, limit=limit, hardware_tier_filter=4) for limit in (2, 20))
    assert few.further and [each.rank for each in few.further] == list(range(3, 3 + len(few.further)))
    assert [each.id for each in (*few.results, *few.further)] == [each.id for each in every.results]
    assert every.further == ()


def test_the_same_text_in_two_files_is_one_result(library: Library) -> None:
    library.write(PAGES | {"module-1-ros2/chapter-9-z/09-copy.md": PAGES["module-1-ros2/chapter-1-a/01-one.md"]})
    library.run()
    texts = [result.text for result in find(library, hardware_tier_filter=4).results]
    assert len(texts) == len(set(texts))


def test_another_book_is_never_seen(library: Library) -> None:
    library.run(book="second")
    assert {result.book_id for result in find(library, hardware_tier_filter=4).results} == {BOOK}


def test_total_found_counts_the_chunks_inside_the_filters(library: Library) -> None:
    response = find(library, hardware_tier_filter=4, limit=1, module_filter="gazebo")
    assert len(response.results) == 1 and response.total_found == 3


def test_a_module_of_the_books_own_vocabulary_is_known_by_name_and_alias(library: Library) -> None:
    modules = (Module(name="gazebo", aliases=("sim",)),)
    assert find(library, modules=modules, module_filter="sim", hardware_tier_filter=4).module_filter == "gazebo"
    with pytest.raises(UsageError, match="known are gazebo, ros2"):
        find(library, module_filter="isaac")


def test_a_wrong_query_names_every_field_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        make_query("a?", book_id=BOOK, limit=101, filters=NO_FILTERS)
    assert all(field in str(caught.value) for field in ("text", "limit"))
