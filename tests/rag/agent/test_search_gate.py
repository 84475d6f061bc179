"""What the gate looks at beside the search: the words that a passage ignores, and where a word is defined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from ingestion.embedding.minilm import MiniLm
from ingestion.settings.loader import load_settings
from rag.agent.search_gate import RetrievalGate
from rag.filters import NO_FILTERS
from rag.retrieval.retriever import Retriever
from tests.support.books import BOOK, Library, page

MUTEX = (
    "A mutex allows one thread at a time to reach the data. Lock the mutex, use the data, and the lock is released."
)
USES = "The relay board of unit {} is wired to port {}. Check the relay when the relay board of the unit hums."


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    library = Library(tmp_path_factory.mktemp("book"), embedder=MiniLm())
    pages = {f"m/{number:02}.md": page(f"Unit {number}", USES.format(number, number)) for number in range(8)}
    pages["m/mutex.md"] = page("Shared state", MUTEX)
    pages["m/parts.md"] = page("Parts of the box", "There are fuses. A relay is a switch that a current works.")
    pages["m/news.md"] = page("Release Notes", "How to grease the spindle of the lathe: grease it weekly.")
    library.write(pages)
    library.run()
    store = library.generations.open_active()
    assert store is not None
    with closing(store):
        yield Retriever(load_settings({}, environ={}), store, library.embedder, BOOK)


def gate(retriever: Retriever, **options: bool) -> RetrievalGate:
    return RetrievalGate(retriever, NO_FILTERS, 3, 0.0, **options)


def test_a_passage_that_ignores_a_word_of_the_question_heeds_it_less(retriever: Retriever) -> None:
    answered, beside = (
        gate(retriever).find(question).response.evidence.heeded
        for question in ("How do I lock the mutex?", "How do I set a timeout when locking a mutex?")
    )
    assert beside < answered <= 1.0


def test_where_another_search_answers_no_word_is_embedded(retriever: Retriever) -> None:
    asked = "How do I set a timeout when locking a mutex?"
    judged = gate(retriever, reads_words=True)
    assert judged.find(asked).response.evidence.heeded < 1.0
    assert judged.find(asked, is_answered=True).response.evidence.heeded == 1.0


def test_the_passage_that_defines_a_word_is_looked_for_beyond_the_first_ones(retriever: Retriever) -> None:
    found = gate(retriever, reads_blocks=True).find("What is a relay?")
    assert found.spots is not None and found.spots.ranked[0].passage.source_file == "m/parts.md"
    assert "A relay is a switch" in found.spots.ranked[0].text
    assert found.spots.ranked[0].passage.id in {each.id for each in found.response.results}


def test_another_question_is_answered_from_the_passages_that_were_found(retriever: Retriever) -> None:
    found = gate(retriever, reads_blocks=True).find("Where is the relay board of unit 3 wired to?")
    assert len(found.response.results) <= 3


def test_what_was_refused_can_be_quoted_all_the_same(retriever: Retriever) -> None:
    refused = gate(retriever, reads_blocks=True).find("How tall is Mount Everest?")
    assert not refused.metrics.should_answer
    assert refused.answering().metrics.should_answer and refused.answering().metrics.reason is None


def test_a_greeting_is_refused_without_a_model_and_release_notes_answer_with_low_confidence(
    retriever: Retriever,
) -> None:
    assert not gate(retriever, reads_blocks=True).find("hello there").metrics.should_answer
    noted = gate(retriever, reads_blocks=True).find("How do I grease the spindle of the lathe?")
    assert noted.metrics.confidence_level == "low"


def test_a_contraction_without_its_apostrophe_is_read_as_one(retriever: Retriever) -> None:
    found = gate(retriever, reads_blocks=True).find("Whats a relay?")
    assert found.question == "what's a relay?" and found.spots is not None
    assert "A relay is a switch" in found.spots.ranked[0].text
