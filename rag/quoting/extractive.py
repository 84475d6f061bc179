"""Answer without a language model: excerpts that answer, quoted and cited, or a refusal that says why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rag.confidence import confidence_of
from rag.filters import Filters
from rag.models import EXTRACTIVE, AgentResponse, Citation, PassagesUsed, QuotedExcerpt, SearchResult, address
from rag.quoting.phrases import (
    NO_MORE,
    NOTHING_INDEXED,
    NOTHING_WITHIN_FILTERS,
    NOTHING_YET,
    OTHER_LANGUAGE,
    REFUSAL,
    phrase,
)
from rag.quoting.places import other_places, place_of
from rag.quoting.quotes import Excerpt, best_excerpts
from rag.quoting.rendering import plain_title
from rag.quoting.search_gate import GatedResult, RetrievalGate
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from rag.models import ConfidenceMetrics, Place, RefusalReason


def answer_extractively(query: str, retriever: Retriever, filters: Filters) -> AgentResponse:
    """Return the best excerpts of the book, each followed by the number of its source."""
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
    excerpts = _excerpts(result, told)
    if metrics.should_answer and told.wants_more and not excerpts:
        metrics = _refusing(metrics, "nothing_more")
    quoted = _quoted(excerpts, result.disclaimer)
    cited = tuple(dict.fromkeys(excerpt.passage.id for excerpt in excerpts))
    ended = time.perf_counter()
    return AgentResponse(
        answer=quoted.answer if excerpts else _refusal(metrics, result),
        citations=quoted.citations,
        query=query,
        model=EXTRACTIVE,
        retrieval_time_ms=(found - started) * 1000,
        generation_time_ms=(ended - found) * 1000,
        total_time_ms=(ended - started) * 1000,
        confidence=confidence_of(metrics.confidence_level) if excerpts else "none",
        state=result.state if excerpts else "no_results",
        metrics=metrics,
        passages=PassagesUsed(
            retrieved=tuple(hit.id for hit in response.results), shown=cited, cited=cited, verified=cited
        ),
        see_also=_see_also(result, excerpts),
        searched_for=response.searched_for,
        hidden=response.hidden,
        retrieval_count=len(response.results),
        excerpts=quoted.excerpts,
    )


def _excerpts(result: GatedResult, told: PastAnswers) -> tuple[Excerpt, ...]:
    if not result.metrics.should_answer or result.spots is None:
        return ()
    excerpts = best_excerpts(result.spots, told=told.text)
    if excerpts or told.wants_more or not told.text:
        return excerpts
    return best_excerpts(result.spots)


_Section = tuple[str, str | None, str | None]
"""A section of a page: its file, its title, its anchor."""


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Excerpts as one text, with their sources and where in the text each stands."""

    answer: str
    citations: tuple[Citation, ...]
    excerpts: tuple[QuotedExcerpt, ...]


def _quoted(excerpts: Sequence[Excerpt], disclaimer: str) -> _Quoted:
    """Put the excerpts one below the other, each with the number of its section.

    Where there are several, a heading stands above each that is of another section than the one before; above a
    single one where it is very short.
    """
    numbers: dict[_Section, int] = {}
    answer, placed = disclaimer, []
    for section, group in groupby(excerpts, key=_section_of):
        number = numbers.setdefault(section, len(numbers) + 1)
        for at, excerpt in enumerate(group):
            answer += f"{excerpt.heading}\n\n" if at == 0 and (len(excerpts) > 1 or excerpt.is_short) else ""
            placed.append(_placed(excerpt, number, len(answer)))
            answer += f"{excerpt.text}\n[{number}]\n\n"
    citations = [
        _cite(number, [each for each in excerpts if _section_of(each) == section])
        for section, number in numbers.items()
    ]
    return _Quoted(answer.removesuffix("\n\n"), tuple(citations), tuple(placed))


def _placed(excerpt: Excerpt, number: int, start: int) -> QuotedExcerpt:
    first, last = excerpt.marked or (None, None)
    return QuotedExcerpt(
        number=number,
        start=start,
        end=start + len(excerpt.text),
        marked_start=None if first is None else start + first,
        marked_end=None if last is None else start + last,
    )


def _section_of(excerpt: Excerpt) -> _Section:
    return excerpt.passage.source_file, excerpt.chosen.section, excerpt.chosen.anchor


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


def _see_also(result: GatedResult, excerpts: Sequence[Excerpt]) -> tuple[Place, ...]:
    """Return other sections on the subject: after the quoted ones, or, under a refusal, the nearest ones."""
    if result.spots is None or result.is_off_subject:
        return ()
    return other_places(result.spots, {_section_of(excerpt)[:2] for excerpt in excerpts})


def _cite(number: int, excerpts: Sequence[Excerpt]) -> Citation:
    """Return a section that is quoted, with the lines of all that is quoted of it."""
    chosen: SearchResult = excerpts[0].passage
    section, anchor = excerpts[0].chosen.section, excerpts[0].chosen.anchor
    blocks = [block for excerpt in excerpts for block in excerpt.blocks]
    return Citation(
        number=number,
        chunk_id=chosen.id,
        page_title=plain_title(chosen.page_title) or "",
        page_url=address(chosen.page_url, anchor) or None,
        chapter_title=chosen.chapter_title,
        module_name=chosen.module,
        section_title=section,
        source_file=chosen.source_file,
        line_start=min(block.line_start for block in blocks),
        line_end=max(block.line_end for block in blocks),
        score=chosen.score,
    )
