"""How far the passages found can be trusted to answer at all.

The way to ask, for every answerer:

    metrics = assess(response, policy_of(retriever.embedder.model, retriever.settings))
    if not metrics.should_answer: refuse, and say metrics.reason
"""

from __future__ import annotations

from rag.confidence.policies import Policy
from rag.models import Confidence, ConfidenceLevel, ConfidenceMetrics, RefusalReason, SearchResponse

MIN_RELEVANCE = 0.3
"""Cosine from which a passage has to do with the question (spec 000)."""


def confidence(response: SearchResponse) -> Confidence:
    """High, low or none by the best cosine (spec 000)."""
    best = max((result.score for result in response.results), default=0.0)
    if best >= MIN_RELEVANCE:
        return "high"
    return "low" if best > 0 else "none"


def assess(response: SearchResponse, policy: Policy) -> ConfidenceMetrics:
    """The metrics of spec 004 for what a search found, judged by a policy; the scores are cosines.

    `low` answers with a disclaimer, `insufficient` refuses. `reason` tells apart an index or filters without any
    chunk, passages about something else, and passages about the subject that do not answer.
    """
    scores = [result.score for result in response.results]
    average = sum(scores) / len(scores) if scores else 0.0
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    level = policy.level(response.evidence, average, len(scores))
    return ConfidenceMetrics(
        average_similarity=min(highest, max(lowest, average)),
        min_similarity=lowest,
        max_similarity=highest,
        num_chunks=len(scores),
        chunk_diversity=response.evidence.diversity,
        confidence_level=level,
        should_answer=level != "insufficient",
        reason=_reason(response, level),
    )


def _reason(response: SearchResponse, level: ConfidenceLevel) -> RefusalReason | None:
    if level != "insufficient":
        return None
    if not response.total_found:
        return "nothing_indexed"
    return "not_answered" if confidence(response) == "high" else "nothing_relevant"
