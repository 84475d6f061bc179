"""Path patterns fit what the regular expressions of their pieces fit, in work that grows with pattern and path."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.settings import path_patterns
from ingestion.settings.path_patterns import MAX_LENGTH, PathPattern, compile_glob, compile_pattern

PIECES = {
    "{module}": r"(?P<module>[^/]+?)",
    "{chapter}": r"(?P<chapter>\d+)",
    "{lesson}": r"(?P<lesson>\d+)",
    "**/": r"(?:.*/)?",
    "**": ".*",
    "*": "[^/]*",
}
GLOB_PIECES = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
TEXTS = ("/", "a", "b", "1", "-", ".", "\n")
PATHS = st.lists(st.sampled_from(("/", "a", "b", "1", "2", "-", "\n")), max_size=10).map("".join)


def regular(parts: list[str], pieces: dict[str, str]) -> re.Pattern[str]:
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts), re.S)


def patterns_of(pieces: dict[str, str]) -> st.SearchStrategy[list[str]]:
    """Pieces in a row, each name once, and no stars in a row that would read as another piece."""
    rows = st.lists(st.sampled_from((*pieces, *TEXTS)), max_size=8)
    return rows.filter(
        lambda row: (
            all(row.count(name) < 2 for name in row if name.startswith("{"))
            and not any(one.endswith("*") and two[:1] in ("*", "/") for one, two in pairwise(row))
            and not "".join(row).endswith(".")
        )
    )


@given(patterns_of(PIECES), PATHS)
def test_a_pattern_names_the_same_parts_as_the_regular_expression_of_its_pieces(row: list[str], path: str) -> None:
    expected = regular(row, PIECES).fullmatch(path)
    assert compile_pattern("".join(row)).match(path) == (expected.groupdict() if expected else None)


@given(patterns_of(GLOB_PIECES), PATHS)
def test_a_pattern_of_hugo_fits_what_the_regular_expression_of_its_pieces_fits(row: list[str], path: str) -> None:
    assert (compile_glob("".join(row)).match(path) is not None) == bool(regular(row, GLOB_PIECES).fullmatch(path))


def tries(pattern: PathPattern, path: str, monkeypatch: pytest.MonkeyPatch) -> int:
    count = 0
    onwards = path_patterns._onwards

    def counted(*step: object) -> object:
        nonlocal count
        count += 1
        return onwards(*step)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(path_patterns, "_onwards", counted)
        assert pattern.match(path) is None
    return count


@pytest.mark.parametrize("piece", ["**a", "*a", "**/a", "**/*", "*a*", "a**"])
@pytest.mark.parametrize("make", [compile_pattern, compile_glob])
def test_a_path_of_twice_the_length_takes_twice_the_tries(
    piece: str, make: Callable[[str], PathPattern], monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = make(piece * 20 + "z")
    counts = [tries(pattern, text * size, monkeypatch) for text in ("a", "a/") for size in (100, 200, 400)]
    assert counts[2] < 2.5 * counts[1] and counts[5] < 2.5 * counts[4], counts
    assert max(counts) < 900 * 4 * 20 * len(piece)


def test_a_pattern_longer_than_any_path_is_refused() -> None:
    with pytest.raises(ValueError, match="characters"):
        compile_pattern("*a" * MAX_LENGTH)
    assert compile_pattern("*a" * (MAX_LENGTH // 2)).match("a" * MAX_LENGTH) == {}
