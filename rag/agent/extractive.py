"""Answer without a language model: the passages that answer, quoted and cited, or a refusal."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ingestion.embedding.protocol import Embedder
from rag.agent.prompts import NO_MORE, REFUSAL
from rag.agent.quotes import best_quotes
from rag.agent.search_gate import GatedResult, RetrievalGate
from rag.filters import Filters
from rag.grounding.passage_blocks import PassageBlock
from rag.models import EXTRACTIVE, AgentResponse, Citation, PassagesUsed, address
from rag.retrieval.retriever import Retriever


def answer_extractively(query: str, retriever: Retriever, filters: Filters) -> AgentResponse:
    """The best blocks of the best passages, word for word, each followed by the number of its source."""
    started = time.perf_counter()
    settings = retriever.settings
    result = RetrievalGate(retriever, filters, settings.agent.top_k, settings.agent.score_threshold).find(query)
    return quote(query, result, retriever.embedder, started=started)


@dataclass(frozen=True, slots=True)
class PastAnswers:
    """What was answered before; it is quoted again only where nothing else is near and no more was asked for."""

    text: str = ""
    wants_more: bool = False


NO_PAST_ANSWERS = PastAnswers()


def quote(
    query: str, result: GatedResult, embedder: Embedder, *, started: float, told: PastAnswers = NO_PAST_ANSWERS
) -> AgentResponse:
    """The answer from what was found; `started` is the moment of `time.perf_counter` at which it was asked."""
    found = time.perf_counter()
    metrics, response = result.metrics, result.response
    quotes = _quotes(result, embedder, told)
    is_all_told = metrics.should_answer and told.wants_more and not quotes
    if is_all_told:
        metrics = metrics.model_copy(update={"reason": "nothing_more"})
    refusal = NO_MORE if is_all_told else REFUSAL
    citations = _citations(quotes)
    cited = tuple(dict.fromkeys(quote.passage.id for quote in quotes))
    ended = time.perf_counter()
    return AgentResponse(
        answer=result.disclaimer + _text(quotes) if quotes else refusal,
        citations=citations,
        query=query,
        model=EXTRACTIVE,
        retrieval_time_ms=(found - started) * 1000,
        generation_time_ms=(ended - found) * 1000,
        total_time_ms=(ended - started) * 1000,
        confidence=result.confidence,
        state=result.state if quotes else "no_results",
        metrics=metrics,
        passages=PassagesUsed(
            retrieved=tuple(result.id for result in response.results), shown=cited, cited=cited, verified=cited
        ),
        retrieval_count=len(response.results),
    )


def _quotes(result: GatedResult, embedder: Embedder, told: PastAnswers) -> list[PassageBlock]:
    if not result.metrics.should_answer:
        return []
    query, passages = result.response.query, result.response.results
    quotes = best_quotes(query, passages, embedder, told=told.text)
    if quotes or told.wants_more or not told.text:
        return quotes
    return best_quotes(query, passages, embedder)


def _citations(quotes: list[PassageBlock]) -> tuple[Citation, ...]:
    """One citation for each section that is quoted, in the order of the answer."""
    sections: dict[tuple[str, str | None, str | None], list[PassageBlock]] = {}
    for quote in quotes:
        sections.setdefault(_place(quote), []).append(quote)
    return tuple(_cite(number, quoted) for number, quoted in enumerate(sections.values(), 1))


def _place(quote: PassageBlock) -> tuple[str, str | None, str | None]:
    return quote.passage.source_file, quote.section, quote.anchor


def _cite(number: int, quotes: list[PassageBlock]) -> Citation:
    first = quotes[0]
    return Citation(
        number=number,
        chunk_id=first.passage.id,
        page_title=first.passage.page_title,
        page_url=address(first.passage.page_url, first.anchor) or None,
        module_name=first.passage.module,
        section_title=first.section,
        source_file=first.passage.source_file,
        line_start=min(quote.line_start for quote in quotes),
        line_end=max(quote.line_end for quote in quotes),
        score=max(quote.passage.score for quote in quotes),
    )


def _text(quotes: list[PassageBlock]) -> str:
    numbers = {place: number for number, place in enumerate(dict.fromkeys(map(_place, quotes)), 1)}
    return "\n\n".join(f"{quote.text}\n[{numbers[_place(quote)]}]" for quote in quotes)
