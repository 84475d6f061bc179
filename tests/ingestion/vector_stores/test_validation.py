"""What a point must be before an engine sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import PointRefused
from ingestion.vector_stores.types import Point, SparseVector
from ingestion.vector_stores.validation import validate_points
from tests.support.vector_points import SCHEMA, make_point, unit_vector

GOOD = [make_point(number) for number in range(3)]


def refusal(bad: Point) -> str:
    """Why the point is refused among good ones."""
    with pytest.raises(PointRefused) as caught:
        validate_points([GOOD[0], bad, GOOD[2]], SCHEMA.dimensions)
    assert str(caught.value).startswith(f"docs/module/00.md, chunk 1 ({bad.id}): ")
    assert caught.value.source_file == "docs/module/00.md"
    return caught.value.reason


def with_dense(values: Any) -> Point:
    return replace(GOOD[1], dense=values)


def with_sparse(indices: tuple[Any, ...], values: tuple[Any, ...]) -> Point:
    return replace(GOOD[1], sparse=SparseVector(indices, values))


def with_payload(**fields: Any) -> Point:
    return replace(GOOD[1], payload=GOOD[1].payload | fields)


def changed(vector: Any, at: int, value: float) -> Any:
    copy = vector.copy()
    copy[at] = value
    return copy


def test_good_points_pass_and_none_are_nothing() -> None:
    validate_points(GOOD, SCHEMA.dimensions)
    validate_points([with_sparse((), ())], SCHEMA.dimensions)
    validate_points([], SCHEMA.dimensions)


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (unit_vector(1, 9), r"float32 (9,), not float32 (8,)"),
        (unit_vector(1)[None], r"float32 (1, 8), not float32 (8,)"),
        (unit_vector(1).astype(np.float64), r"float64 (8,), not float32 (8,)"),
        (unit_vector(1).tolist(), r"list, not float32 (8,)"),
        (unit_vector(1) * np.float32(1.01), "length is 1.01, not 1"),
        (np.zeros(8, np.float32), "length is 0, not 1"),
        (changed(unit_vector(1), 3, np.nan), "length is nan, not 1"),
        (changed(unit_vector(1), 3, np.inf), "length is inf, not 1"),
    ],
)
def test_a_vector_that_is_no_unit_vector_of_the_schema_is_refused(vector: Any, reason: str) -> None:
    assert reason in refusal(with_dense(vector))


@pytest.mark.parametrize(
    ("indices", "values", "reason"),
    [
        ((1, 2), (1.0,), "2 terms have 1 weights"),
        ((1,), (), "1 terms have 0 weights"),
        ((2, 1), (1.0, 1.0), "do not ascend"),
        ((1, 1), (1.0, 1.0), "do not ascend"),
        ((-1, 2), (1.0, 1.0), "32 bits"),
        ((1, 2**32), (1.0, 1.0), "32 bits"),
        ((1, 2.0), (1.0, 1.0), "not an integer"),
        ((True, 2), (1.0, 1.0), "not an integer"),
        ((1, 2), (1.0, float("nan")), "finite"),
        ((1, 2), (float("-inf"), 1.0), "finite"),
        ((1, 2), (1.0, 1e39), "finite"),
    ],
)
def test_terms_that_would_poison_or_distort_the_index_are_refused(
    indices: tuple[Any, ...], values: tuple[Any, ...], reason: str
) -> None:
    assert reason in refusal(with_sparse(indices, values))


@pytest.mark.parametrize("bad", ["", "1", GOOD[1].id.upper(), GOOD[1].id.replace("-", ""), GOOD[1].id + "\n"])
def test_an_id_that_is_no_uuid_is_refused(bad: str) -> None:
    assert "UUID" in refusal(replace(GOOD[1], id=bad))


def test_an_id_twice_in_one_write_is_refused() -> None:
    assert "twice" in refusal(replace(GOOD[1], id=GOOD[0].id))


@pytest.mark.parametrize(
    "value",
    [
        *(2**63, -(2**63) - 1, float("nan"), float("inf"), np.float32(1), "\ud800"),
        *((1, 2), {1, 2}, b"x", [1, [{"a": 1j}]], {"a": {"b": object()}}, {1: "x"}, {"\udfff": 1}),
    ],
)
def test_a_payload_that_is_not_json_is_refused(value: Any) -> None:
    assert "payload field 'extra'" in refusal(with_payload(extra=value))


@pytest.mark.parametrize(
    ("field", "value"),
    [("chapter", "3"), ("chapter", 3.0), ("chapter", True), ("module", 3), ("layers", ["L1", 2]), ("book_id", {})],
)
def test_an_indexed_field_of_another_type_which_no_filter_would_find_is_refused(field: str, value: Any) -> None:
    assert f"payload field {field!r} is {value!r}" in refusal(with_payload(**{field: value}))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(value=json_values)
def test_every_json_value_is_accepted(value: Any) -> None:
    validate_points([with_payload(extra=value)], SCHEMA.dimensions)
