"""What the contract server does to its collections: each route of Qdrant's interface, over the client's local mode.

Bodies are parsed with the client's generated models, which refuse unknown fields. Where local mode and a server
differ, `tests.support.qdrant_rules` says what the server does; `tests.support.qdrant_replicas` keeps the copies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import TypeAdapter
from qdrant_client import QdrantClient
from qdrant_client import models as rest

from tests.support.qdrant_replicas import Collection, Ordering, Replicas
from tests.support.qdrant_rules import (
    STRICT_BY_DEFAULT,
    Body,
    Refused,
    asked_by,
    check_limits,
    check_points,
    facet_hits,
    index_info,
    read_filters,
    require_indexes,
)

COMPLETED = rest.UpdateResult(operation_id=0, status=rest.UpdateStatus.COMPLETED)


class Collections(Replicas):
    """The collections and their aliases.

    `strict` is what new collections inherit, as on Qdrant Cloud, and `limits` what is added to it; `statuses` are
    those that collections show next, then green; `refused_ids` are points that no write may hold.
    """

    def __init__(self, *, strict: bool = True, nodes: int = 1) -> None:
        super().__init__(nodes)
        self.strict = strict
        self.limits: dict[str, Any] = {}
        self.statuses: list[str] = []
        self.refused_ids: set[str] = set()

    def answer(self, method: str, path: str, body: Body = None, *, node: int = 0, ordering: Ordering = "weak") -> Any:
        """Return the result of a request that reached `node`; raises Refused."""
        request = Request(self, read_filters(body), node, ordering)
        for verb, pattern, handle in ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                self._keep_limits(path, match.groups(), body)
                try:
                    return handle(request, *match.groups())
                except KeyError as error:
                    raise Refused(404, f"Not found: No point with id {error} found") from error
        raise Refused(404, f"no route {method} {path}")

    def _keep_limits(self, path: str, names: tuple[str, ...], body: Body) -> None:
        found = self.collections.get(self.aliases.get(names[0], names[0])) if names else None
        if found and isinstance(body, dict):
            check_limits(found.strict, asked_by(path, body))

    def resolve(self, name: str) -> str:
        """Return the collection that a name or alias stands for; raises Refused where there is none."""
        found = self.aliases.get(name, name)
        if found not in self.collections:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return found


class Request:
    """One request: where it came in, and what it says."""

    def __init__(self, state: Collections, body: Body, node: int, ordering: Ordering) -> None:
        self.state, self.body, self.node, self.ordering = state, body, node, ordering

    def parse(self, model: Any) -> Any:
        """Return the body as one of the client's models."""
        return TypeAdapter(model).validate_python(self.body)

    def read(self, name: str, action: Callable[[QdrantClient, str], Any], *filters: Any) -> Any:
        """Read one copy of a collection, whose strict mode the filters must pass."""
        name = self.state.resolve(name)
        collection = self.state.collections[name]
        require_indexes(collection.strict, collection.indexed, filters, "unindexed_filtering_retrieve")
        return self.state.read(name, self.node, lambda db: action(db, name))

    def write(self, name: str, action: Callable[[QdrantClient, str], Any], *filters: Any) -> Any:
        """Write all copies of a collection, whose strict mode the filters must pass."""
        name = self.state.resolve(name)
        collection = self.state.collections[name]
        require_indexes(collection.strict, collection.indexed, filters, "unindexed_filtering_update")
        return self.state.write(name, self.node, self.ordering, lambda db: action(db, name))


def _create(request: Request, name: str) -> bool:
    state, made = request.state, request.parse(rest.CreateCollection)
    with state.lock:
        if name in state.aliases:
            raise Refused(
                400,
                f"Wrong input: Can't create collection with name {name}. Alias with the same name already exists",
            )
        if name in state.collections:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        strict = made.strict_mode_config or (STRICT_BY_DEFAULT if state.strict else None)
        if state.limits:
            strict = (strict or rest.StrictModeConfig(enabled=True)).model_copy(update=state.limits)
        state.add(name, Collection(made, strict, state.placed(name, made.replication_factor or 1)))
    return True


def _delete_collection(request: Request, name: str) -> bool:
    return request.state.remove(name)


def _update(request: Request, name: str) -> bool:
    made = request.state.collections[request.state.resolve(name)].made
    changes = request.parse(rest.UpdateCollection)
    made.optimizers_config = changes.optimizers_config or made.optimizers_config
    made.metadata = {**(made.metadata or {}), **(changes.metadata or {})} or None
    return True


def _info(request: Request, name: str) -> rest.CollectionInfo:
    state, found = request.state, request.state.resolve(name)
    collection = state.collections[found]
    made = collection.made

    def read(db: QdrantClient) -> rest.CollectionInfo:
        info = db.get_collection(found)
        payloads = [point.payload or {} for point in _all_points(db, found)] if collection.indexed else []
        info.payload_schema = {
            field: index_info(schema, field, payloads) for field, schema in collection.indexed.items()
        }
        return info

    info: rest.CollectionInfo = state.read(found, request.node, read)
    if state.statuses:
        info.status = rest.CollectionStatus(state.statuses.pop(0))
    info.config.params.shard_number = made.shard_number or state.nodes
    info.config.params.replication_factor = made.replication_factor or 1
    info.config.params.write_consistency_factor = made.write_consistency_factor or 1
    info.config.params.on_disk_payload = made.on_disk_payload
    info.config.quantization_config = made.quantization_config
    info.config.metadata = made.metadata
    info.config.strict_mode_config = collection.strict
    if made.optimizers_config:
        info.config.optimizer_config.indexing_threshold = made.optimizers_config.indexing_threshold
    return info


def _all_points(db: QdrantClient, name: str) -> list[rest.Record]:
    return db.scroll(name, limit=10**9, with_payload=True)[0]


def _cluster_of(request: Request, name: str) -> rest.CollectionClusterInfo:
    return request.state.cluster_of(request.state.resolve(name), request.node)


def _exists(request: Request, name: str) -> dict[str, bool]:
    return {"exists": request.state.aliases.get(name, name) in request.state.collections}


def _index(request: Request, name: str) -> rest.UpdateResult:
    wanted = request.parse(rest.CreateFieldIndex)
    schema = request.body["field_schema"]
    collection = request.state.collections[request.state.resolve(name)]
    indexed, strict = collection.indexed, collection.strict
    most = strict.max_payload_index_count if strict and strict.enabled else None
    if most is not None and wanted.field_name not in indexed and len(indexed) >= most:
        raise Refused(400, f"Forbidden: Collection already has the maximum number of payload indices ({most})")
    indexed[wanted.field_name] = {"type": schema} if isinstance(schema, str) else schema
    return COMPLETED


def _drop_index(request: Request, name: str, field: str) -> rest.UpdateResult:
    request.state.collections[request.state.resolve(name)].indexed.pop(field, None)
    return COMPLETED


def _upsert(request: Request, name: str) -> Any:
    check_points(request.body.get("points", []))
    wanted = request.parse(rest.PointInsertOperations)
    if request.state.refused_ids & {str(point["id"]) for point in request.body.get("points", [])}:
        raise Refused(400, "Wrong input: the server does not like it")

    found = request.state.collections[request.state.resolve(name)]
    most = found.strict.max_points_count if found.strict and found.strict.enabled else None

    def upsert(db: QdrantClient, name: str) -> Any:
        if most is not None and db.count(name).count >= most:
            raise Refused(400, f"Max points count limit of {most} reached!")
        return db.upsert(
            name, wanted.points, update_filter=wanted.update_filter, update_mode=wanted.update_mode or None
        )

    return request.write(name, upsert)


def _batch(request: Request, name: str) -> list[Any]:
    operations = request.parse(rest.UpdateOperations).operations
    for operation in request.body["operations"]:
        check_points(operation.get("upsert", {}).get("points", []))

    def apply(db: QdrantClient, name: str) -> list[Any]:
        # One by one: what comes before the first error stays.
        return [db.batch_update_points(name, [operation])[0] for operation in operations]

    filters = [value.get("filter") for operation in request.body["operations"] for value in operation.values()]
    return list(request.write(name, apply, *filters))


def _delete(request: Request, name: str) -> Any:
    selector = request.parse(rest.PointsSelector)
    return request.write(name, lambda db, name: db.delete(name, selector), request.body.get("filter"))


def _overwrite_payload(request: Request, name: str) -> Any:
    wanted = request.parse(rest.SetPayload)
    selected = wanted.points if wanted.points is not None else wanted.filter
    return request.write(
        name, lambda db, name: db.overwrite_payload(name, wanted.payload, selected), request.body.get("filter")
    )


def _set_payload(request: Request, name: str) -> Any:
    wanted = request.parse(rest.SetPayload)
    selected = wanted.points if wanted.points is not None else wanted.filter
    return request.write(
        name, lambda db, name: db.set_payload(name, wanted.payload, selected), request.body.get("filter")
    )


def _retrieve(request: Request, name: str) -> Any:
    wanted = request.parse(rest.PointRequest)
    payload = True if wanted.with_payload is None else wanted.with_payload
    return request.read(
        name,
        lambda db, name: db.retrieve(name, wanted.ids, with_payload=payload, with_vectors=bool(wanted.with_vector)),
    )


def _scroll(request: Request, name: str) -> dict[str, Any]:
    wanted = request.parse(rest.ScrollRequest)
    points, offset = request.read(
        name,
        lambda db, name: db.scroll(
            name,
            scroll_filter=wanted.filter,
            limit=wanted.limit,
            offset=wanted.offset,
            with_payload=wanted.with_payload,
            with_vectors=bool(wanted.with_vector),
        ),
        request.body.get("filter"),
    )
    return {"points": points, "next_page_offset": offset}


def _count(request: Request, name: str) -> Any:
    wanted = request.parse(rest.CountRequest)
    return request.read(name, lambda db, name: db.count(name, wanted.filter), request.body.get("filter"))


def _facet(request: Request, name: str) -> dict[str, Any]:
    wanted = request.parse(rest.FacetRequest)
    schema = request.state.collections[request.state.resolve(name)].indexed.get(wanted.key)

    def facet(db: QdrantClient, name: str) -> list[rest.FacetValueHit]:
        return facet_hits(db.facet(name, wanted.key, wanted.filter, limit=10**6).hits, wanted.key, schema)

    return {"hits": request.read(name, facet, request.body.get("filter"))[: wanted.limit or 10]}


def _query(request: Request, name: str) -> Any:
    searches = request.parse(rest.QueryRequestBatch).searches
    filters = [search.get("filter") for search in request.body["searches"]]
    return request.read(name, lambda db, name: db.query_batch_points(name, searches), *filters)


def _query_one(request: Request, name: str) -> Any:
    search = request.parse(rest.QueryRequest)
    return request.read(name, lambda db, name: db.query_batch_points(name, [search])[0], request.body.get("filter"))


def _switch(request: Request) -> bool:
    state = request.state
    with state.lock:
        for action in request.body["actions"]:
            if create := action.get("create_alias"):
                alias, collection = create["alias_name"], create["collection_name"]
                if alias in state.collections:
                    raise Refused(409, f"Wrong input: Collection `{alias}` already exists!")
                if collection not in state.collections:
                    raise Refused(404, f"Not found: Collection `{collection}` doesn't exist!")
                state.aliases[alias] = collection
            elif delete := action.get("delete_alias"):
                state.aliases.pop(delete["alias_name"], None)
            else:
                rename = action["rename_alias"]
                state.aliases[rename["new_alias_name"]] = state.aliases.pop(rename["old_alias_name"])
    return True


def _aliases(request: Request, pairs: Iterator[tuple[str, str]]) -> dict[str, Any]:
    return {"aliases": [{"alias_name": alias, "collection_name": collection} for alias, collection in sorted(pairs)]}


def _all_aliases(request: Request) -> dict[str, Any]:
    return _aliases(request, iter(request.state.aliases.items()))


def _aliases_of(request: Request, name: str) -> dict[str, Any]:
    # Of an alias there are none: the server looks for aliases of that very name.
    return _aliases(request, ((alias, found) for alias, found in request.state.aliases.items() if found == name))


def _names(request: Request) -> dict[str, Any]:
    return {"collections": [{"name": name} for name in sorted(request.state.collections)]}


NAME = "/collections/([^/]+)"

ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/collections", _names),
    ("GET", "/aliases", _all_aliases),
    ("GET", "/cluster", lambda request: request.state.cluster(request.node)),
    ("POST", "/collections/aliases", _switch),
    ("GET", f"{NAME}/exists", _exists),
    ("GET", f"{NAME}/aliases", _aliases_of),
    ("GET", f"{NAME}/cluster", _cluster_of),
    ("GET", NAME, _info),
    ("PUT", NAME, _create),
    ("PATCH", NAME, _update),
    ("DELETE", NAME, _delete_collection),
    ("PUT", f"{NAME}/index", _index),
    ("DELETE", f"{NAME}/index/([^/]+)", _drop_index),
    ("PUT", f"{NAME}/points", _upsert),
    ("POST", f"{NAME}/points", _retrieve),
    ("POST", f"{NAME}/points/batch", _batch),
    ("POST", f"{NAME}/points/delete", _delete),
    ("PUT", f"{NAME}/points/payload", _overwrite_payload),
    ("POST", f"{NAME}/points/payload", _set_payload),
    ("POST", f"{NAME}/points/scroll", _scroll),
    ("POST", f"{NAME}/points/count", _count),
    ("POST", f"{NAME}/points/query", _query_one),
    ("POST", f"{NAME}/points/query/batch", _query),
    ("POST", f"{NAME}/facet", _facet),
]
