"""Small sites of every generator give what `tests/golden/books.json` holds; `make golden` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.golden_books import BOOKS, expected, render_book

EXPECTED = expected()


@pytest.mark.parametrize("name", BOOKS)
def test_golden_book(name: str, tmp_path: Path) -> None:
    assert json.loads(json.dumps(render_book(name, tmp_path))) == EXPECTED[name]


def test_golden_books_are_those_that_are_written() -> None:
    assert set(EXPECTED) == set(BOOKS)
