"""Pages made to be slow take no longer than others of their size."""

from __future__ import annotations

import pytest

from ingestion.chunking.splitter import split_markdown
from ingestion.markdown.blocks import TooMuchWork

SIZE = 256_000


@pytest.mark.timeout(30)
@pytest.mark.parametrize("unit", ["!", "?", "🇵🇰", "<>", "[", "`", "# a\t", ":::note \n", "import {\n"])
def test_a_page_of_one_construct_is_split_in_linear_time(unit: str) -> None:
    """Runs of `!`, flags and `<>` took minutes when time grew with the square of the size."""
    text = unit * (SIZE // len(unit.encode()))
    pieces = split_markdown(text)
    assert sum(len("".join(piece.text.split())) for piece in pieces) >= len("".join(text.split()))


@pytest.mark.timeout(30)
def test_a_page_of_empty_items_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(TooMuchWork):
        split_markdown("- \n" * (SIZE // 3))
