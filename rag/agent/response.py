"""The whole answer of a language model: its sources numbered, its sentences checked, its cost counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.agent.prompts import REFUSAL, REFUSALS
from rag.agent.search_gate import GatedResult
from rag.agent.tool_loop import ToolLoop
from rag.confidence import confidence_of
from rag.grounding.citations import References
from rag.grounding.support import Support, SupportCheck
from rag.models import AgentResponse, AnswerState, Citation, Confidence, ConfidenceMetrics, PassagesUsed, address

if TYPE_CHECKING:
    from rag.models import SearchResult

CUT_OFF = "the answer reached the limit of AGENT_ANSWER_TOKENS and is cut off"


def is_refusal(text: str) -> bool:
    """Whether this is the model's way to say that the passages do not answer."""
    return text.strip().rstrip(".") in {each.rstrip(".") for each in REFUSALS}


def may_become_refusal(text: str) -> bool:
    """Whether what has come so far may still turn out to be a refusal."""
    return any(each.startswith(text.strip()) for each in REFUSALS)


def best_of(gated: GatedResult, results: Sequence[GatedResult]) -> GatedResult:
    """The finding that the answer rests on: the question's own, or the first that answers where that does not."""
    return next((each for each in (gated, *results) if each.metrics.should_answer), gated)


def generated_answer(
    gated: GatedResult, loop: ToolLoop, references: References, check: SupportCheck, *, told: str, rest: str
) -> AgentResponse:
    """The response of a dialogue that is over, without times; `told` is what the reader has got of `told + rest`."""
    result = best_of(gated, loop.results)
    answered = bool(loop.text.strip()) and loop.failure is None and not is_refusal(loop.text)
    support = check.support(loop.text) if answered else Support()
    cited = references.cited if answered else []
    used = _passages_used(gated, loop, cited, support, references.dropped)
    return AgentResponse(
        answer=_answer(result, answered, told, rest),
        citations=tuple(_cite(number, each, support) for number, each in enumerate(cited, 1)),
        query=loop.question,
        model=loop.model.name,
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=0.0,
        confidence=_confidence(result, answered),
        state=_state(loop, result, answered),
        metrics=_answering(result.metrics) if answered else _not_answered(result),
        searched_for=gated.response.searched_for,
        hidden=gated.response.hidden,
        passages=used,
        supported=not answered or _is_supported(used, support),
        cited_sentences=support.sentences,
        unsupported=support.unsupported,
        tokens_used=loop.tokens,
        retrieval_count=len(used.retrieved),
        error=loop.failure or (CUT_OFF if loop.is_cut_off else None),
    )


def _is_supported(used: PassagesUsed, support: Support) -> bool:
    whole = not support.unsupported and not used.dropped
    return whole and bool(used.cited) and set(used.cited) == set(used.verified)


def _answer(result: GatedResult, answered: bool, told: str, rest: str) -> str:
    if answered:
        return f"{told}{rest}" if told else f"{result.disclaimer}{rest}"
    return f"{told}\n\n{REFUSAL}" if told else REFUSAL


def _state(loop: ToolLoop, result: GatedResult, answered: bool) -> AnswerState:
    if loop.failure:
        return "error"
    if not answered:
        return "no_results"
    is_low = loop.is_cut_off or _answering(result.metrics).confidence_level == "low"
    return "low_confidence" if is_low else "completed"


def _confidence(result: GatedResult, answered: bool) -> Confidence:
    return confidence_of(_answering(result.metrics).confidence_level) if answered else "none"


def _answering(metrics: ConfidenceMetrics) -> ConfidenceMetrics:
    """The metrics of an answer that the model made of passages which seemed not to answer: low confidence."""
    if metrics.should_answer:
        return metrics
    return metrics.model_copy(update={"confidence_level": "low", "should_answer": True, "reason": None})


def _not_answered(result: GatedResult) -> ConfidenceMetrics:
    """The model read the passages and found no answer, whatever the search made hope for."""
    reason = result.metrics.reason or "not_answered"
    return result.metrics.model_copy(update={"reason": reason})


def _passages_used(
    gated: GatedResult, loop: ToolLoop, cited: Sequence[SearchResult], support: Support, dropped: int
) -> PassagesUsed:
    shown = [passage.id for passage in loop.shown]
    found = [result.id for each in (gated, *loop.results) for result in each.response.results]
    return PassagesUsed(
        retrieved=tuple(dict.fromkeys(found)),
        shown=tuple(shown),
        cited=tuple(passage.id for passage in cited),
        verified=tuple(passage.id for passage in cited if passage.id in support.verified),
        dropped=dropped,
    )


def _cite(number: int, passage: SearchResult, support: Support) -> Citation:
    """The section of the passage that holds best what the answer says, and the lines that do; else all of it."""
    blocks = support.verified.get(passage.id, ())
    section, anchor = (blocks[0].section, blocks[0].anchor) if blocks else (passage.section_title, passage.anchor)
    lines = [(each.line_start, each.line_end) for each in blocks if (each.section, each.anchor) == (section, anchor)]
    starts, ends = zip(*(lines or [(passage.line_start, passage.line_end)]), strict=True)
    return Citation(
        number=number,
        chunk_id=passage.id,
        page_title=passage.page_title,
        page_url=address(passage.page_url, anchor) or None,
        module_name=passage.module,
        section_title=section,
        source_file=passage.source_file,
        line_start=min(starts),
        line_end=max(ends),
        score=passage.score,
        verified=bool(blocks),
    )
