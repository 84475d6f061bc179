"""Passages that fit a question better than those shown, but need a higher hardware tier than the reader chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.models import TIERS
from ingestion.vector_stores.filters import Range, Where
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Hit
from rag.models import HiddenPassages, SearchQuery
from rag.retrieval.fusion import fuse
from rag.retrieval.query_terms import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingestion.models import Vector

LOOKED_AT = 5
"""How many hidden passages are looked at: who is told of five knows enough."""

CLEARLY = 1.1
"""How many times as relevant as the best shown passage a hidden one is, to be called better."""


MIN_RELEVANCE = 0.25
"""A hidden passage that is less relevant has nothing to do with the question."""


def hidden_passages(
    query: SearchQuery, store: VectorStore, vector: Vector, question: Question, shown: Sequence[Hit], within: Where
) -> HiddenPassages | None:
    """Return how many better passages the query's tier hides of those `within`, which the asker could choose."""
    tier = query.hardware_tier_filter
    highest = next(
        (each.lte for each in within.must if isinstance(each, Range) and each.field == "hardware_tier"), None
    )
    if tier >= (highest or max(TIERS)):
        return None
    dense, keyword = store.search(
        dense=vector if query.mode != "keyword" else None,
        sparse=question.terms if query.mode != "dense" else None,
        where=Where((*within.must, Range("hardware_tier", gte=tier + 1))),
        limit=LOOKED_AT,
    )
    mixed = fuse(dense, keyword, attainable=question.attainable)
    least = max(MIN_RELEVANCE, CLEARLY * max((hit.score for hit in shown), default=0.0))
    better = [hit for hit in mixed[:LOOKED_AT] if hit.score > least]
    points = store.retrieve([hit.id for hit in better]) if better else {}
    if not points:
        return None
    needed = max(int(point.payload["hardware_tier"]) for point in points.values())
    return HiddenPassages(
        count=len(points), filter="hardware_tier", value=str(needed), best_relevance=min(1.0, better[0].score)
    )
