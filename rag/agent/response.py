"""The whole answer of a language model: its sources numbered, its sentences checked, its cost counted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from rag.agent.tool_loop import NO_ANSWER, ToolLoop
from rag.confidence import confidence_of
from rag.grounding.answer_text import AnswerText
from rag.grounding.citations import Source
from rag.models import AgentResponse, Citation, ConfidenceMetrics, PassagesUsed, address
from rag.quoting.extractive import quote
from rag.quoting.phrases import REFUSAL, REFUSALS
from rag.quoting.search_gate import GatedResult
from rag.quoting.spots import rank_spots
from rag.retrieval.retriever import Retriever

MIN_HELD = 0.25
"""Share of an answer's sentences that the book must hold; below it the book is quoted instead."""


def is_refusal(text: str) -> bool:
    """Return whether this is the model's way to say that the passages do not answer."""
    return text.strip().rstrip(".") in {refusal.rstrip(".") for refusal in REFUSALS}


def may_become_refusal(text: str) -> bool:
    """Return whether what has come so far may still turn out to be a refusal."""
    return any(refusal.startswith(text.strip()) for refusal in REFUSALS)


def is_held(answer: AnswerText) -> bool:
    """Return whether the book holds enough of an answer that it may stand."""
    return answer.held > 0 and answer.held >= MIN_HELD * answer.statements


def best_of(gated: GatedResult, results: Sequence[GatedResult]) -> GatedResult:
    """Return the finding that the answer rests on: the question's own, or the first that answers where that does
    not.
    """
    return next((found for found in (gated, *results) if found.metrics.should_answer), gated)


def generated_answer(
    gated: GatedResult, loop: ToolLoop, answer: AnswerText, retriever: Retriever, *, text: str, told: str
) -> AgentResponse:
    """Return the response of a loop that is over, without times; `told` is what the reader has got of `text`.

    Where nothing or next to nothing that was written is held by the book, the book is quoted in its place.
    """
    result = best_of(gated, loop.results)
    is_failed = loop.failure not in (None, NO_ANSWER)
    says_no = is_refusal(loop.text) or (answer.gaps > 0 and not answer.statements)
    if is_held(answer) and not is_failed:
        return _answered(gated, loop, answer, result, text)
    if not is_failed and not says_no:
        quoted = quote(loop.question, _with_spots(result, retriever), retriever, started=time.perf_counter())
        if quoted.citations:
            return _replacement(gated, loop, quoted)
    return _refused(
        gated, loop, answer, result, _refusal_text(loop, text, told, is_failed=is_failed, says_no=says_no)
    )


def _with_spots(result: GatedResult, retriever: Retriever) -> GatedResult:
    """Return the result with its blocks looked at, as a quotation needs and a language model does not."""
    if result.spots is not None:
        return result
    return replace(result, spots=rank_spots(result.question, result.response.results, retriever.embedder))


def _refusal_text(loop: ToolLoop, text: str, told: str, *, is_failed: bool, says_no: bool) -> str:
    if is_failed and told:
        return f"{told}\n\n{REFUSAL}"
    # A model may refuse in words of its own, and in the reader's language.
    return text if says_no and not is_refusal(loop.text) else REFUSAL


def _answered(
    gated: GatedResult, loop: ToolLoop, answer: AnswerText, result: GatedResult, text: str
) -> AgentResponse:
    used = _passages_used(gated, loop, answer)
    metrics = _answering(result.metrics)
    return AgentResponse(
        answer=text,
        citations=tuple(_cite(number, source) for number, source in enumerate(answer.citations.sources, 1)),
        query=loop.question,
        model=loop.model.name,
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
        confidence=confidence_of(metrics.confidence_level),
        state="low_confidence" if loop.cut_off or metrics.confidence_level == "low" else "completed",
        metrics=metrics,
        searched_for=gated.response.searched_for,
        hidden=gated.response.hidden,
        passages=used,
        supported=not answer.not_held and not used.dropped and set(used.cited) == set(used.verified),
        cited_sentences=answer.statements,
        unsupported=tuple(answer.not_held),
        tokens_used=loop.tokens,
        completion_tokens=loop.completion_tokens,
        retrieval_count=len(used.retrieved),
        error=loop.cut_off,
    )


def _replacement(gated: GatedResult, loop: ToolLoop, quoted: AgentResponse) -> AgentResponse:
    """Return the book's own words in place of what the model made up."""
    shown = tuple(passage.id for passage in loop.shown)
    found = (passage.id for searched in (gated, *loop.results) for passage in searched.response.results)
    used = quoted.passages.model_copy(update={"shown": shown or quoted.passages.shown})
    return quoted.model_copy(
        update={
            "model": loop.model.name,
            "replaced": True,
            "passages": used.model_copy(update={"retrieved": tuple(dict.fromkeys(found))}),
            "tokens_used": loop.tokens,
            "completion_tokens": loop.completion_tokens,
        }
    )


def _refused(gated: GatedResult, loop: ToolLoop, answer: AnswerText, result: GatedResult, text: str) -> AgentResponse:
    """Return the refusal of a model that read the passages and found no answer, however good they looked."""
    metrics = result.metrics.model_copy(update={"reason": result.metrics.reason or "not_answered"})
    used = _passages_used(gated, loop, answer).model_copy(update={"cited": (), "verified": ()})
    return AgentResponse(
        answer=text,
        citations=(),
        query=loop.question,
        model=loop.model.name,
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
        confidence="none",
        state="error" if loop.failure else "no_results",
        metrics=metrics,
        searched_for=gated.response.searched_for,
        hidden=gated.response.hidden,
        passages=used,
        tokens_used=loop.tokens,
        completion_tokens=loop.completion_tokens,
        retrieval_count=len(used.retrieved),
        error=loop.failure,
    )


def _answering(metrics: ConfidenceMetrics) -> ConfidenceMetrics:
    """Return the metrics of an answer that the model made of passages which seemed not to answer: low confidence."""
    if metrics.should_answer:
        return metrics
    return metrics.model_copy(update={"confidence_level": "low", "should_answer": True, "reason": None})


def _passages_used(gated: GatedResult, loop: ToolLoop, answer: AnswerText) -> PassagesUsed:
    found = [result.id for searched in (gated, *loop.results) for result in searched.response.results]
    sources = answer.citations.sources
    return PassagesUsed(
        retrieved=tuple(dict.fromkeys(found)),
        shown=tuple(passage.id for passage in loop.shown),
        cited=tuple(dict.fromkeys(source.passage.id for source in sources)),
        verified=tuple(dict.fromkeys(source.passage.id for source in sources if source.blocks)),
        dropped=answer.dropped,
    )


def _cite(number: int, source: Source) -> Citation:
    """Return a source as the reader sees it: its section, and the lines that hold what the answer says."""
    passage = source.passage
    line_start, line_end = source.lines
    return Citation(
        number=number,
        chunk_id=passage.id,
        page_title=passage.page_title,
        page_url=address(passage.page_url, source.anchor) or None,
        module_name=passage.module,
        section_title=source.section,
        source_file=passage.source_file,
        line_start=line_start,
        line_end=line_end,
        score=passage.score,
        verified=bool(source.blocks),
    )
