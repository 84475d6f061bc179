"""Typos are corrected with the book's own words, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.types import StoredPoint
from rag.filters import Filters
from rag.models import HiddenPassages, SearchQuery
from rag.retrieval.search import search
from rag.retrieval.spelling import corrected, edits, suspects, words_of_book
from rag.retrieval.words import is_word
from tests.rag.retrieval.test_search import find
from tests.support.books import BOOK, Library, page

BOOK_WORDS = {
    "iterate": 3,
    "vector": 9,
    "every": 20,
    "element": 4,
    "result": 7,
    "clear": 5,
    "declare": 2,
    "websockets": 1,
}
letters = st.text("abcde", max_size=7)


@pytest.mark.parametrize(
    ("typo", "word"),
    [("itrate", "iterate"), ("vectr", "vector"), ("evry", "every"), ("Reslt", "result"), ("declear", "declare"),
     ("websockts", "websockets")],
)  # fmt: skip
def test_a_typo_becomes_the_nearest_word_of_the_book(typo: str, word: str) -> None:
    assert corrected(f"how to {typo} it", [typo], BOOK_WORDS) == f"how to {word} it"


@pytest.mark.parametrize("word", ["kubernetes", "xvector", "evy3", "ver"])
def test_a_word_that_is_near_none_stays(word: str) -> None:
    assert corrected(f"how to {word} it", [word], BOOK_WORDS) is None


@pytest.mark.parametrize(
    "text", ["useRef", "i8", "`vectr`", "vectr()", "vec-tr/x", "MyVectr", "abc", "évry", "vectr.rs"]
)
def test_names_code_and_short_words_are_no_suspects(text: str) -> None:
    assert suspects(f"what is {text} for", lambda word: word not in ("what", "for")) == []


@given(letters, letters, st.integers(0, 7))
def test_the_distance_is_symmetric_and_bounded(one: str, other: str, most: int) -> None:
    distance = edits(one, other, 99)
    assert distance == edits(other, one, 99) <= max(len(one), len(other))
    assert (distance <= most) == (edits(one, other, most) <= most)


@pytest.mark.parametrize("word", ["revoke", "doubly", "unhappily"])
def test_an_english_word_is_no_typo_though_the_vocabulary_has_only_another_form(word: str) -> None:
    assert is_word(word)


@pytest.mark.parametrize("typo", ["ruls", "vectrs"])
def test_a_plural_that_lacks_a_letter_is_no_word(typo: str) -> None:
    assert not is_word(typo)


def test_two_letters_less_and_another_ending_make_another_word() -> None:
    assert corrected("add a captcha", ["captcha"], {"catch": 9}) is None
    assert corrected("the authentcaton", ["authentcaton"], {"authentication": 9}) == "the authentication"


def test_a_contraction_gets_its_apostrophe_and_a_plural_of_the_book_stays() -> None:
    assert corrected("Whats a vector", ["Whats"], BOOK_WORDS) == "what's a vector"
    assert corrected("the elements", ["elements"], BOOK_WORDS) is None


def test_neighbours_that_were_swapped_are_one_edit() -> None:
    assert edits("recieve", "receive", 2) == 1 and edits("ab", "ba", 1) == 1


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(
        {
            "module-1-ros2/chapter-1-a/01-one.md": page("One", "The subscriber keeps the durability."),
            "module-1-ros2/chapter-1-a/02-two.md": page("Two", "The secret quaternion turns.", hardware_tier=4),
        }
    )
    library.run()
    return library


def test_a_search_tells_what_it_searched_for(library: Library) -> None:
    found = find(library, "how does the subscribr keep durabilty")
    assert found.query == "how does the subscribr keep durabilty"
    assert found.searched_for == "how does the subscriber keep durability"
    assert find(library, "how does the subscriber keep durability").searched_for is None


def test_words_of_lessons_that_the_filters_hide_mend_nothing(library: Library) -> None:
    assert find(library, "how does the quaternoin turn").searched_for is None
    assert find(library, "how does the quaternoin turn", hardware_tier_filter=4).searched_for is not None


def test_a_question_in_another_language_is_not_mended(library: Library) -> None:
    assert find(library, "wie hält der subscribr die durabilty und warum").searched_for is None


def test_better_passages_above_the_tier_are_counted_only_as_far_as_the_asker_may_see(library: Library) -> None:
    store = library.generations.open_active()
    assert store is not None

    def hidden(highest: int, tier: int = 1) -> HiddenPassages | None:
        query = SearchQuery(text="The secret quaternion turns", book_id=BOOK, hardware_tier_filter=tier)
        return search(query, store, library.embedder, scope=Filters(hardware_tier=highest)).hidden

    told = hidden(4)
    assert told is not None and (told.count, told.filter, told.value) == (1, "hardware_tier", "4")
    assert hidden(1) is None and hidden(3) is None and hidden(4, tier=4) is None


class Shelf:
    """A store that counts how often it is read."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.reads = 0

    def size(self) -> int:
        return len(self.texts)

    def scroll(self, where: Where, *, fields: Sequence[str]) -> Iterator[StoredPoint]:
        self.reads += 1
        yield from (StoredPoint(str(at), {"text": text}) for at, text in enumerate(self.texts))


def test_the_words_of_a_book_are_read_once_until_it_grows() -> None:
    shelf = Shelf("The pump runs.", "The valve opens.")
    store: Any = shelf
    assert words_of_book(store, Where())["the"] == words_of_book(store, Where())["the"] == 2
    assert shelf.reads == 1
    shelf.texts.append("The filter rests.")
    assert words_of_book(store, Where())["filter"] == 1
