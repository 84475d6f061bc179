"""The generations of a collection on a server: `<name>__<generation>` each, and the alias `<name>` readers use.

The alias `<name>__former` keeps the former generation for a rollback; both move in one call. What no alias names
and bookwise made is a left-over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import VectorStoreError
from ingestion.vector_stores import PAYLOAD_INDEXES, REBUILD, IndexType, Schema, VectorStore
from ingestion.vector_stores.generation_names import PATTERN, new_generation
from ingestion.vector_stores.ranking import DENSE, SPARSE
from ingestion.vector_stores.server import ServerStore
from ingestion.vector_stores.server_calls import Server
from ingestion.vector_stores.server_lease import writer_lease
from ingestion.vector_stores.server_states import ServerStates

METADATA = "bookwise"
"""The key of our schema in a collection's metadata; a collection without it is not ours."""

# Only the tenant gets graph links of its own: with links for every field a load takes ten times as long.
_INDEX_PARAMS: dict[IndexType, rest.KeywordIndexParams | rest.IntegerIndexParams] = {
    "tenant": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=True),
    "keyword": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, enable_hnsw=False),
    "integer": rest.IntegerIndexParams(
        type=rest.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    ),
}


class ServerGenerations:
    """Generations of the collection `name`."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        self._former_alias = f"{name}__former"

    def writer(self, wait: float) -> AbstractContextManager[Callable[[], None]]:
        """See Generations."""
        return writer_lease(self._server, self._name, wait=wait)

    def states(self) -> ServerStates:
        """See Generations."""
        return ServerStates(self._server, self._name)

    def active_schema(self) -> Schema | None:
        """See Generations."""
        active = self._aliases().get(self._name)
        return self._schema(active) if active else None

    def known_count(self, book_id: str) -> int | None:
        """See Generations; a server is always asked."""
        return None

    def open_active(self) -> ServerStore | None:
        """See Generations; a server may be used by many, IndexInUse is never raised."""
        active = self._aliases().get(self._name)
        if active is None:
            return None
        info = self._info(active)
        store = ServerStore(self._server, self._name, self._schema_of(active, info))
        self._complete_indexes(active, info.payload_schema)
        return store

    def create(self, schema: Schema) -> ServerStore:
        """See Generations."""
        named = self._aliases().values()
        for collection in self._generations():
            if collection not in named and METADATA in _metadata(self._info(collection)):
                self._delete(collection)
        collection = f"{self._name}__{new_generation()}"
        self._server.call(f"creating collection {collection!r}", lambda client: _create(client, collection, schema))
        self._complete_indexes(collection, {})
        return ServerStore(self._server, collection, schema)

    def activate(self, store: VectorStore) -> None:
        """See Generations."""
        if not isinstance(store, ServerStore) or not self._is_generation(store.collection):
            raise ValueError("only a generation that was created here can be activated")
        before = self._aliases()
        active, older = before.get(self._name), before.get(self._former_alias)
        if active == store.collection:
            return
        self._point(active=store.collection, former=active)
        if older:
            self._delete(older)

    def rollback(self) -> None:
        """See Generations."""
        aliases = self._aliases()
        if self._former_alias not in aliases:
            raise VectorStoreError(f"there is no former generation of {self._name!r} to go back to")
        self._point(active=aliases[self._former_alias], former=aliases.get(self._name))

    def drop_former(self) -> bool:
        """See Generations."""
        aliases = self._aliases()
        former = aliases.get(self._former_alias)
        if former is None:
            return False
        self._point(active=aliases.get(self._name), former=None)
        self._delete(former)
        return True

    def _aliases(self) -> dict[str, str]:
        """Our two aliases, as far as there are any; raises VectorStoreError where a collection has our name."""
        answer = self._server.call("reading the aliases", lambda client: client.get_aliases())
        ours = (self._name, self._former_alias)
        aliases = {each.alias_name: each.collection_name for each in answer.aliases if each.alias_name in ours}
        if self._name not in aliases and self._exists(self._name):
            raise VectorStoreError(
                f"Qdrant at {self._server.host} has a collection {self._name!r} that bookwise did not make; choose "
                "another name with QDRANT_COLLECTION_NAME"
            )
        return aliases

    def _point(self, *, active: str | None, former: str | None) -> None:
        """Move both aliases in one call."""
        targets = {self._name: active, self._former_alias: former}

        def switch(client: QdrantClient) -> None:
            # Read again at each attempt: the switch may have been made, and only its answer lost.
            there = [each.alias_name for each in client.get_aliases().aliases if each.alias_name in targets]
            client.update_collection_aliases([*map(_delete_alias, there), *_create_aliases(targets)])

        self._server.call(f"switching the alias {self._name!r}", switch)

    def _schema(self, collection: str) -> Schema:
        return self._schema_of(collection, self._info(collection))

    def _schema_of(self, collection: str, info: rest.CollectionInfo) -> Schema:
        stored = _metadata(info).get(METADATA) or {}
        return Schema.from_json(stored, f"collection {collection!r} on Qdrant at {self._server.host}")

    def _complete_indexes(self, collection: str, there: dict[str, rest.PayloadIndexInfo]) -> None:
        """Add the payload indexes that are not there yet; raises VectorStoreError for one of another type."""
        for field, kind in PAYLOAD_INDEXES.items():
            wanted = "integer" if kind == "integer" else "keyword"
            if field not in there:
                self._add_index(collection, field, kind)
            elif there[field].data_type != wanted:
                raise VectorStoreError(
                    f"collection {collection!r} on Qdrant at {self._server.host} indexes {field!r} as "
                    f"{there[field].data_type.value}, not as {wanted}; {REBUILD}"
                )

    def _add_index(self, collection: str, field: str, kind: IndexType) -> None:
        self._server.call(
            f"indexing {field!r} of collection {collection!r}",
            lambda client: client.create_payload_index(collection, field, _INDEX_PARAMS[kind], wait=True),
        )

    def _info(self, collection: str) -> rest.CollectionInfo:
        return self._server.call(
            f"reading collection {collection!r}", lambda client: client.get_collection(collection)
        )

    def _exists(self, collection: str) -> bool:
        return self._server.call(
            f"looking for collection {collection!r}", lambda client: client.collection_exists(collection)
        )

    def _generations(self) -> list[str]:
        answer = self._server.call("reading the collections", lambda client: client.get_collections())
        return [each.name for each in answer.collections if self._is_generation(each.name)]

    def _is_generation(self, collection: str) -> bool:
        return re.fullmatch(rf"{re.escape(self._name)}__{PATTERN}", collection) is not None

    def _delete(self, collection: str) -> None:
        self._server.call(f"deleting collection {collection!r}", lambda client: client.delete_collection(collection))


def _create(client: QdrantClient, collection: str, schema: Schema) -> None:
    """Create the collection, unless an attempt whose answer was lost has done so."""
    if client.collection_exists(collection):
        return
    client.create_collection(
        collection,
        vectors_config={DENSE: rest.VectorParams(size=schema.dimensions, distance=rest.Distance.COSINE)},
        sparse_vectors_config={SPARSE: rest.SparseVectorParams(modifier=rest.Modifier.IDF)},
        on_disk_payload=True,
        # A filter that has no index is a mistake of ours, and would scan every payload on the server.
        strict_mode_config=rest.StrictModeConfig(
            enabled=True, unindexed_filtering_retrieve=False, unindexed_filtering_update=False
        ),
        metadata={METADATA: schema.as_json()},
    )


def _delete_alias(alias: str) -> rest.AliasOperations:
    return rest.DeleteAliasOperation(delete_alias=rest.DeleteAlias(alias_name=alias))


def _create_aliases(targets: Mapping[str, str | None]) -> Iterator[rest.AliasOperations]:
    for alias, collection in targets.items():
        if collection:
            create = rest.CreateAlias(collection_name=collection, alias_name=alias)
            yield rest.CreateAliasOperation(create_alias=create)


def _metadata(info: rest.CollectionInfo) -> dict[str, Any]:
    return info.config.metadata or {}
