"""Requests within their bounds, and as few of them as that allows (case C17)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingestion.embedding.batching import Batcher, Limits


def packed(tokens: list[int], limits: Limits) -> list[list[int]]:
    """The positions of the items, request by request."""
    batcher: Batcher[int] = Batcher(limits)
    requests = [batcher.add(position, count) for position, count in enumerate(tokens)]
    return [request for request in [*requests, batcher.rest()] if request]


@given(st.lists(st.integers(1, 10), max_size=60), st.integers(1, 8), st.integers(10, 40))
def test_every_item_is_in_one_request_in_order_and_no_request_is_over_a_bound(
    tokens: list[int], inputs: int, most: int
) -> None:
    requests = packed(tokens, Limits(inputs=inputs, tokens=most))
    assert [item for request in requests for item in request] == list(range(len(tokens)))
    assert all(len(request) <= inputs and sum(tokens[item] for item in request) <= most for request in requests)


@given(st.lists(st.integers(1, 10), max_size=60), st.integers(1, 8), st.integers(10, 40))
def test_no_request_could_have_held_the_first_item_of_the_next(tokens: list[int], inputs: int, most: int) -> None:
    requests = packed(tokens, Limits(inputs=inputs, tokens=most))
    for request, following in pairwise(requests):
        longer = [*request, following[0]]
        assert len(longer) > inputs or sum(tokens[item] for item in longer) > most


def test_equal_items_take_the_least_number_of_requests() -> None:
    limits = Limits(inputs=2048, tokens=300_000, input_tokens=8191)
    assert len(packed([1100] * 300, limits)) == 2
    assert len(packed([1] * 2100, limits)) == 2


def test_a_text_over_a_bound_is_refused_with_its_size() -> None:
    limits = Limits(inputs=4, tokens=300, input_tokens=100)
    assert limits.refuse(100) is None
    assert "has 101 tokens; the embedding service takes at most 100" in str(limits.refuse(101))
    assert "at most 50" in str(Limits(inputs=4, tokens=50).refuse(51))
    assert Limits(inputs=4).refuse(10**6) is None
