"""Quotes and the answer made of them, without a language model."""

from __future__ import annotations

from typing import Any

from ingestion.settings.loader import load_settings
from rag.agent.extractive import REFUSAL, answer_extractively
from rag.agent.quotes import MAX_CHARS, best_quotes
from rag.confidence import confidence
from rag.filters import NO_FILTERS
from rag.models import Evidence, SearchResponse, SearchResult
from rag.views import answer_view
from tests.support.fakes import FakeEmbedder

PASSAGE = """\
# Quality of service

## The policies

A policy is a setting of a publisher or a subscriber.

## Late subscribers

To keep the last message for late subscribers:

```python
qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
```

- one
- two
"""


def passage(text: str = PASSAGE, *, score: float = 0.6, rank: int = 1, **changes: Any) -> SearchResult:
    values = {
        "id": str(rank), "rank": rank, "text": text, "score": score, "relevance": 1.0, "source_file": "a.md",
        "page_title": "Quality of service", "page_url": "", "section_title": None, "heading_path": (), "anchor": None,
        "section_titles": ("Quality of service", "The policies", "Late subscribers"),
        "section_anchors": ("quality-of-service", "the-policies", "late-subscribers"),
        "line_start": 5, "line_end": 21, "book_id": "b", "module": "ros2", "chapter": 1, "lesson": rank,
        "hardware_tier": 1, "proficiency_level": "A2", "layer": "L1", "language": "en", "doc_type": "lesson",
        "declared": (), "chunk_index": 0, "total_chunks": 1, "parent_doc_id": None, "prev_chunk_id": None,
        "next_chunk_id": None, "content_hash": None,
    }  # fmt: skip
    if text is not PASSAGE:
        values |= {"section_titles": (), "section_anchors": ()}
    return SearchResult.model_validate(values | changes)


def response(*results: SearchResult) -> SearchResponse:
    best = max((result.score for result in results), default=0.0)
    return SearchResponse(
        query="q",
        results=results,
        total_found=len(results),
        hardware_tier_filter=1,
        module_filter=None,
        book_id="b",
        evidence=Evidence(best=best, gap=best / 4),
    )


class FakeReader:
    """Finds what it is told to."""

    def __init__(self, *results: SearchResult) -> None:
        self.settings = load_settings({}, environ={})
        self.embedder = FakeEmbedder()
        self._found = response(*results)

    def search(self, text: str, *, limit: int, **query: Any) -> SearchResponse:
        return self._found


def answer(*results: SearchResult, question: str = "How do late subscribers get the last message?") -> Any:
    return answer_extractively(question, FakeReader(*results), NO_FILTERS)  # type: ignore[arg-type]


def test_a_quote_is_a_whole_block_and_names_the_heading_above_it() -> None:
    quotes = best_quotes("a policy is a setting of a publisher", [passage()], FakeEmbedder(), limit=9)
    by_text = {quote.text: quote.section for quote in quotes}
    assert by_text["A policy is a setting of a publisher or a subscriber."] == "The policies"


def test_a_sentence_that_ends_in_a_colon_is_quoted_with_what_follows() -> None:
    quotes = best_quotes("late subscribers last message durability", [passage()], FakeEmbedder(), limit=9)
    [code] = [quote for quote in quotes if "TRANSIENT_LOCAL" in quote.text]
    assert code.text.startswith("To keep the last message") and code.text.endswith("```")
    assert (code.section, code.anchor) == ("Late subscribers", "late-subscribers")
    assert PASSAGE.split("\n")[code.line_start - 5 : code.line_end - 4] == code.text.split("\n")


def test_tags_without_text_are_not_quoted() -> None:
    tabs = '<TabItem value="launch" label="Launch file for the robot">\n\n\n</TabItem>\n\n'
    quotes = best_quotes(
        "launch file", [passage(f"{tabs}A launch file starts the nodes of a robot.\n")], FakeEmbedder()
    )
    assert [quote.text for quote in quotes] == ["A launch file starts the nodes of a robot."]


def test_quotes_are_bounded_but_one_is_always_given() -> None:
    long = passage("word " * 2000)
    assert len(best_quotes("word", [long], FakeEmbedder())) == 1
    many = passage("\n\n".join(f"Sentence number {number} about words and more words." * 5 for number in range(20)))
    assert sum(len(quote.text) for quote in best_quotes("words", [many], FakeEmbedder(), limit=20)) <= MAX_CHARS


def test_an_answer_quotes_word_for_word_and_every_number_has_its_source() -> None:
    made = answer(passage(), passage("# Other\n\nLate subscribers are late.", rank=2, source_file="b.md"))
    for block in made.answer.split("\n["):
        quoted = block.split("]\n\n")[-1].strip()
        assert quoted in PASSAGE or quoted in "Late subscribers are late." or quoted.endswith("]")
    assert {citation.number for citation in made.citations} == set(range(1, len(made.citations) + 1))
    assert all(f"[{citation.number}]" in made.answer for citation in made.citations)
    assert {citation.source_file for citation in made.citations} <= {"a.md", "b.md"}
    assert made.model == "extractive" and made.confidence == "high"


def test_a_weak_best_passage_is_refused_without_citations() -> None:
    made = answer(passage(score=0.1))
    assert (made.answer, made.citations, made.confidence) == (REFUSAL, (), "low")


def test_nothing_found_is_refused() -> None:
    assert answer().confidence == "none" and answer().answer == REFUSAL


def test_confidence_follows_the_best_cosine_wherever_it_ranks() -> None:
    assert confidence(response(passage(score=0.2), passage(score=0.5, rank=2))) == "high"


def test_the_shown_answer_says_that_no_model_wrote_it_and_lists_its_sources() -> None:
    shown = "\n".join(str(part) for part in answer_view(answer(passage())))
    assert "no language model was used" in shown and "---\n**Sources:**\n[1] Quality of service" in shown
    assert "(score: 0.60)" in shown and "a.md:" in shown


def test_a_source_with_an_address_is_named_by_it() -> None:
    made = answer(passage(page_url="https://example.org/qos", anchor="quality-of-service"))
    anchors = {"The policies": "the-policies", "Late subscribers": "late-subscribers"}
    assert made.citations
    for citation in made.citations:
        assert citation.page_url == f"https://example.org/qos#{anchors[citation.section_title]}"
