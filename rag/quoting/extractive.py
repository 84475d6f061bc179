"""Answer without a language model: one excerpt that answers, quoted and cited, or a refusal that says why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.confidence import confidence_of
from rag.filters import Filters
from rag.models import EXTRACTIVE, AgentResponse, Citation, PassagesUsed, SearchResult, address
from rag.quoting.phrases import (
    NO_MORE,
    NOTHING_INDEXED,
    NOTHING_WITHIN_FILTERS,
    NOTHING_YET,
    OTHER_LANGUAGE,
    REFUSAL,
    phrase,
)
from rag.quoting.quotes import Excerpt, best_excerpt, other_places, place_of
from rag.quoting.rendering import plain_title
from rag.quoting.search_gate import GatedResult, RetrievalGate
from rag.quoting.spots import Nearness, stemmer_of_passages
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from rag.models import ConfidenceMetrics, Place, RefusalReason


def answer_extractively(query: str, retriever: Retriever, filters: Filters) -> AgentResponse:
    """Return the best excerpt of the best passage, followed by the number of its source."""
    started = time.perf_counter()
    agent = retriever.settings.agent
    gate = RetrievalGate(retriever, filters, agent.top_k, agent.score_threshold, reads_blocks=True)
    return quote(query, gate.find_for(query, None), retriever, started=started)


@dataclass(frozen=True, slots=True)
class PastAnswers:
    """What was answered before; it is quoted again only where nothing else is near and no more was asked for."""

    text: str = ""
    wants_more: bool = False


NO_PAST_ANSWERS = PastAnswers()


def quote(
    query: str, result: GatedResult, retriever: Retriever, *, started: float, told: PastAnswers = NO_PAST_ANSWERS
) -> AgentResponse:
    """Return the answer from what was found; `started` is the moment of `time.perf_counter` at which it was asked."""
    found = time.perf_counter()
    metrics, response = result.metrics, result.response
    excerpt = _excerpt(result, retriever, told)
    if metrics.should_answer and told.wants_more and not excerpt:
        metrics = _refusing(metrics, "nothing_more")
    cited = (excerpt.passage.id,) if excerpt else ()
    ended = time.perf_counter()
    return AgentResponse(
        answer=f"{result.disclaimer}{excerpt.text}\n[1]" if excerpt else _refusal(metrics, result),
        citations=(_cite(excerpt),) if excerpt else (),
        query=query,
        model=EXTRACTIVE,
        retrieval_time_ms=(found - started) * 1000,
        generation_time_ms=(ended - found) * 1000,
        total_time_ms=(ended - started) * 1000,
        confidence=confidence_of(metrics.confidence_level) if excerpt else "none",
        state=result.state if excerpt else "no_results",
        metrics=metrics,
        passages=PassagesUsed(
            retrieved=tuple(hit.id for hit in response.results), shown=cited, cited=cited, verified=cited
        ),
        see_also=_see_also(result, excerpt),
        searched_for=response.searched_for,
        hidden=response.hidden,
        retrieval_count=len(response.results),
    )


def _excerpt(result: GatedResult, retriever: Retriever, told: PastAnswers) -> Excerpt | None:
    if not result.metrics.should_answer or result.spots is None:
        return None
    question = Nearness(result.question, retriever.embedder, stemmer_of_passages(result.response.results))
    excerpt = best_excerpt(question, result.spots, retriever.following, told=told.text)
    if excerpt or told.wants_more or not told.text:
        return excerpt
    return best_excerpt(question, result.spots, retriever.following)


_REFUSALS: dict[RefusalReason | None, str] = {
    "nothing_more": NO_MORE,
    "nothing_indexed": NOTHING_INDEXED,
    "nothing_within_filters": NOTHING_WITHIN_FILTERS,
    "other_language": OTHER_LANGUAGE,
}
"""The sentences of the reasons that have their own."""


def _refusing(metrics: ConfidenceMetrics, reason: str) -> ConfidenceMetrics:
    changes = {"reason": reason, "confidence_level": "insufficient", "should_answer": False}
    return metrics.model_copy(update=changes)


def _refusal(metrics: ConfidenceMetrics, result: GatedResult) -> str:
    if metrics.reason == "says_nothing_yet" and result.spots:
        place = place_of(result.spots.ranked[0], result.spots)
        return phrase(NOTHING_YET, result.question).format(place.section_title or place.page_title)
    return phrase(_REFUSALS.get(metrics.reason, REFUSAL), result.question)


def _see_also(result: GatedResult, excerpt: Excerpt | None) -> tuple[Place, ...]:
    """Other sections on the subject: after the quoted one, or, under a refusal, the nearest ones."""
    if result.spots is None or result.is_off_subject:
        return ()
    if excerpt is None:
        return other_places(result.spots, None, None)
    return other_places(result.spots, excerpt.passage, excerpt.chosen.section)


def _cite(excerpt: Excerpt) -> Citation:
    """Return the section of the block that was chosen, with the lines of all that is quoted of it."""
    chosen: SearchResult = excerpt.passage
    section = excerpt.chosen.section, excerpt.chosen.anchor
    own = [block for block in excerpt.blocks if (block.section, block.anchor) == section]
    return Citation(
        number=1,
        chunk_id=chosen.id,
        page_title=plain_title(chosen.page_title) or "",
        page_url=address(chosen.page_url, excerpt.chosen.anchor) or None,
        module_name=chosen.module,
        section_title=excerpt.chosen.section,
        source_file=chosen.source_file,
        line_start=min(block.line_start for block in own),
        line_end=max(block.line_end for block in own),
        score=chosen.score,
    )
