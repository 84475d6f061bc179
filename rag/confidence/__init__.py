"""How far the passages found can be trusted to answer at all.

The way to ask, for every answerer:

    metrics = assess(response, policy_of(retriever.embedder.model, retriever.settings))
    if not metrics.should_answer: refuse, and say metrics.reason
"""

from __future__ import annotations

from rag.confidence.policies import Policy
from rag.models import Confidence, ConfidenceLevel, ConfidenceMetrics, RefusalReason, SearchResponse

FAR_WORSE = 1.25
"""How many times as relevant as the best shown passage a hidden one is, from which an answer is never sure."""

_CONFIDENCE: dict[ConfidenceLevel, Confidence] = {
    "high": "high",
    "medium": "high",
    "low": "low",
    "insufficient": "none",
}


def confidence_of(level: ConfidenceLevel) -> Confidence:
    """Return a level in three steps: high, low or none."""
    return _CONFIDENCE[level]


def assess(response: SearchResponse, policy: Policy) -> ConfidenceMetrics:
    """Return the metrics for what a search found, judged by a policy; the scores are cosines.

    `low` answers with a disclaimer, `insufficient` refuses. `reason` tells apart a book without any chunk, filters
    that leave none, passages about something else, and passages about the subject that do not answer.
    """
    scores = [result.score for result in response.results]
    average = sum(scores) / len(scores) if scores else 0.0
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    level = policy.level(response.evidence, average, len(scores))
    if level in ("high", "medium") and _hides_far_better(response):
        level = "low"
    return ConfidenceMetrics(
        average_similarity=min(highest, max(lowest, average)),
        min_similarity=lowest,
        max_similarity=highest,
        num_chunks=len(scores),
        chunk_diversity=response.evidence.diversity,
        confidence_level=level,
        should_answer=level != "insufficient",
        reason=_reason(response, policy) if level == "insufficient" else None,
    )


def _hides_far_better(response: SearchResponse) -> bool:
    best = max((result.relevance for result in response.results), default=0.0)
    return response.hidden is not None and response.hidden.best_relevance > FAR_WORSE * best


def _reason(response: SearchResponse, policy: Policy) -> RefusalReason:
    if not response.total_found:
        return "nothing_within_filters" if response.is_book_indexed else "nothing_indexed"
    return "nothing_relevant" if policy.is_off_subject(response.evidence) else "not_answered"
