"""A text that is sent stays within its tokens and ends before what the client stops at."""

from __future__ import annotations

import pytest

from ingestion.tokens import count_tokens
from rag.agent.history import CHAT_ENCODING
from rag.api.services.text_limits import TextLimit

TEXT = "A node is one program that does one job. Nodes talk to each other over topics."


@pytest.mark.parametrize("size", [1, 7, len(TEXT)])
@pytest.mark.parametrize("stop", ["job", "each other", ".", "never there"])
def test_a_text_ends_before_its_stop(size: int, stop: str) -> None:
    limit = TextLimit(stops=["zebra", stop])
    sent = "".join(limit.take(TEXT[at : at + size]) for at in range(0, len(TEXT), size)) + limit.rest()
    assert sent == limit.text == TEXT.partition(stop)[0]
    assert limit.cut == ("stop" if stop in TEXT else None)


@pytest.mark.parametrize("size", [1, 7, len(TEXT)])
@pytest.mark.parametrize("most", [1, 5, 100])
def test_a_text_has_at_most_so_many_tokens(size: int, most: int) -> None:
    limit = TextLimit(most)
    sent = "".join(limit.take(TEXT[at : at + size]) for at in range(0, len(TEXT), size)) + limit.rest()
    assert TEXT.startswith(sent) and 0 < count_tokens([sent], CHAT_ENCODING)[0] <= most
    assert limit.cut == ("length" if most < 100 else None)
    assert not limit.fits("x" * 1000)
