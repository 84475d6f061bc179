"""Where a Qdrant server differs from the client's local mode, as a real one of version 1.18.3 answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qdrant_client import models as rest

Body = Any

STRICT_BY_DEFAULT = rest.StrictModeConfig(
    enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False, max_payload_index_count=100
)
"""What Qdrant Cloud gives to a new collection that says nothing of strict mode."""

_VALUE_TYPES: Mapping[str, type] = {"keyword": str, "uuid": str, "integer": int, "bool": bool, "float": float}
_PARAMS: Mapping[str, Sequence[str]] = {
    "keyword": (),
    "integer": ("lookup", "range", "is_principal"),
}
"""Parameters that a server names, as null, where an index was made without them."""


class Refused(Exception):
    """An answer other than 200; `plain` where its body is text and not JSON."""

    def __init__(self, status: int, message: str, *, plain: bool = False) -> None:
        self.status = status
        self.plain = plain
        super().__init__(message)


def read_json(raw: bytes) -> Body:
    """Return a request's body as the server reads it: large integers become floats, NaN and half characters fail."""

    def refuse(constant: str) -> None:
        raise Refused(400, f"Format error in JSON body: expected value, found {constant}")

    def number(digits: str) -> int | float:
        value = int(digits)
        return value if -(2**63) <= value < 2**64 else _as_float(digits)

    try:
        body = json.loads(raw, parse_constant=refuse, parse_int=number)
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Refused(400, "Format error in JSON body: unexpected end of hex escape") from error
    except ValueError as error:
        raise Refused(400, f"Format error in JSON body: {error}") from error
    return body


def _as_float(digits: str) -> float:
    """Return a large integer as the server keeps it: as text, read again as its digits times a power of ten."""
    whole, _, exponent = repr(float(digits)).partition("e")
    before, _, after = whole.partition(".")
    return float(int(before + after)) * 10.0 ** (int(exponent or 0) - len(after))


def read_filters(node: Any) -> Any:
    """Return the body with its filters as the server reads them: a condition twice counts in `must` alone."""
    if isinstance(node, list):
        return [read_filters(item) for item in node]
    if not isinstance(node, dict):
        return node
    read = {key: read_filters(value) for key, value in node.items()}
    must, must_not = read.get("must"), read.get("must_not")
    if isinstance(must, list) and isinstance(must_not, list):
        read["must_not"] = [condition for condition in must_not if condition not in must]
    return read


def check_points(points: Any) -> None:
    """Raise Refused for sparse vectors that the server's validation refuses."""
    if not isinstance(points, list):
        return
    for number, point in enumerate(points):
        vectors = point.get("vector")
        for vector in vectors.values() if isinstance(vectors, dict) else ():
            if isinstance(vector, dict) and (problem := _sparse_problem(vector)):
                raise Refused(422, f"Validation error in JSON body: [points[{number}].vector.?.{problem} [{{}}]]")


def _sparse_problem(vector: Mapping[str, Any]) -> str | None:
    indices, values = vector.get("indices", []), vector.get("values", [])
    if len(set(indices)) < len(indices):
        return "indices: Validation error: must be unique"
    if len(indices) != len(values):
        return "values: Validation error: must be the same length as indices"
    return None


def require_indexes(
    strict: rest.StrictModeConfig | None, indexed: Mapping[str, Mapping[str, Any]], filters: Any, rule: str
) -> None:
    """Raise Refused where strict mode forbids a filter on a field that has no fitting index."""
    if not strict or not strict.enabled or getattr(strict, rule) is not False:
        return
    for key, types in _conditions(list(filters)):
        if key not in indexed or indexed[key]["type"] not in types:
            raise Refused(
                400,
                f'Bad request: Index required but not found for "{key}" of one of the following types: '
                f"[{', '.join(types)}]. Help: Create an index for this key or use a different filter.",
            )


def check_limits(strict: rest.StrictModeConfig | None, asked: Asked) -> None:
    """Raise Refused where strict mode bounds what a request asks for, in the order and words of a server."""
    if not strict or not strict.enabled:
        return
    bounded = [
        (asked.searches, strict.search_max_batchsize, "search batch size"),
        (asked.upserted, strict.upsert_max_batchsize, "upsert limit"),
        *((limit, strict.max_query_limit, "limit") for limit in asked.limits),
        *((value, strict.search_max_oversampling, "oversampling") for value in asked.oversampling),
    ]
    for value, limit, name in bounded:
        if value is not None and limit is not None and value > limit:
            raise Refused(
                400,
                f'Forbidden: Limit exceeded {value} > {limit} for "{name}". '
                f'Help: Reduce the "{name}" parameter to or below {limit}.',
            )
    for found in asked.filters:
        counted, largest = _sizes(found)
        if strict.filter_max_conditions is not None and counted > strict.filter_max_conditions:
            raise Refused(
                400, f"Forbidden: Filter condition limit reached ({counted} > {strict.filter_max_conditions})"
            )
        if strict.condition_max_size is not None and largest > strict.condition_max_size:
            raise Refused(400, f"Forbidden: Condition size limit reached ({largest} > {strict.condition_max_size})")
    if asked.exact and strict.search_allow_exact is False:
        raise Refused(400, "Forbidden: Exact search disabled!. Help: Set exact=false.")


@dataclass
class Asked:
    """What a request asks for, as strict mode counts it."""

    limits: list[int | None] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    oversampling: list[float | None] = field(default_factory=list)
    searches: int | None = None
    upserted: int | None = None
    exact: bool = False


def asked_by(path: str, body: Any) -> Asked:
    """Return what the body of a request to a collection asks for, by the last part of its path."""
    kind, body = path.rpartition("/")[2], body or {}
    searches = (
        body.get("searches", []) if kind == "batch" and "searches" in body else [body] if kind == "query" else []
    )
    params = [search.get("params") or {} for search in searches]
    asked = Asked(
        limits=[search.get("limit") or 10 for search in searches],
        filters=[search["filter"] for search in [*searches, body] if search.get("filter")],
        oversampling=[(each.get("quantization") or {}).get("oversampling") for each in params],
        searches=len(searches) or None,
        exact=any(each.get("exact") for each in params),
    )
    if kind in ("scroll", "facet"):
        asked.limits = [body.get("limit") or 10]
    if kind in ("facet", "count"):
        asked.exact = body.get("exact", kind == "count")
    if (
        kind == "points"
        and isinstance(body.get("points"), list)
        and isinstance(next(iter(body["points"]), None), dict)
    ):
        asked.upserted = len(body["points"])
    return asked


def _sizes(node: Any) -> tuple[int, int]:
    """Return how many conditions a filter has, nested ones too, and the most values that one of them names."""
    if isinstance(node, list):
        sizes = [_sizes(each) for each in node]
        return sum(counted for counted, _ in sizes), max((largest for _, largest in sizes), default=0)
    if not isinstance(node, dict):
        return 0, 0
    if "has_id" in node:
        return 1, len(node["has_id"])
    if "key" in node:
        values = (node.get("match") or {}).get("any") or (node.get("match") or {}).get("except") or []
        return 1, len(values)
    return _sizes([node.get(clause) or [] for clause in ("must", "must_not", "should")])


def _conditions(node: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields that a filter names, each with the types of index that can serve it."""
    if isinstance(node, list):
        for value in node:
            yield from _conditions(value)
    elif isinstance(node, dict):
        if isinstance(node.get("key"), str):
            yield node["key"], _serving(node)
        else:
            for value in node.values():
                yield from _conditions(value)


def _serving(condition: Mapping[str, Any]) -> tuple[str, ...]:
    if "range" in condition:
        return ("integer", "float")
    match = condition.get("match", {})
    values = match.get("any", match.get("except", [match.get("value")]))
    if not values or values[0] is None:
        return tuple(_VALUE_TYPES)
    return {str: ("keyword",), bool: ("bool",)}.get(type(values[0]), ("integer",))


def facet_hits(
    hits: Sequence[rest.FacetValueHit], key: str, schema: Mapping[str, Any] | None
) -> list[rest.FacetValueHit]:
    """Return the hits that an index of this type has; raises Refused without one."""
    if schema is None or schema["type"] not in ("keyword", "integer", "uuid", "bool"):
        raise Refused(
            400,
            f"Wrong input: No appropriate index for faceting: `{key}`. Please create one to facet on this field. "
            "Check https://qdrant.tech/documentation/concepts/indexing/#payload-index to see which payload schemas "
            "support Match conditions",
        )
    return [hit for hit in hits if type(hit.value) is _VALUE_TYPES[schema["type"]]]


def index_info(schema: Mapping[str, Any], field: str, payloads: Sequence[Mapping[str, Any]]) -> rest.PayloadIndexInfo:
    """Return what a collection tells of one of its indexes."""
    kind = schema["type"]
    wanted = _VALUE_TYPES.get(kind, object)

    def holds(value: Any) -> bool:
        return any(map(holds, value)) if isinstance(value, list) else type(value) is wanted

    params = dict.fromkeys(_PARAMS.get(kind, ())) | dict(schema)
    return rest.PayloadIndexInfo.model_construct(
        data_type=rest.PayloadSchemaType(kind),
        params=params,
        points=sum(holds(payload.get(field)) for payload in payloads),
    )
