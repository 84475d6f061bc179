"""A run that would spend more than it may does nothing (exit 11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import BudgetExceeded, ConfigurationError
from ingestion.sync.guards import refuse_spending
from tests.support.books import Library, long_text, page

PAGES = {f"{number}.md": page(f"Page {number}", long_text(word)) for number, word in enumerate(("alpha", "beta"))}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    return library


def tokens_of(library: Library) -> int:
    return library.run(dry_run=True).chunks.tokens


def test_a_run_over_its_tokens_embeds_and_writes_nothing(library: Library) -> None:
    tokens = tokens_of(library)
    library.flags["embedding.max_tokens"] = tokens - 1
    with pytest.raises(BudgetExceeded, match=f"would embed {tokens} tokens, the budget is {tokens - 1}"):
        library.run()
    assert library.embedder.calls == 0 and library.contents() == {}
    library.flags["embedding.max_tokens"] = tokens
    assert library.run().chunks.tokens == tokens


def test_a_run_over_its_money_embeds_and_writes_nothing(library: Library) -> None:
    cost = tokens_of(library) * 100 / 1_000_000
    library.flags |= {"embedding.price": 100.0, "embedding.max_cost": cost * 0.9}
    with pytest.raises(BudgetExceeded, match=f"for \\${cost:.4f}"):
        library.run()
    assert library.embedder.calls == 0
    library.flags["embedding.max_cost"] = cost * 1.1
    assert library.run().cost == pytest.approx(cost)


def test_only_what_is_new_counts(library: Library) -> None:
    library.run()
    library.write(PAGES | {"3.md": page("Page 3", long_text("gamma"))})
    tokens = tokens_of(library)
    library.flags["embedding.max_tokens"] = tokens
    assert library.run().chunks.tokens == tokens


def test_the_estimate_leaves_no_trace_in_the_report(library: Library) -> None:
    (library.docs / "bad.md").write_bytes(b"\xff")
    library.flags["embedding.max_tokens"] = 10**6
    report = library.run()
    assert [failure.path for failure in report.failures] == ["bad.md"]
    assert report.chunks.written == report.chunks.embedded == len(library.contents())


def test_money_without_a_price_is_a_configuration_error(library: Library) -> None:
    library.flags["embedding.max_cost"] = 1.0
    with pytest.raises(ConfigurationError, match=r"embedding\.price"):
        library.run()
    assert library.embedder.calls == 0


def test_nothing_to_embed_is_within_every_budget() -> None:
    refuse_spending(0, None, max_tokens=0, max_cost=0.0)
