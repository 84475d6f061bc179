"""Passages as a search returns them, and the excerpt that is quoted of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingestion.models import DocumentChunk
from rag.models import Evidence, SearchResponse, SearchResult
from rag.quoting.quotes import Excerpt, best_excerpts
from rag.quoting.spots import rank_spots
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
    """A passage as a search returns it."""
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


def passage_of(chunk: DocumentChunk) -> SearchResult:
    """The passage that a search makes of a chunk."""
    payload = {name: value for name, value in chunk.payload().items() if name in SearchResult.model_fields}
    return SearchResult.model_validate({**payload, "id": chunk.id, "rank": 1, "score": 1.0, "relevance": 1.0})


def response(*results: SearchResult) -> SearchResponse:
    """What a search returns with these passages."""
    best = max((result.score for result in results), default=0.0)
    return SearchResponse(
        query="q",
        results=results,
        total_found=len(results),
        hardware_tier_filter=1,
        module_filter=None,
        book_id="b",
        evidence=Evidence(best=best, gap=best / 4, reached=best),
    )


def excerpts(
    question: str, *passages: SearchResult, told: str = "", beside: Sequence[SearchResult] = ()
) -> tuple[Excerpt, ...]:
    """What is quoted."""
    return best_excerpts(rank_spots(question, passages, FakeEmbedder(), beside), told=told)


def excerpt(question: str, *passages: SearchResult, **options: Any) -> Excerpt:
    """The first excerpt, which there must be."""
    return excerpts(question, *passages, **options)[0]
