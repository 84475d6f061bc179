"""What a question is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.vector_stores.bm25 import document_vector, query_vector
from ingestion.vector_stores.filters import Equals, Range, Where
from ingestion.vector_stores.protocol import VectorStore
from rag.models import SearchQuery
from rag.retrieval.query_terms import Question, names_in, question_of, stemmers_of, without_each_word
from rag.retrieval.search import search
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
    return question_of(text, store.rarity(terms.indices, where), store.size())


def test_words_that_the_book_lacks_are_not_known(store: VectorStore) -> None:
    assert read_question("turtle", store, BOOK_ONLY).known == 1.0
    assert read_question("zebra", store, BOOK_ONLY).known == 0.0
    everyday, name = (read_question(text, store, BOOK_ONLY).known for text in ("turtle or zebra", "turtle or Zqx9"))
    assert 0.0 < name < 0.5 < everyday < 1.0, "an everyday word may be worded otherwise"
    assert read_question("the of and", store, BOOK_ONLY).known == 1.0


def test_words_outside_the_filters_are_not_known(store: VectorStore) -> None:
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


@pytest.mark.parametrize(
    ("languages", "text", "stemmers"),
    [
        ({"en": 90}, "Wie geht das mit dem Roboter?", ("english",)),
        ({"en": 60, "de": 40}, "Wie geht das mit dem Roboter?", ("german", "english")),
        ({"en": 60, "de": 40}, "How does it work?", ("english", "german")),
        ({"en": 97, "de": 3}, "How does it work?", ("english",)),
        ({"en": 97, "de": 3}, "Wie geht das mit dem Roboter?", ("german", "english")),
        ({"de": 50}, "QoS", ("german",)),
        ({}, "QoS", ("english",)),
        ({"en": 9, "de": 8, "es": 7, "fr": 6}, "QoS", ("english", "german", "spanish")),
    ],
)
def test_a_question_is_read_in_the_languages_of_the_pages(
    languages: dict[str, int], text: str, stemmers: tuple[str, ...]
) -> None:
    assert stemmers_of(languages, text) == stemmers


def test_of_two_readings_the_one_that_fits_best_counts() -> None:
    german, english = (set(query_vector("Häuser", each).indices) for each in ("german", "english"))
    question = question_of("Häuser", dict.fromkeys(german, 3.0), 10, ("german", "english"))
    assert german != english and question.known == 1.0
    assert question.length == question_of("Häuser", dict.fromkeys(german, 3.0), 10, ("german",)).length
    assert question.reached_by(document_vector("das Haus", "german")) > 0.4


def test_nouns_of_a_german_question_are_no_names() -> None:
    assert names_in("Wie baue ich mit dem Paket ROS 2 eine Abhängigkeit?") == ["ROS"]


def test_a_page_is_found_by_another_form_of_its_word_in_its_own_language(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write(
        {
            "m/a.md": page("Bau", "Die Häuser stehen auf dem Berg.", lang="de"),
            "m/b.md": page("Build", "The towers stand on the hill.", lang="en"),
        }
    )
    library.run()
    store = library.generations.open_active()
    assert store is not None

    def best(text: str, **filters: str) -> str:
        query = SearchQuery(text=text, book_id=BOOK, mode="keyword", **filters)
        return search(query, store, library.embedder).results[0].source_file

    assert best("Haus am Berg") == best("Haus", language="de") == "m/a.md"
    assert best("tower") == "m/b.md"


def test_a_pasted_error_names_nothing_by_its_class() -> None:
    assert names_in('It says RuntimeError: form data requires "parts" to be installed') == []
    assert names_in("error[E0382]: borrow of moved value: `s1` in Rust") == ["Rust"]
    assert names_in("When is a RuntimeError raised in Python?") == ["RuntimeError", "Python"]


def test_each_word_is_left_out_once_and_stop_words_never() -> None:
    shorter = without_each_word("How do I set a timeout?")
    assert [rest for rest, _ in shorter] == ["How do I  a timeout?", "How do I set a ?"]
    assert [terms for _, terms in shorter] == [query_vector("set").indices, query_vector("timeout").indices]
    assert without_each_word("pump") == [], "nothing would be left"
    assert without_each_word("¿?") == []


@pytest.mark.parametrize("typo", ["What dose turtle do", "is it form turtle", "teh turtle"])
def test_a_stop_word_with_two_letters_swapped_does_not_count_as_unknown(store: VectorStore, typo: str) -> None:
    assert read_question(typo, store, BOOK_ONLY).known == 1.0
    assert read_question(typo.replace("turtle", "zebra"), store, BOOK_ONLY).known == 0.0
