"""The generations of a collection on a server: `<name>__<generation>` each, and the alias `<name>` readers use.

The alias `<name>__former` keeps the former generation for a rollback; both move in one call. What no alias names
and bookwise made is a left-over.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import VectorStoreError
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.filters import PAYLOAD_INDEXES, IndexType
from ingestion.vector_stores.generation_names import PATTERN, new_generation, with_roles
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.server.bulk_load import deferred_indexing, is_deferred, resume_indexing
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.collection import INDEX_PARAMS, METADATA, create_collection, differences
from ingestion.vector_stores.server.lease import writer_lease
from ingestion.vector_stores.server.state import ServerStates
from ingestion.vector_stores.server.store import ServerStore
from ingestion.vector_stores.types import REBUILD, KeptGeneration, Schema

logger = logging.getLogger(__name__)


class ServerGenerations:
    """Generations of the collection `name`."""

    look_seconds = 30.0

    def __init__(self, server: Server, name: str, settings: QdrantSettings | None = None) -> None:
        self._server = server
        self._name = name
        self._former_alias = f"{name}__former"
        self._settings = settings or QdrantSettings()
        self._still_ours: Callable[[], None] | None = None

    @contextmanager
    def writer(self, wait: float) -> Iterator[Callable[[], None]]:
        """See Generations."""
        with writer_lease(self._server, self._name, wait=wait) as still_ours:
            self._still_ours = still_ours
            try:
                yield still_ours
            finally:
                self._still_ours = None

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
        store = ServerStore(self._server, self._name, self._schema_of(active, info), self._settings)
        self._complete_indexes(active, info.payload_schema)
        if self._still_ours:
            self._compare(active, info)
        return store

    def should_close(self, store: VectorStore) -> bool:
        """See Generations; opened now and then, it is seen what others have changed beside the points."""
        return True

    def create(self, schema: Schema) -> ServerStore:
        """See Generations."""
        named = self._aliases().values()
        for collection in self._generations():
            if collection not in named and METADATA in _metadata(self._info(collection)):
                self._delete(collection)
        collection = f"{self._name}__{new_generation()}"
        self._server.call(
            f"creating collection {collection!r}",
            lambda client: create_collection(client, collection, schema, self._settings),
        )
        self._complete_indexes(collection, {})
        return ServerStore(self._server, collection, schema, self._settings)

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """See Generations; a large load is indexed at its end."""
        if points <= self._settings.defer_chunks:
            return nullcontext()
        assert isinstance(store, ServerStore)
        # An alias can be read and written through, but not configured.
        collection = self._aliases().get(store.collection, store.collection)
        return deferred_indexing(self._server, collection, still_ours=self._still_ours or (lambda: None))

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

    def kept(self) -> list[KeptGeneration]:
        """See Generations."""
        aliases = self._aliases()
        active, former = aliases.get(self._name), aliases.get(self._former_alias)
        infos = {each: self._info(each) for each in {*self._generations(), *aliases.values()}}
        ours = {collection: info for collection, info in infos.items() if METADATA in _metadata(info)}
        return [
            KeptGeneration(
                collection.removeprefix(f"{self._name}__"),
                role,
                self._schema_of(collection, ours[collection]),
                self._size(collection),
            )
            for collection, role in with_roles(ours, active=active, former=former)
        ]

    def _size(self, collection: str) -> int:
        return self._server.call("counting", lambda client: client.count(collection, exact=True).count)

    def _compare(self, collection: str, info: rest.CollectionInfo) -> None:
        """Say where the settings are not those of the collection, and mend what a killed load left."""
        for difference in differences(info.config, self._settings):
            logger.warning("collection %s: %s; %s with the settings", collection, difference, REBUILD)
        if is_deferred(info):
            resume_indexing(self._server, collection)

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
            lambda client: client.create_payload_index(collection, field, INDEX_PARAMS[kind], wait=True),
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


def _delete_alias(alias: str) -> rest.AliasOperations:
    return rest.DeleteAliasOperation(delete_alias=rest.DeleteAlias(alias_name=alias))


def _create_aliases(targets: Mapping[str, str | None]) -> Iterator[rest.AliasOperations]:
    for alias, collection in targets.items():
        if collection:
            create = rest.CreateAlias(collection_name=collection, alias_name=alias)
            yield rest.CreateAliasOperation(create_alias=create)


def _metadata(info: rest.CollectionInfo) -> dict[str, Any]:
    return info.config.metadata or {}
