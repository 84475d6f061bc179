"""What the gate looks at beside the search: the words that a passage ignores, and where a word is defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ingestion.embedding.batching import Limits
from ingestion.embedding.minilm import MiniLm
from ingestion.settings.loader import load_settings
from ingestion.vector_stores.types import SparseVector
from rag.filters import NO_FILTERS
from rag.query_text import MOST_COMPARED
from rag.quoting.search_gate import MAX_PARTS, RetrievalGate
from rag.retrieval.query_terms import MAX_WEIGHED_CHARS
from rag.retrieval.retriever import Retriever
from tests.support.books import BOOK, Library, page

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors

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
    pages["m/belts.md"] = (
        "# Belts\n\nA belt drives the spindle.\n\n## Further reading\n\n"
        "- [How to tighten a slack belt](x.md)\n- [Which belt fits which lathe](y.md)\n"
    )
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


class Counting:
    """Counts the short texts that are embedded, here or, with `limits`, by a service."""

    def __init__(self, limits: Limits = MiniLm.limits) -> None:
        self._embedder = MiniLm()
        self.model, self.dimensions, self.limits = MiniLm.model, MiniLm.dimensions, limits
        self.texts: list[str] = []
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return self._embedder.embed_query(text)


@pytest.mark.parametrize("ending", ["", "."])
@pytest.mark.parametrize("words", ["mutex thread lock", "mutex zqxw{} thraed{}"])
def test_of_a_long_question_a_bounded_part_is_compared_with_the_book(
    retriever: Retriever, words: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{words.format(at, at)} relay spindle{ending}".capitalize() for at in range(200)]
    question = f"{' '.join(texts)[:3_970]} How is a belt tightened?"
    terms: list[int] = []
    find = type(retriever.store).search_with_rarity

    def counted(*given: Any, sparse: SparseVector, **rest: Any) -> Any:
        terms.append(len(sparse.indices))
        return find(*given, sparse=sparse, **rest)

    monkeypatch.setattr(type(retriever.store), "search_with_rarity", counted)
    embedder = Counting()
    judged = gate(replace(retriever, embedder=embedder), reads_words=True)
    assert judged.find_for(question, None).response.query
    assert max(map(len, (*embedder.asked, *embedder.texts))) <= MOST_COMPARED
    assert sum(map(len, embedder.texts)) <= MAX_WEIGHED_CHARS
    assert max(terms) <= MOST_COMPARED // 4
    # The whole, and at most six parts of a story; each once more where its typos were corrected, the best to answer.
    assert len(embedder.asked) <= 2 * (1 + MAX_PARTS + 1)


def test_words_are_embedded_only_as_long_as_they_can_change_the_level(retriever: Retriever) -> None:
    asked = ("How do I set a timeout when locking a mutex?", "How tall is Mount Everest?", "How do I lock the mutex?")
    exact, counted = Counting(), Counting()
    for question in asked:
        judged = gate(replace(retriever, embedder=exact), reads_words=True).find(question)
        found = gate(replace(retriever, embedder=counted)).find(question)
        assert found.metrics.confidence_level == judged.metrics.confidence_level
    assert 0 < len(counted.texts) < len(exact.texts)


def test_a_question_that_is_refused_whatever_is_heeded_costs_no_word(retriever: Retriever) -> None:
    embedder = Counting()
    assert not gate(replace(retriever, embedder=embedder)).find("How tall is Mount Everest?").metrics.should_answer
    assert not embedder.texts


def test_the_words_are_weighed_by_what_the_search_has_read(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "How do I set a timeout when locking a mutex?"
    [passage, *_] = retriever.search(question, limit=3, filters=NO_FILTERS).results
    monkeypatch.setattr(type(retriever.store), "retrieve", None)
    assert 0.0 < retriever.heeded(question, passage, lambda *_: False) < 1.0


def test_a_service_that_embeds_is_never_asked_for_single_words(retriever: Retriever) -> None:
    service = Counting(Limits(inputs=64, tokens=300_000))
    for reads_words in (False, True):
        judged = gate(replace(retriever, embedder=service), reads_words=reads_words)
        assert judged.find("How do I set a timeout when locking a mutex?").response.evidence.heeded == 1.0
    assert not service.texts


def test_the_passage_that_defines_a_word_is_looked_for_beyond_the_first_ones(retriever: Retriever) -> None:
    found = gate(retriever, reads_blocks=True).find("What is a relay?")
    assert found.spots is not None and found.spots.ranked[0].passage.source_file == "m/parts.md"
    assert "A relay is a switch" in found.spots.ranked[0].text
    assert found.spots.ranked[0].passage.id in {each.id for each in found.response.results}


def test_a_section_of_links_alone_is_found_and_never_answers(retriever: Retriever) -> None:
    asked = "How do I tighten a slack belt?"
    assert retriever.search(asked, limit=3).results[0].section_title == "Further reading"
    found = gate(retriever, reads_blocks=True).find(asked)
    assert found.spots is not None
    assert not any(each.is_navigation for each in found.response.results)
    assert not any("tighten" in spot.text for spot in found.spots.ranked)


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
