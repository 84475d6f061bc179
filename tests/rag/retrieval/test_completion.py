"""A word that is only begun is completed by the book's own words."""

from __future__ import annotations

from typing import Any

import pytest

from ingestion.vector_stores.filters import Where
from rag.retrieval import completion

WORDS = {"node": 9, "nodes": 4, "this": 40, "thing": 2, "calibrate": 3, "calibration": 5, "call": 1, "callback": 4}


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("cali", "calibration calibrate"),
        ("how to cal", "how to calibration callback calibrate"),
        ("node", "node"),  # the book has it
        ("call", "call"),
        ("th", "thing"),  # a stop word finds nothing
        ("zzz", "zzz"),
        ("c", "c"),
        ("cal ", "cal "),  # the word is written out
        ("", ""),
    ],
)
def test_the_most_frequent_words_that_begin_so_stand_in_its_place(
    monkeypatch: pytest.MonkeyPatch, typed: str, searched: str
) -> None:
    monkeypatch.setattr(completion, "words_of_book", lambda *_: WORDS)
    store: Any = None
    assert completion.with_completions(typed, store, Where()) == searched
