"""How far the passages found can be trusted to answer at all."""

from rag.models import Confidence, SearchResponse

MIN_RELEVANCE = 0.3
"""Cosine below which the best passage is no answer (spec 000)."""


def confidence(response: SearchResponse) -> Confidence:
    """High, low or none by the best cosine (spec 000)."""
    best = max((result.score for result in response.results), default=0.0)
    if best >= MIN_RELEVANCE:
        return "high"
    return "low" if best > 0 else "none"
