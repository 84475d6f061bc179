"""Ranked lists repeat exactly, whatever order the engine gives to equal scores."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.ranking import DENSE, SPARSE, ListQuery, list_queries, ranked_lists
from ingestion.vector_stores.types import Hit, SparseVector
from tests.support.vector_points import unit_vector

if TYPE_CHECKING:
    from ingestion.models import Vector

SPARSE_QUERY = SparseVector((1,), (1.0,))


class Engine:
    """Ranks by score alone, equal ones in a random order; notes what it is asked."""

    def __init__(self, scores: list[float], seed: int = 0) -> None:
        self.hits = [Hit(f"{number:04}", score) for number, score in enumerate(scores)]
        self.random = random.Random(seed)
        self.asked: list[tuple[tuple[str, int], ...]] = []

    def ask(self, lists: Sequence[ListQuery]) -> list[list[Hit]]:
        self.asked += [tuple((query.name, query.limit) for query in lists)]
        return [self._best(query.limit) for query in lists]

    def _best(self, most: int) -> list[Hit]:
        shuffled = self.random.sample(self.hits, len(self.hits))
        return sorted(shuffled, key=lambda hit: -hit.score)[:most]


def ranked(engine: Engine, dense: Vector | None, sparse: SparseVector | None, limit: int) -> list[list[Hit]]:
    return ranked_lists(engine.ask, list_queries(dense, sparse, Where(), limit))


def test_lists_of_other_lengths_come_from_the_same_request() -> None:
    engine = Engine([number / 100 for number in range(100)])
    queries = [
        *list_queries(unit_vector(1), SPARSE_QUERY, Where(), 10),
        *list_queries(unit_vector(1), None, Where(), 4),
    ]
    assert [len(hits) for hits in ranked_lists(engine.ask, queries)] == [10, 10, 4, 0]
    assert engine.asked == [((DENSE, 16), (SPARSE, 16), (DENSE, 7))]


@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=40),
    limit=st.integers(1, 12),
    seed=st.integers(0, 9),
)
def test_the_list_is_the_best_by_score_then_id(scores: list[float], limit: int, seed: int) -> None:
    engine = Engine(scores, seed)
    lists = ranked(engine, unit_vector(1), SPARSE_QUERY, limit)
    expected = sorted(engine.hits, key=lambda hit: (-hit.score, hit.id))[:limit]
    assert lists == [expected, expected]


def test_both_lists_come_from_one_request_where_no_tie_crosses_the_end() -> None:
    engine = Engine([number / 100 for number in range(100)])
    ranked(engine, unit_vector(1), SPARSE_QUERY, 10)
    assert engine.asked == [((DENSE, 16), (SPARSE, 16))]


def test_only_what_is_given_is_asked() -> None:
    engine = Engine([1.0])
    assert ranked(engine, None, None, 5) == [[], []]
    assert ranked(engine, None, SparseVector((), ()), 5) == [[], []]
    assert engine.asked == []
    assert ranked(engine, None, SPARSE_QUERY, 5) == [[], [Hit("0000", 1.0)]]


def test_scores_that_differ_only_in_their_last_bits_are_equal() -> None:
    engine = Engine([0.30000004, 0.30000005, 0.30000003])
    dense, _ = ranked(engine, unit_vector(1), None, 2)
    assert dense == [Hit("0000", 0.3), Hit("0001", 0.3)]
