"""How far the passages found can be trusted to answer at all.

The way to ask, for every answerer:

    metrics = assess(reader.search(...), policy_of(reader.embedder.model))
    if not metrics.should_answer: refuse, and say metrics.reason
"""

from __future__ import annotations

from rag.models import Confidence, ConfidenceMetrics, SearchResponse
from rag.policies import Policy

MIN_RELEVANCE = 0.3
"""Cosine below which the best passage is no answer (spec 000)."""


def confidence(response: SearchResponse) -> Confidence:
    """High, low or none by the best cosine (spec 000)."""
    best = max((result.score for result in response.results), default=0.0)
    if best >= MIN_RELEVANCE:
        return "high"
    return "low" if best > 0 else "none"


def assess(response: SearchResponse, policy: Policy) -> ConfidenceMetrics:
    """The metrics of spec 004 for what a search found, judged by a policy; the scores are cosines."""
    scores = [result.score for result in response.results]
    enough = confidence(response) == "high"
    average = sum(scores) / len(scores) if scores else 0.0
    return ConfidenceMetrics(
        average_similarity=average,
        min_similarity=min(scores, default=0.0),
        max_similarity=max(scores, default=0.0),
        num_chunks=len(scores),
        chunk_diversity=response.evidence.diversity,
        confidence_level="medium" if enough else "insufficient",
        should_answer=enough,
        reason=None if enough else "nothing_relevant" if response.total_found else "nothing_indexed",
    )
