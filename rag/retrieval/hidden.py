"""Passages that fit a question better than those shown, but need a higher hardware tier than the reader chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.models import TIERS
from ingestion.vector_stores.filters import Range, Where
from ingestion.vector_stores.types import Hit, StoredPoint
from rag.models import HiddenPassages, SearchQuery
from rag.retrieval.fusion import fuse
from rag.retrieval.query_terms import Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LOOKED_AT = 5
"""How many hidden passages are looked at: who is told of five knows enough."""

CLEARLY = 1.1
"""How many times as relevant as the best shown passage a hidden one is, to be called better."""


MIN_RELEVANCE = 0.25
"""A hidden passage that is less relevant has nothing to do with the question."""


def hidden_where(query: SearchQuery, within: Where) -> Where | None:
    """Return the filter for what the query's tier hides of what is `within`; None where it hides nothing.

    `within` is all that the asker could choose.
    """
    tier = query.hardware_tier_filter
    highest = next(
        (
            condition.lte
            for condition in within.must
            if isinstance(condition, Range) and condition.field == "hardware_tier"
        ),
        None,
    )
    if tier >= (highest or max(TIERS)):
        return None
    return Where((*within.must, Range("hardware_tier", gte=tier + 1)), within.must_not)


def best_hidden(lists: tuple[Sequence[Hit], Sequence[Hit]], question: Question) -> list[Hit]:
    """Return the best hidden passages that have something to do with the question."""
    mixed = fuse(*lists, attainable=question.attainable)
    return [hit for hit in mixed[:LOOKED_AT] if hit.score > MIN_RELEVANCE]


def hidden_passages(
    hidden: Sequence[Hit], points: Mapping[str, StoredPoint], shown: Sequence[Hit]
) -> HiddenPassages | None:
    """Return how many of the hidden passages are clearly better than those shown, and the tier that they need."""
    least = CLEARLY * max((hit.score for hit in shown), default=0.0)
    better = [hit for hit in hidden if hit.score > least and hit.id in points]
    if not better:
        return None
    needed = max(int(points[hit.id].payload["hardware_tier"]) for hit in better)
    return HiddenPassages(
        count=len(better), filter="hardware_tier", value=str(needed), best_relevance=min(1.0, better[0].score)
    )
