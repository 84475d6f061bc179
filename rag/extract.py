"""Answer without a language model: the passages that answer, quoted and cited, or a refusal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rag.confidence import assess, confidence
from rag.models import AgentResponse, Citation, address
from rag.policies import policy_of
from rag.quotes import Quote, best_quotes
from rag.reader import Reader

REFUSAL = "I don't have information about that in the book content."
"""The refusal of specification 001."""

MODEL = "extractive"
"""What an answer names as its model when none was used."""


def answer_extractively(query: str, reader: Reader, filters: Mapping[str, Any]) -> AgentResponse:
    """The best blocks of the best passages, word for word, each followed by the number of its source."""
    started = time.perf_counter()
    response = reader.search(query, limit=reader.settings.agent_top_k, filters=filters)
    found = time.perf_counter()
    metrics = assess(response, policy_of(reader.embedder.model, reader.settings))
    quotes = best_quotes(query, response.results, reader.embedder) if metrics.should_answer else []
    ended = time.perf_counter()
    return AgentResponse(
        answer=_text(quotes) or REFUSAL,
        citations=_citations(quotes),
        query=query,
        model=MODEL,
        retrieval_time_ms=(found - started) * 1000,
        generation_time_ms=(ended - found) * 1000,
        total_time_ms=(ended - started) * 1000,
        confidence=confidence(response) if metrics.should_answer else "low" if response.results else "none",
        metrics=metrics,
    )


def _citations(quotes: list[Quote]) -> tuple[Citation, ...]:
    """One citation for each section that is quoted, in the order of the answer."""
    sections: dict[tuple[str, str | None, str | None], list[Quote]] = {}
    for quote in quotes:
        sections.setdefault(_place(quote), []).append(quote)
    return tuple(_cite(number, quoted) for number, quoted in enumerate(sections.values(), 1))


def _place(quote: Quote) -> tuple[str, str | None, str | None]:
    return quote.passage.source_file, quote.section, quote.anchor


def _cite(number: int, quotes: list[Quote]) -> Citation:
    first = quotes[0]
    return Citation(
        number=number,
        page_title=first.passage.page_title,
        page_url=address(first.passage.page_url, first.anchor) or None,
        module_name=first.passage.module,
        section_title=first.section,
        source_file=first.passage.source_file,
        line_start=min(quote.line_start for quote in quotes),
        line_end=max(quote.line_end for quote in quotes),
        score=max(quote.passage.score for quote in quotes),
    )


def _text(quotes: list[Quote]) -> str:
    numbers = {place: number for number, place in enumerate(dict.fromkeys(map(_place, quotes)), 1)}
    return "\n\n".join(f"{quote.text}\n[{numbers[_place(quote)]}]" for quote in quotes)
