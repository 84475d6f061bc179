"""Search beyond the ranking: repeats, wider passages, difference, origins, and values that do not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingestion.errors import UsageError
from ingestion.vector_stores.types import Hit
from rag.models import HiddenPassages, SearchResponse
from rag.retrieval.expansion import beside
from rag.retrieval.mmr import diverse, diversity
from rag.views import search_view
from tests.rag.retrieval.test_search import find
from tests.support.books import Library, long_text, page

LESSON = "module-1-ros2/chapter-1-a/01-one.md"
PAGES = {
    LESSON: page("One", *(long_text(f"turtle{number}", 20) for number in range(5))),
    "module-1-ros2/chapter-1-a/01-one.summary.md": page("One in short", "The turtle0 turns slowly on its axis."),
    "module-1-ros2/chapter-1-a/02-quiz.md": page("Quiz", "Which turtle0 turns slowly on its axis?"),
    "translations/ur/module-1-ros2/chapter-1-a/01-one.md": page("One", "The turtle0 کچھوا turns slowly on its axis."),
    "translations/ur/module-1-ros2/chapter-1-a/03-only.md": page(
        "Only", "The turtle0 کچھوا is only in this language."
    ),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    library.run()
    return library


def files(response: SearchResponse) -> set[str]:
    return {result.source_file for result in response.results}


def test_a_summary_is_not_shown_beside_its_lesson_nor_a_translation(library: Library) -> None:
    shown = files(find(library, "which turtle0 turns slowly on its axis"))
    assert LESSON in shown
    assert "module-1-ros2/chapter-1-a/01-one.summary.md" not in shown
    assert "translations/ur/module-1-ros2/chapter-1-a/01-one.md" not in shown


def test_a_lesson_that_exists_only_in_another_language_is_shown(library: Library) -> None:
    assert "translations/ur/module-1-ros2/chapter-1-a/03-only.md" in files(find(library, "turtle0 turns slowly"))


def test_a_question_in_the_other_language_gets_the_translation(library: Library) -> None:
    shown = files(find(library, "کچھوا", mode="keyword"))
    assert "translations/ur/module-1-ros2/chapter-1-a/01-one.md" in shown and LESSON not in shown


def test_all_versions_are_shown_if_asked_for(library: Library) -> None:
    assert files(find(library, "which turtle0 turns slowly on its axis", all_versions=True)) == set(PAGES)


def test_a_summary_alone_is_shown(library: Library) -> None:
    only = find(library, "turtle0 turns slowly", doc_types=["summary"])
    assert files(only) == {"module-1-ros2/chapter-1-a/01-one.summary.md"}


def test_expand_adds_the_chunks_around_as_one_passage(library: Library) -> None:
    plain = find(library, "turtle2", mode="keyword", limit=1).results[0]
    wide = find(library, "turtle2", mode="keyword", limit=1, expand=1).results[0]
    assert "turtle1 number" not in plain.text
    assert all(f"turtle{number} number 3" in wide.text for number in (1, 2, 3)) and "turtle4" not in wide.text
    assert wide.line_start < plain.line_start and wide.line_end > plain.line_end
    source = (library.docs / LESSON).read_text(encoding="utf-8").split("\n")
    assert wide.text == "\n".join(source[wide.line_start - 1 : wide.line_end])
    assert len(wide.section_titles) == len(wide.section_anchors) == 3


def test_a_whole_lesson_is_shown_once_though_several_of_its_chunks_are_found(library: Library) -> None:
    results = find(
        library, "turtle1 turtle2 turtle3", mode="keyword", whole_lesson=True, doc_types=["lesson"]
    ).results
    whole = [result for result in results if result.source_file == LESSON]
    assert len(whole) == 1 and all(f"turtle{number} number 7" in whole[0].text for number in range(5))
    assert [result.rank for result in results] == list(range(1, len(results) + 1))


def test_the_origin_of_a_rank_is_told(library: Library) -> None:
    for mode in ("hybrid", "dense", "keyword"):
        result = find(library, "turtle2", mode=mode).results[0]
        assert (result.dense_rank is None) == (mode == "keyword")
        assert (result.keyword_rank is None) == (result.keyword_score is None)
        assert mode != "dense" or result.keyword_rank is None
    shown = "\n".join(map(str, search_view(find(library, "turtle2"), explain=True)))
    assert "by meaning (cosine" in shown and "by words (BM25" in shown and "Evidence: best cosine" in shown


@pytest.mark.parametrize(
    ("declared", "hidden", "is_named"),
    [
        ((), None, False),
        (("layer",), None, False),
        (("hardware_tier",), None, True),
        ((), HiddenPassages(filter="hardware_tier", value="2", count=1, best_relevance=0.5), True),
    ],
)
def test_the_tier_that_nobody_set_is_named_only_where_the_book_has_tiers(
    library: Library, declared: tuple[str, ...], hidden: HiddenPassages | None, is_named: bool
) -> None:
    found = find(library, "turtle2").model_copy(update={"hidden": hidden})
    results = tuple(result.model_copy(update={"declared": declared}) for result in found.results)
    for shown in (results, ()) if hidden or not is_named else (results,):
        text = "\n".join(map(str, search_view(found.model_copy(update={"results": shown}))))
        assert ("hardware tier 1 or lower (--tier 4 sees all)" in text) == is_named


def test_a_tier_that_was_asked_for_is_named(library: Library) -> None:
    assert str(search_view(find(library, "turtle2", hardware_tier_filter=4))[-1]).endswith("hardware tier 4")


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"module_filter": "isaac"}, "no module 'isaac' in test-book; known are ros2"),
        ({"language": "fr"}, "no language 'fr' in test-book; known are en, ur"),
        ({"lesson_filter": 12}, "no lesson number '12' in test-book; known are 1, 2, 3"),
        ({"parent_doc_id": "x"}, "no lesson with the parent id 'x'"),
        ({"layer_filter": "L4"}, "no layer 'L4' in test-book; known are L1"),
        ({"proficiency_levels": ("C2",)}, "no level 'C2' in test-book; known are A2"),
        (
            {"doc_types": ("stub", "readme")},
            "no kind of page 'stub', 'readme' in test-book; known are",
        ),
        ({"chapter_min": 99, "chapter_max": 99}, "no chapter 99 in test-book; known are 1"),
        ({"chapter_min": 90}, "no chapter 90- in test-book; known are 1"),
    ],
)
def test_a_value_that_the_book_does_not_have_lists_the_known_ones(
    library: Library, filters: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        find(library, **filters)


def test_known_values_that_no_page_has_together_find_nothing(library: Library) -> None:
    assert find(library, language="ur", lesson_filter=2).results == ()


def test_diversity_is_0_for_equal_and_1_for_unrelated_passages() -> None:
    one, other = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    assert diversity([one, one]) == 0.0 and diversity([one, other]) == 1.0
    assert diversity([one, one, other]) == pytest.approx(2 / 3)
    assert diversity([one]) == diversity([]) == 0.0


def test_diverse_passages_leave_out_what_only_repeats() -> None:
    vectors = {name: np.array(vector, np.float32) for name, vector in {"a": [1, 0], "b": [1, 0], "c": [0, 1]}.items()}
    hits = [Hit("a", 0.9), Hit("b", 0.89), Hit("c", 0.5)]
    assert [hit.id for hit in diverse(hits, vectors, 2)] == ["a", "c"]
    assert [hit.id for hit in diverse(hits, vectors, 9)] == ["a", "c", "b"]
    assert diverse([], {}, 3) == []


def test_diverse_search_begins_with_the_best(library: Library) -> None:
    usual, mixed = find(library, "turtle2", limit=3), find(library, "turtle2", limit=3, diverse=True)
    assert mixed.results[0].id == usual.results[0].id and len(mixed.results) == 3


def test_diversity_is_of_the_passages_that_are_left_by_the_lowest_score(library: Library) -> None:
    question = "which turtle0 turns slowly on its axis"
    everything = find(library, question, all_versions=True)
    scores = sorted((result.score for result in everything.results), reverse=True)
    assert everything.evidence.diversity > 0.0 and len(scores) > 1
    one = find(library, question, all_versions=True, min_score=scores[0])
    assert len(one.results) == sum(score == scores[0] for score in scores)
    assert one.evidence.diversity < everything.evidence.diversity or len(one.results) > 1
    assert one.evidence.best == everything.evidence.best


def test_the_chunks_beside_results_are_those_of_the_lesson_that_were_not_found_each_once(library: Library) -> None:
    store = library.generations.open_active()
    assert store is not None
    [first, third] = (find(library, f"turtle{number}", mode="keyword", limit=1).results[0] for number in (1, 3))
    around = beside([first], store)
    assert [each.chunk_index - first.chunk_index for each in around] == [-1, 1]
    assert {(each.rank, each.relevance) for each in around} == {(first.rank, first.relevance)}
    both = beside([first, third.model_copy(update={"rank": 2})], store)
    assert [each.chunk_index - first.chunk_index for each in both] == [-1, 1, 3]
    assert first.id not in {each.id for each in beside([first, around[0], around[1]], store)}


def test_a_chunk_of_another_version_of_the_lesson_does_not_stand_beside_a_result(library: Library) -> None:
    store = library.generations.open_active()
    assert store is not None
    found = find(library, "turtle2", mode="keyword", limit=1).results[0]
    stale = found.model_copy(update={"id": "00000000-0000-0000-0000-000000000000"})
    assert beside([stale], store) == ()
