"""Ranked lists repeat exactly, whatever order the engine gives to equal scores."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ingestion.vector_stores.ranking import DENSE, SPARSE, ranked_lists
from ingestion.vector_stores.types import Hit, SparseVector

SPARSE_QUERY = SparseVector((1,), (1.0,))


class Engine:
    """Ranks by score alone, equal ones in a random order; notes what it is asked."""

    def __init__(self, scores: list[float], seed: int = 0) -> None:
        self.hits = [Hit(f"{number:04}", score) for number, score in enumerate(scores)]
        self.random = random.Random(seed)
        self.asked: list[tuple[tuple[str, ...], int]] = []

    def ask(self, queries: Mapping[str, Any], most: int) -> list[list[Hit]]:
        self.asked.append((tuple(queries), most))
        return [self._best(most) for _ in queries]

    def _best(self, most: int) -> list[Hit]:
        shuffled = self.random.sample(self.hits, len(self.hits))
        return sorted(shuffled, key=lambda hit: -hit.score)[:most]


@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=40),
    limit=st.integers(1, 12),
    seed=st.integers(0, 9),
)
def test_the_list_is_the_best_by_score_then_id(scores: list[float], limit: int, seed: int) -> None:
    engine = Engine(scores, seed)
    lists = ranked_lists(engine.ask, dense=Any, sparse=SPARSE_QUERY, limit=limit)  # type: ignore[arg-type]
    expected = sorted(engine.hits, key=lambda hit: (-hit.score, hit.id))[:limit]
    assert lists == (expected, expected)


def test_both_lists_come_from_one_request_where_no_tie_crosses_the_end() -> None:
    engine = Engine([number / 100 for number in range(100)])
    ranked_lists(engine.ask, dense=Any, sparse=SPARSE_QUERY, limit=10)  # type: ignore[arg-type]
    assert engine.asked == [((DENSE, SPARSE), 16)]


def test_only_what_is_given_is_asked() -> None:
    engine = Engine([1.0])
    assert ranked_lists(engine.ask, dense=None, sparse=None, limit=5) == ([], [])
    assert ranked_lists(engine.ask, dense=None, sparse=SparseVector((), ()), limit=5) == ([], [])
    assert engine.asked == []
    assert ranked_lists(engine.ask, dense=None, sparse=SPARSE_QUERY, limit=5) == ([], [Hit("0000", 1.0)])


def test_scores_that_differ_only_in_their_last_bits_are_equal() -> None:
    engine = Engine([0.30000004, 0.30000005, 0.30000003])
    dense, _ = ranked_lists(engine.ask, dense=Any, sparse=None, limit=2)  # type: ignore[arg-type]
    assert dense == [Hit("0000", 0.3), Hit("0001", 0.3)]
