"""Answer without a language model: the passages that answer, quoted and cited, or a refusal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rag.confidence import confidence
from rag.models import AgentResponse, Citation
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
    level = confidence(response)
    quotes = best_quotes(query, response.results, reader.embedder) if level == "high" else []
    citations = _citations(quotes)
    ended = time.perf_counter()
    return AgentResponse(
        answer=_text(quotes, citations) or REFUSAL,
        citations=citations,
        query=query,
        model=MODEL,
        retrieval_time_ms=(found - started) * 1000,
        generation_time_ms=(ended - found) * 1000,
        total_time_ms=(ended - started) * 1000,
        confidence=level,
    )


def _citations(quotes: list[Quote]) -> tuple[Citation, ...]:
    """One citation for each section that is quoted, in the order of the answer."""
    sections = dict.fromkeys((quote.passage, quote.section) for quote in quotes)
    return tuple(
        Citation(
            number=number,
            page_title=passage.page_title,
            page_url=passage.location if passage.page_url else None,
            module_name=passage.module,
            section_title=section,
            source_file=passage.source_file,
            line_start=passage.line_start,
            line_end=passage.line_end,
            score=passage.score,
        )
        for number, (passage, section) in enumerate(sections, 1)
    )


def _text(quotes: list[Quote], citations: tuple[Citation, ...]) -> str:
    numbers = {(each.source_file, each.line_start, each.section_title): each.number for each in citations}
    return "\n\n".join(
        f"{quote.text}\n[{numbers[quote.passage.source_file, quote.passage.line_start, quote.section]}]"
        for quote in quotes
    )
