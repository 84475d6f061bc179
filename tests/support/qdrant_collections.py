"""What the loopback Qdrant server does to its collections: each route of the interface, over the client's local mode.

Bodies are parsed with the client's generated models, which refuse unknown fields; filters on fields without an index
are refused as strict mode does.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter
from qdrant_client import QdrantClient
from qdrant_client import models as rest

Body = Any


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass
class Collections:
    """The data, and what the client's local mode does not keep of it.

    `indexed` are the types of the indexed fields of collections, `made` how collections were made, `statuses` those
    that collections show next, then green.
    """

    indexed: dict[str, dict[str, str]] = field(default_factory=dict)
    made: dict[str, rest.CreateCollection] = field(default_factory=dict)
    statuses: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.db = QdrantClient(":memory:")
        self.lock = threading.RLock()

    def answer(self, method: str, path: str, body: Body) -> Any:
        """The result of a request; raises Refused."""
        for verb, pattern, handle in ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                with self.lock:
                    return handle(self, *match.groups(), body)
        raise Refused(404, f"no route {method} {path}")

    def require_indexes(self, collection: str, filtered: Any) -> None:
        """Strict mode: every filtered field needs a payload index."""
        aliases = {each.alias_name: each.collection_name for each in self.db.get_aliases().aliases}
        known = self.indexed.get(aliases.get(collection, collection), {})
        for key in _keys(filtered):
            if key not in known:
                raise Refused(400, f'Bad request: Index required but not found for "{key}"')


def _keys(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("key"), str):
            yield node["key"]
        for value in node.values():
            yield from _keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from _keys(value)


def _parse(model: Any, body: Body) -> Any:
    return TypeAdapter(model).validate_python(body)


def _create(state: Collections, name: str, body: Body) -> Any:
    wanted = _parse(rest.CreateCollection, body)
    if state.db.collection_exists(name):
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    state.indexed[name] = {}
    state.made[name] = wanted
    return state.db.create_collection(
        name, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors, metadata=wanted.metadata
    )


def _info(state: Collections, name: str, body: Body) -> Any:
    if not state.db.collection_exists(name):
        raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
    info = state.db.get_collection(name)
    info.payload_schema = {
        key: rest.PayloadIndexInfo(data_type=kind, points=0) for key, kind in state.indexed[name].items()
    }
    if state.statuses:
        info.status = rest.CollectionStatus(state.statuses.pop(0))
    if made := state.made.get(name):
        info.config.params.shard_number = made.shard_number or 1
        info.config.params.replication_factor = made.replication_factor or 1
        info.config.params.on_disk_payload = made.on_disk_payload
        info.config.quantization_config = made.quantization_config
        if made.optimizers_config:
            info.config.optimizer_config.indexing_threshold = made.optimizers_config.indexing_threshold
    return info


def _update(state: Collections, name: str, body: Body) -> Any:
    if name not in state.made:
        raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
    state.made[name].optimizers_config = _parse(rest.UpdateCollection, body).optimizers_config
    return True


def _index(state: Collections, name: str, body: Body) -> Any:
    wanted = _parse(rest.CreateFieldIndex, body)
    state.indexed[name][wanted.field_name] = wanted.field_schema.type.value
    return rest.UpdateResult(operation_id=0, status=rest.UpdateStatus.COMPLETED)


def _upsert(state: Collections, name: str, body: Body) -> Any:
    wanted = _parse(rest.PointInsertOperations, body)
    return state.db.upsert(name, wanted.points, update_filter=wanted.update_filter)


def _batch(state: Collections, name: str, body: Body) -> Any:
    return state.db.batch_update_points(name, _parse(rest.UpdateOperations, body).operations)


def _delete(state: Collections, name: str, body: Body) -> Any:
    return state.db.delete(name, _parse(rest.PointsSelector, body))


def _retrieve(state: Collections, name: str, body: Body) -> Any:
    wanted = _parse(rest.PointRequest, body)
    return state.db.retrieve(
        name, wanted.ids, with_payload=wanted.with_payload, with_vectors=bool(wanted.with_vector)
    )


def _scroll(state: Collections, name: str, body: Body) -> Any:
    state.require_indexes(name, body.get("filter"))
    wanted = _parse(rest.ScrollRequest, body)
    points, offset = state.db.scroll(
        name,
        scroll_filter=wanted.filter,
        limit=wanted.limit,
        offset=wanted.offset,
        with_payload=wanted.with_payload,
        with_vectors=bool(wanted.with_vector),
    )
    return {"points": points, "next_page_offset": offset}


def _count(state: Collections, name: str, body: Body) -> Any:
    state.require_indexes(name, body.get("filter"))
    return state.db.count(name, _parse(rest.CountRequest, body).filter)


def _facet(state: Collections, name: str, body: Body) -> Any:
    state.require_indexes(name, [{"key": body["key"]}, body.get("filter")])
    wanted = _parse(rest.FacetRequest, body)
    return state.db.facet(name, wanted.key, wanted.filter, limit=wanted.limit)


def _query(state: Collections, name: str, body: Body) -> Any:
    state.require_indexes(name, [each.get("filter") for each in body["searches"]])
    return state.db.query_batch_points(name, _parse(rest.QueryRequestBatch, body).searches)


def _switch(state: Collections, body: Body) -> Any:
    return state.db.update_collection_aliases(_parse(rest.ChangeAliasesOperation, body).actions)


ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/collections", lambda state, body: state.db.get_collections()),
    ("GET", "/aliases", lambda state, body: state.db.get_aliases()),
    ("POST", "/collections/aliases", _switch),
    ("GET", "/collections/([^/]+)/exists", lambda state, name, body: {"exists": state.db.collection_exists(name)}),
    ("GET", "/collections/([^/]+)", _info),
    ("PUT", "/collections/([^/]+)", _create),
    ("PATCH", "/collections/([^/]+)", _update),
    ("DELETE", "/collections/([^/]+)", lambda state, name, body: state.db.delete_collection(name)),
    ("PUT", "/collections/([^/]+)/index", _index),
    ("PUT", "/collections/([^/]+)/points", _upsert),
    ("POST", "/collections/([^/]+)/points", _retrieve),
    ("POST", "/collections/([^/]+)/points/batch", _batch),
    ("POST", "/collections/([^/]+)/points/delete", _delete),
    ("POST", "/collections/([^/]+)/points/scroll", _scroll),
    ("POST", "/collections/([^/]+)/points/count", _count),
    ("POST", "/collections/([^/]+)/points/query/batch", _query),
    ("POST", "/collections/([^/]+)/facet", _facet),
]
