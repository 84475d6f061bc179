"""Checks every point before an engine sees it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from operator import lt
from typing import Any

from ingestion.errors import PointRefused
from ingestion.vector_stores.filters import PAYLOAD_INDEXES
from ingestion.vector_stores.types import Payload, Point, SparseVector

NORM_TOLERANCE = 1e-3
_FLOAT32_MAX = 3.4028234663852886e38
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def validate_points(points: Sequence[Point], dimensions: int) -> None:
    """Raise PointRefused for the first point that is not exactly what Point promises.

    The embedded engine writes an operation to its log before it looks at it: one bad point may keep the index
    from ever being opened again, and NaN or unsorted terms are stored without a word.
    """
    if not points:
        return
    _check_ids(points)
    _check_dense(points, dimensions)
    for point in points:
        problem = _sparse_problem(point.sparse)
        if problem:
            raise PointRefused(point.id, point.payload, problem)
        validate_payload(point.id, point.payload)


def validate_payload(point_id: str, payload: Payload) -> None:
    """Raise PointRefused unless the payload is JSON, its integers 64-bit, and its indexed fields of their type."""
    if not _UUID.fullmatch(point_id):
        raise PointRefused(point_id, payload, "the id is not a lower-case UUID")
    for name, value in payload.items():
        problem = _json_problem(name) or _json_problem(value) or _index_problem(name, value)
        if problem:
            raise PointRefused(point_id, payload, f"payload field {name!r} {problem}")


def _check_ids(points: Sequence[Point]) -> None:
    seen: set[str] = set()
    for point in points:
        if point.id in seen:
            raise PointRefused(point.id, point.payload, "the id occurs twice in one write")
        seen.add(point.id)


def _check_dense(points: Sequence[Point], dimensions: int) -> None:
    import numpy as np

    for point in points:
        dense = point.dense
        if not isinstance(dense, np.ndarray) or dense.dtype != np.float32 or dense.shape != (dimensions,):
            found = f"{dense.dtype} {dense.shape}" if isinstance(dense, np.ndarray) else type(dense).__name__
            raise PointRefused(point.id, point.payload, f"the vector is {found}, not float32 ({dimensions},)")
    rows = np.stack([point.dense for point in points])
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    # Written so that NaN, which compares as False, counts as bad.
    bad = ~(np.abs(norms - 1) <= NORM_TOLERANCE)
    if bad.any():
        at = int(bad.argmax())
        raise PointRefused(points[at].id, points[at].payload, f"the vector's length is {norms[at]:.4g}, not 1")


def _sparse_problem(sparse: SparseVector) -> str | None:
    indices, values = sparse.indices, sparse.values
    if len(indices) != len(values):
        return f"{len(indices)} terms have {len(values)} weights"
    if not indices:
        return None
    if set(map(type, indices)) != {int}:
        return "a term id is not an integer"
    if not all(map(lt, indices, indices[1:])):
        return "the term ids do not ascend"
    if indices[0] < 0 or indices[-1] >= 2**32:
        return "a term id does not fit 32 bits"
    # One NaN or infinity makes the sum one.
    if not math.isfinite(sum(values)) or max(max(values), -min(values)) > _FLOAT32_MAX:
        return "a term weight is not a finite 32-bit number"
    return None


def _index_problem(name: str, value: Any) -> str | None:
    """Return what is wrong with an indexed field: one of another type would be stored, and then never found."""
    kind = PAYLOAD_INDEXES.get(name)
    if kind is None or value is None:
        return None
    wanted = int if kind == "integer" else str
    values = value if type(value) is list else [value]
    return None if all(type(item) is wanted for item in values) else f"is {value!r}, not of type {wanted.__name__}"


def _json_problem(value: Any) -> str | None:
    check = _JSON_TYPES.get(type(value))
    return check(value) if check else f"holds a {type(value).__name__}, which is not JSON"


def _fine(_: Any) -> None:
    return None


def _text_problem(value: str) -> str | None:
    if value.isascii():
        return None
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        return f"holds a character that is not Unicode text: {exc.object[exc.start]!r}"
    return None


def _integer_problem(value: int) -> str | None:
    return None if -(2**63) <= value < 2**63 else f"holds {value}, more than 64 bits"


def _number_problem(value: float) -> str | None:
    return None if math.isfinite(value) else f"holds {value}"


def _list_problem(values: list[Any]) -> str | None:
    return next(filter(None, map(_json_problem, values)), None)


def _object_problem(value: dict[Any, Any]) -> str | None:
    odd = next((key for key in value if type(key) is not str), None)
    return f"has the key {odd!r}" if odd is not None else _list_problem([*value, *value.values()])


_JSON_TYPES: Mapping[type, Callable[[Any], str | None]] = {
    type(None): _fine,
    bool: _fine,
    str: _text_problem,
    int: _integer_problem,
    float: _number_problem,
    list: _list_problem,
    dict: _object_problem,
}
