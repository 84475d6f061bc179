"""Ranked lists that repeat exactly: equal scores are ordered by id, also at the end of the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.types import Hit, SparseVector

if TYPE_CHECKING:
    from ingestion.models import Vector

DENSE = "dense"
SPARSE = "bm25"
"""The names of the two vectors of a point, in both engines."""

SCORE_DIGITS = 6
"""Engines add up in different orders; what differs only in its last bits is equal."""


class Scored(Protocol):
    """One entry of an engine's answer."""

    @property
    def id(self) -> object:
        """A text, or what becomes one."""

    @property
    def score(self) -> float:
        """Larger is better."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """One ranked list to be asked for: the nearest to a vector of this name inside a filter, at most `limit`."""

    name: str
    vector: Vector | SparseVector
    where: Where
    limit: int


Ask = Callable[[Sequence[ListQuery]], Sequence[Sequence[Scored]]]
"""Asks the engine for these lists in one call, each best first; equal ones in any order."""


def list_queries(
    dense: Vector | None, sparse: SparseVector | None, where: Where, limit: int
) -> tuple[ListQuery | None, ListQuery | None]:
    """Return what to ask for each vector; None where a vector is None or empty, whose list is empty too."""
    near = None if dense is None else ListQuery(DENSE, dense, where, limit)
    worded = ListQuery(SPARSE, sparse, where, limit) if sparse is not None and sparse.indices else None
    return near, worded


def ranked_lists(ask: Ask, queries: Sequence[ListQuery | None]) -> list[list[Hit]]:
    """Return the best hits for each query, best first, ties by id; a list is empty where there is no query.

    Where the score at the end of a list goes on beyond what was asked, the engine has chosen among equals in an
    order of its own; then more is asked, until the choice can be made by id. Half as many more from the start cost
    less than a second question, which every third list of BM25 scores would need.
    """
    lists: list[list[Hit]] = [[] for _ in queries]
    open_ = {
        at: replace(query, limit=query.limit + query.limit // 2 + 1) for at, query in enumerate(queries) if query
    }
    while open_:
        for (at, asked), answer in zip(tuple(open_.items()), ask(list(open_.values())), strict=True):
            query = queries[at]
            assert query is not None
            scores = [round(point.score, SCORE_DIGITS) for point in answer]
            if len(scores) < asked.limit or scores[query.limit - 1] != scores[-1]:
                lists[at] = _first(query.limit, answer, scores)
                del open_[at]
            else:
                open_[at] = replace(asked, limit=2 * asked.limit)
    return lists


def _first(limit: int, answer: Sequence[Scored], scores: Sequence[float]) -> list[Hit]:
    """Return the first hits, ties by id; only what may be among them is made a hit, as an id costs more than a
    score.
    """
    least = min(scores[:limit], default=0.0)
    hits = [Hit(str(each.id), score) for each, score in zip(answer, scores, strict=True) if score >= least]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
