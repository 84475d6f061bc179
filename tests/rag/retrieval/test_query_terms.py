"""What a question is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.filters import Equals, Range, Where
from ingestion.vector_stores.protocol import VectorStore
from rag.retrieval.query_terms import Question, names_in, question_of
from tests.support.books import BOOK, Library, page

BOOK_ONLY = Where((Equals("book_id", BOOK),))


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    library = Library(tmp_path)
    library.write(
        {
            "m/a.md": page("One", "The turtle of Willow Garage walks over the table."),
            "m/b.md": page("Two", "The whale swims in the sea.", hardware_tier=4),
        }
    )
    library.run()
    opened = library.generations.open_active()
    assert opened is not None
    return opened


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How do I pair the monitor with Apple HomeKit?", ["Apple", "HomeKit"]),
        ("Who won the World Cup in 2022?", ["World", "Cup", "2022"]),
        ("Does it work? Linux inside Windows 10.", ["Windows", "10"]),
        ("How do I connect a PX4 controller over IPv6?", ["PX4", "IPv6"]),
        ("What should I do if I am lost?", []),
        ("ROS 2 or not", ["ROS"]),
    ],
)
def test_names_have_a_capital_inside_a_sentence_or_a_digit(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def read_question(text: str, store: VectorStore, where: Where) -> Question:
    """The question as this index sees it."""
    terms = query_vector(text)
    return question_of(text, terms, store.rarity(terms.indices, where), store.size())


def test_words_that_the_book_lacks_are_not_known(store: VectorStore) -> None:
    assert read_question("turtle", store, BOOK_ONLY).known == 1.0
    assert read_question("zebra", store, BOOK_ONLY).known == 0.0
    everyday, name = (read_question(text, store, BOOK_ONLY).known for text in ("turtle or zebra", "turtle or Zqx9"))
    assert 0.0 < name < 0.5 < everyday < 1.0, "an everyday word may be worded otherwise"
    assert read_question("the of and", store, BOOK_ONLY).known == 1.0


def test_words_behind_a_fence_are_not_known(store: VectorStore) -> None:
    narrow = Where((*BOOK_ONLY.must, Range("hardware_tier", lte=1)))
    assert read_question("whale", store, BOOK_ONLY).known == 1.0
    assert read_question("whale", store, narrow).known == 0.0


def test_what_is_named_is_looked_for_in_the_passages(store: VectorStore) -> None:
    question = read_question("What did people at Willow Garage build?", store, BOOK_ONLY)
    assert question.named_in(query_vector("willow garage").indices) == 1.0
    assert question.named_in(query_vector("a willow tree").indices) == 0.5
    assert read_question("what is named here?", store, BOOK_ONLY).named_in([]) == 1.0


def test_nothing_scores_higher_than_what_can_be_attained(store: VectorStore) -> None:
    question = read_question("turtle walks over the table", store, BOOK_ONLY)
    hits = store.search(dense=None, sparse=question.terms, where=BOOK_ONLY, limit=5)[1]
    assert hits and all(hit.score < question.attainable for hit in hits)
