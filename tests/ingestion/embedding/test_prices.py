"""What embedding costs: by the embedder's own name of its model, and never guessed."""

from __future__ import annotations

import pytest

from ingestion.embedding.factory import build_embedder
from ingestion.embedding.prices import PRICES, price_of
from ingestion.report import ChunkCounts, IngestReport


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("text-embedding-3-small/1", 0.02),
        ("text-embedding-3-small@512/1", 0.02),
        ("text-embedding-3-large", 0.13),
        ("text-embedding-3-small-of-another-kind/1", None),
        ("", None),
    ],
)
def test_a_price_is_known_by_model_alone_or_not_at_all(model: str, price: float | None) -> None:
    assert price_of(model) == price


def test_every_embedder_of_ours_has_a_price() -> None:
    local = build_embedder("local", model="", dimensions=None, api_key=None, base_url=None, threads=0)
    service = build_embedder(
        "openai", model="text-embedding-3-small", dimensions=256, api_key="any", base_url=None, threads=0
    )
    assert (price_of(local.model), price_of(service.model)) == (0.0, 0.02)


@pytest.mark.parametrize(("price", "cost"), [(0.02, 0.03), (0.0, 0.0), (None, None)])
def test_a_run_costs_its_tokens_at_the_price_of_a_million(price: float | None, cost: float | None) -> None:
    counts = ChunkCounts(tokens=1_500_000)
    assert IngestReport(book_id="a-book", mode="full", root="docs", price=price, chunks=counts).cost == cost


@pytest.mark.parametrize("model", sorted(name for name in PRICES if name.startswith("text-embedding")))
def test_the_table_agrees_with_a_maintained_one(model: str) -> None:
    """That one takes 0.4 s to import, so it checks ours instead of taking its place."""
    genai_prices = pytest.importorskip("genai_prices")
    usage = genai_prices.Usage(input_tokens=1_000_000)
    assert float(genai_prices.calc_price(usage, model, provider_id="openai").total_price) == price_of(model)
