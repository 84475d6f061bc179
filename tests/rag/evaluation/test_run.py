"""An evaluation over a book of fakes: every question is asked of its book, inside its filters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import UsageError
from ingestion.settings.loader import load_settings
from rag.evaluation.questions import EvalQuestion
from rag.evaluation.run import evaluate
from rag.filters import NO_FILTERS, Filters
from rag.models import SearchResponse
from rag.quoting.extractive import answer_extractively
from rag.retrieval.retriever import Retriever
from tests.rag.evaluation.test_questions import question
from tests.support.books import BOOK, Library, page
from tests.support.fakes import FakeEmbedder

PAGES = {
    "module-1-ros2/chapter-1-a/01-one.md": page("One", "The turtle walks over the table.", hardware_tier=1),
    "module-1-ros2/chapter-2-b/02-two.md": page("Two", "The whale swims in the sea.", hardware_tier=3),
    "module-2-gazebo/chapter-3-c/03-three.md": page("Three", "The owl sleeps in the tree.", hardware_tier=1),
}
TURTLE = question(id="turtle", text="Where does the turtle walk?", pages=("x/module-1-ros2/chapter-1-a/01-one.md",),
                  section="Part 1", expected=("table|desk",))  # fmt: skip
WHALE = question(id="whale", text="Where does the whale swim?", pages=("x/module-1-ros2/chapter-2-b/02-two.md",))
NOBODY = question(id="nobody", text="Who wrote Hamlet?", pages=(), answerable=False)


@pytest.fixture
def retriever(tmp_path: Path) -> Retriever:
    library = Library(tmp_path)
    library.write(PAGES)
    library.run()
    store = library.generations.open_active()
    assert store is not None
    return Retriever(load_settings({}, environ={}), store, library.embedder, BOOK)


def ask(retriever: Retriever, *questions: EvalQuestion, **options: Any) -> dict[str, Any]:
    return {each.outcome.id: each.outcome for each in evaluate(questions, [retriever], **options)}


def test_a_right_page_and_section_are_found_at_their_rank(retriever: Retriever) -> None:
    outcome = ask(retriever, TURTLE)["turtle"]
    assert (outcome.page_rank, outcome.section_rank, outcome.has_section) == (1, 1, True)
    assert (outcome.book, outcome.leaks) == (BOOK, 0) and outcome.passages > 0


def test_a_question_is_asked_at_its_own_tier(retriever: Retriever) -> None:
    low = replace(WHALE, id="low", tier=1)
    outcomes = ask(retriever, WHALE, low)
    assert outcomes["whale"].page_rank == 1 and outcomes["low"].page_rank is None


def test_an_unanswerable_question_has_no_right_page(retriever: Retriever) -> None:
    outcome = ask(retriever, TURTLE, NOBODY)["nobody"]
    assert outcome.page_rank is None and not outcome.answerable


def test_an_answer_is_checked_for_what_it_must_say(retriever: Retriever) -> None:
    outcomes = ask(retriever, TURTLE, WHALE, answer=answer_extractively)
    assert outcomes["turtle"].answered_right is not None
    assert outcomes["whale"].answered_right is None
    assert ask(retriever, TURTLE)["turtle"].answered_right is None


class Leaky(Retriever):
    """A retriever whose filters let everything through."""

    def search(self, text: str, *, limit: int, filters: Filters = NO_FILTERS, **shape: Any) -> SearchResponse:
        wide = super().search(text, limit=limit, filters=filters.with_tier(4))
        return wide.model_copy(update={"hardware_tier_filter": filters.hardware_tier})


def test_a_passage_outside_the_filters_is_a_leak(retriever: Retriever) -> None:
    leaky = Leaky(retriever.settings, retriever.store, retriever.embedder, BOOK)
    assert ask(leaky, TURTLE)["turtle"].leaks == 1


def test_questions_of_other_books_are_left_out_and_none_left_is_an_error(retriever: Retriever) -> None:
    other = replace(WHALE, book="other")
    assert set(ask(retriever, TURTLE, other)) == {"turtle"}
    with pytest.raises(UsageError, match="are about other, the index holds test-book"):
        ask(retriever, other)


def test_questions_without_a_book_need_a_choice_among_several(retriever: Retriever) -> None:
    with pytest.raises(UsageError, match="--book"):
        evaluate([TURTLE], [retriever, retriever])


def test_without_quotes_nothing_but_the_question_is_embedded_and_once(retriever: Retriever) -> None:
    embedder = retriever.embedder
    assert isinstance(embedder, FakeEmbedder)
    asked: list[str] = []

    class Counting(FakeEmbedder):
        def embed_query(self, text: str) -> Any:
            asked.append(text)
            return super().embed_query(text)

    counting = Counting(embedder.model, embedder.dimensions)
    outcome = ask(replace(retriever, embedder=counting), TURTLE, quotes=False)["turtle"]
    assert asked == [TURTLE.text] and counting.texts == []
    assert outcome.page_rank == 1 and outcome.quoted_right is None and not outcome.is_quoted


def test_a_section_that_is_on_no_page_of_the_question_is_an_error(retriever: Retriever) -> None:
    with pytest.raises(UsageError, match="turtle: Part 9"):
        ask(retriever, replace(TURTLE, section="Part 9"))


def test_a_section_is_told_by_its_words_whatever_its_markup_and_case(retriever: Retriever) -> None:
    outcome = ask(retriever, replace(TURTLE, section="`part` *1* { #part-1 }"))["turtle"]
    assert outcome.section_rank == 1
