"""The whole answer of a language model: its sources numbered, its sentences checked, its cost counted."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from rag.agent.grounded_stream import Written, best_of
from rag.agent.tool_loop import NO_ANSWER, WRONG_CALLS, LoopOutcome
from rag.confidence import confidence_of
from rag.grounding.citations import Source
from rag.models import AgentResponse, Citation, ConfidenceMetrics, PassagesUsed, address
from rag.quoting.extractive import quote
from rag.quoting.phrases import REFUSAL, REFUSALS
from rag.quoting.search_gate import GatedResult
from rag.quoting.spots import rank_spots
from rag.retrieval.retriever import Retriever


def is_refusal(text: str) -> bool:
    """Return whether the model says that the passages do not answer."""
    return text.strip().rstrip(".") in {refusal.rstrip(".") for refusal in REFUSALS}


def generated_answer(gated: GatedResult, written: Written, retriever: Retriever) -> AgentResponse:
    """Return the response to a question that a model answered, without times.

    If the model failed, or the book supports next to nothing of its text, the book is quoted instead.
    """
    loop, answer = written.outcome, written.answer
    result = best_of(gated, loop.results)
    is_refused = loop.failure not in (None, NO_ANSWER, WRONG_CALLS)
    says_no = is_refusal(loop.text) or (answer.gaps > 0 and not answer.statements)
    if answer.may_stand and not loop.failure:
        return _answered(gated, written, result)
    if not is_refused and (loop.failure or not says_no):
        quoted = quote(loop.question, _with_spots(result, retriever), retriever, started=time.perf_counter())
        if quoted.citations:
            return _replacement(gated, loop, quoted)
    return _refused(gated, written, result, _refusal_text(written, is_failed=is_refused, says_no=says_no))


def _with_spots(result: GatedResult, retriever: Retriever) -> GatedResult:
    """Return the result with its blocks ranked, which a quotation needs and a language model does not."""
    if result.spots is not None:
        return result
    return replace(result, spots=rank_spots(result.question, result.response.results, retriever.embedder))


def _refusal_text(written: Written, *, is_failed: bool, says_no: bool) -> str:
    if is_failed and written.sent:
        return f"{written.sent}\n\n{REFUSAL}"
    # A model may refuse in its own words, and in the reader's language.
    return written.text if says_no and not is_refusal(written.outcome.text) else REFUSAL


def _answered(gated: GatedResult, written: Written, result: GatedResult) -> AgentResponse:
    loop, answer = written.outcome, written.answer
    used = _passages_used(gated, written)
    metrics = _answering(result.metrics, is_held=bool(answer.held or answer.unchecked))
    return _response(
        gated,
        loop,
        used,
        answer=written.text,
        citations=tuple(_cite(number, source) for number, source in enumerate(answer.sources, 1)),
        confidence=confidence_of(metrics.confidence_level),
        state="low_confidence" if loop.cut_off or metrics.confidence_level == "low" else "completed",
        metrics=metrics,
        supported=not answer.not_held and not used.dropped and set(used.cited) == set(used.verified),
        cited_sentences=answer.statements,
        unsupported=None if answer.unchecked and not answer.statements else answer.not_held,
        contradicted=answer.contradicted,
        error=loop.cut_off,
    )


def _response(gated: GatedResult, loop: LoopOutcome, used: PassagesUsed, **fields: Any) -> AgentResponse:
    """Return a response with the fields that all answers of a model have."""
    return AgentResponse(
        query=loop.question,
        model=loop.model,
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
        searched_for=gated.response.searched_for,
        hidden=gated.response.hidden,
        passages=used,
        tokens_used=loop.tokens,
        completion_tokens=loop.completion_tokens,
        retrieval_count=len(used.retrieved),
        **fields,
    )


def _replacement(gated: GatedResult, loop: LoopOutcome, quoted: AgentResponse) -> AgentResponse:
    """Return a quote from the book instead of the model's unsupported text."""
    shown = tuple(passage.id for passage in loop.shown)
    found = (passage.id for searched in (gated, *loop.results) for passage in searched.response.results)
    used = quoted.passages.model_copy(update={"shown": shown or quoted.passages.shown})
    return quoted.model_copy(
        update={
            "model": loop.model,
            "replaced": True,
            "error": loop.failure if loop.failure == WRONG_CALLS else None,
            "passages": used.model_copy(update={"retrieved": tuple(dict.fromkeys(found))}),
            "tokens_used": loop.tokens,
            "completion_tokens": loop.completion_tokens,
        }
    )


def _refused(gated: GatedResult, written: Written, result: GatedResult, text: str) -> AgentResponse:
    """Return the refusal of a model that read the passages and found no answer, however good they looked."""
    metrics = result.metrics.model_copy(update={"reason": result.metrics.reason or "not_answered"})
    loop = written.outcome
    used = _passages_used(gated, written).model_copy(update={"cited": (), "verified": ()})
    state = "error" if loop.failure else "no_results"
    fields = {"answer": text, "citations": (), "confidence": "none", "state": state}
    return _response(gated, loop, used, **fields, metrics=metrics, error=loop.failure)


def _answering(metrics: ConfidenceMetrics, *, is_held: bool) -> ConfidenceMetrics:
    """Return a model's metrics: low confidence if the passages seemed not to answer or support nothing of it."""
    if metrics.should_answer and is_held:
        return metrics
    return metrics.model_copy(update={"confidence_level": "low", "should_answer": True, "reason": None})


def _passages_used(gated: GatedResult, written: Written) -> PassagesUsed:
    loop, sources = written.outcome, written.answer.sources
    found = [result.id for searched in (gated, *loop.results) for result in searched.response.results]
    return PassagesUsed(
        retrieved=tuple(dict.fromkeys(found)),
        shown=tuple(passage.id for passage in loop.shown),
        cited=tuple(dict.fromkeys(source.passage.id for source in sources)),
        verified=tuple(dict.fromkeys(source.passage.id for source in sources if source.blocks)),
        dropped=written.answer.dropped,
    )


def _cite(number: int, source: Source) -> Citation:
    """Return a source as the reader sees it: its section, and the lines that support the answer."""
    passage = source.passage
    line_start, line_end = source.lines
    return Citation(
        number=number,
        chunk_id=passage.id,
        page_title=passage.page_title,
        page_url=address(passage.page_url, source.anchor) or None,
        chapter_title=passage.chapter_title,
        module_name=passage.module,
        section_title=source.section,
        source_file=passage.source_file,
        line_start=line_start,
        line_end=line_end,
        score=passage.score,
        verified=bool(source.blocks),
    )
