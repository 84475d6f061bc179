"""The generations of a collection on a server: `<name>__<generation>` each, and the alias `<name>` readers use.

The alias `<name>__former` keeps the former generation for a rollback; both move in one call. What no alias names
and bookwise made is a left-over. Readers open the alias itself, which is all that a scoped key may see.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import RequestFailed, VectorStoreError
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.batching import do_all
from ingestion.vector_stores.filters import PAYLOAD_INDEXES, IndexType
from ingestion.vector_stores.generation_names import PATTERN, new_generation, with_roles
from ingestion.vector_stores.health import Health
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.server.bulk_load import deferred_indexing, is_deferred, resume_indexing
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.cluster import cluster_health, lost_replicas
from ingestion.vector_stores.server.collection import (
    INDEX_PARAMS,
    creation,
    differences,
    metadata_of,
    replicas_of,
    runs_of,
)
from ingestion.vector_stores.server.lease import writer_lease
from ingestion.vector_stores.server.limits import limits_of
from ingestion.vector_stores.server.state import ServerStates
from ingestion.vector_stores.server.state_collection import StateCollection
from ingestion.vector_stores.server.store import ServerStore
from ingestion.vector_stores.types import REBUILD, Active, KeptGeneration, Schema

logger = logging.getLogger(__name__)

DEFERRED_FROM = 100_000
"""A load of more points is indexed at its end, not as it comes."""


class ServerGenerations:
    """Generations of the collection `name`."""

    look_seconds = 30.0
    is_remote = True

    def __init__(
        self, server: Server, name: str, settings: QdrantSettings | None = None, folder: Path | None = None
    ) -> None:
        """`folder` is where this machine may keep copies of what it reads."""
        self._folder = folder
        self._server = server
        self._name = name
        self._former_alias = f"{name}__former"
        self._settings = settings or QdrantSettings()
        self._state = StateCollection(server, name, self._settings)

    @contextmanager
    def writer(self, wait: float) -> Iterator[Lease]:
        """See Generations; a server that is too old is refused before anything is written."""
        self._server.version()
        with writer_lease(self._state, wait=wait) as lease:
            yield lease

    def states(self) -> ServerStates:
        """See Generations."""
        return ServerStates(self._state, self._folder)

    def active(self) -> Active | None:
        """See Generations."""
        info = self._active()
        if info is None:
            return None
        schema = self._schema_of(self._name, info)
        return Active(schema, runs_of(info), self._remarks(info), is_unfinished=is_deferred(info))

    def repair(self) -> None:
        """See Generations; on a server aliases say it, which it keeps itself."""

    def known_count(self, book_id: str) -> int | None:
        """See Generations; counting needs no open index."""
        book = rest.FieldCondition(key="book_id", match=rest.MatchValue(value=book_id))
        counted = self._server.find(
            "counting", lambda client: client.count(self._name, rest.Filter(must=[book]), exact=True)
        )
        return counted.count if counted else 0

    def open_active(self, lease: Lease | None = None) -> ServerStore | None:
        """See Generations; a server may be used by many, IndexInUse is never raised."""
        info = self._active()
        if info is None:
            return None
        store = ServerStore(
            self._server,
            self._name,
            self._schema_of(self._name, info),
            self._settings,
            lease=lease,
            points=info.points_count or 0,
            marked=runs_of(info),
            limits=limits_of(info.config.strict_mode_config),
        )
        self._complete_indexes(self._name, info.payload_schema, reading=lease is None)
        if lease:
            for remark in self._remarks(info):
                logger.warning("%s", remark)
            if is_deferred(info):
                resume_indexing(self._server, self._name)
            self._warn_of_lost_replicas(info)
        return store

    def should_close(self, store: VectorStore) -> bool:
        """See Generations; opened now and then, it is seen what others have changed beside the points."""
        return True

    def sharing(self, store: VectorStore) -> ServerGenerations:
        """See Generations; a server may be opened more than once."""
        return self

    def keeping(self) -> AbstractContextManager[ServerGenerations]:
        """See Generations; a server keeps nothing open."""
        return nullcontext(self)

    def health(self) -> Health:
        """See Generations."""
        return cluster_health(self._server, self._name, self._state.name, self._settings)

    def create(self, schema: Schema, lease: Lease | None = None) -> ServerStore:
        """See Generations."""
        named = self._aliases().values()
        for collection in self._generations():
            if collection not in named and metadata_of(self._info(collection)) is not None:
                self._delete(collection, lease)
        collection = f"{self._name}__{new_generation()}"
        create = creation(collection, schema, self._settings)
        self._server.make(f"creating collection {collection!r}", create)
        info = self._info(collection)
        limits = limits_of(info.config.strict_mode_config)
        if problem := next(limits.problems(schema), None):
            self._delete(collection, lease)
            raise self._cannot_work(problem)
        self._complete_indexes(collection, {})
        for remark in self._remarks(info):
            logger.warning("%s", remark)
        return ServerStore(self._server, collection, schema, self._settings, lease=lease, limits=limits)

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """See Generations; a large load is indexed at its end."""
        assert isinstance(store, ServerStore)
        if problem := next(store.limits.problems(store.schema, max(store.size(), points)), None):
            raise self._cannot_work(problem)
        if points <= DEFERRED_FROM:
            return nullcontext()
        return deferred_indexing(self._server, store.collection, still_ours=store.lease or (lambda: None))

    def refusals(self, points: int) -> list[str]:
        """See Generations; of a new collection it is known once it is made."""
        info = self._active()
        if info is None:
            return []
        limits, schema = limits_of(info.config.strict_mode_config), self._schema_of(self._name, info)
        return [f"strict mode of collection {self._name}: {problem}" for problem in limits.problems(schema, points)]

    def activate(self, store: VectorStore) -> None:
        """See Generations."""
        if not isinstance(store, ServerStore) or not self._is_generation(store.collection):
            raise ValueError("only a generation that was created here can be activated")
        before = self._aliases()
        active, older = before.get(self._name), before.get(self._former_alias)
        if active == store.collection:
            return
        self._point(store.lease, active=store.collection, former=active)
        if older:
            self._delete(older, store.lease)

    def rollback(self, lease: Lease | None = None) -> None:
        """See Generations."""
        aliases = self._aliases()
        if self._former_alias not in aliases:
            raise VectorStoreError(f"there is no previous generation of {self._name!r} to go back to")
        self._point(lease, active=aliases[self._former_alias], former=aliases.get(self._name))

    def drop_former(self, lease: Lease | None = None) -> bool:
        """See Generations."""
        aliases = self._aliases()
        former = aliases.get(self._former_alias)
        if former is None:
            return False
        self._point(lease, active=aliases.get(self._name), former=None)
        self._delete(former, lease)
        return True

    def kept(self) -> list[KeptGeneration]:
        """See Generations."""
        aliases = self._aliases()
        active, former = aliases.get(self._name), aliases.get(self._former_alias)
        infos = {name: self._info(name) for name in {*self._generations(), *aliases.values()}}
        ours = {collection: info for collection, info in infos.items() if metadata_of(info) is not None}
        return [
            KeptGeneration(
                collection.removeprefix(f"{self._name}__"),
                role,
                self._schema_of(collection, ours[collection]),
                self._size(collection),
            )
            for collection, role in with_roles(ours, active=active, former=former)
        ]

    def _active(self) -> rest.CollectionInfo | None:
        """Return the information of the generation behind the alias; raises VectorStoreError for one not ours."""
        info = self._server.find(
            f"opening collection {self._name!r}", lambda client: client.get_collection(self._name)
        )
        if info is not None and metadata_of(info) is None:
            raise self._not_ours()
        return info

    def _remarks(self, info: rest.CollectionInfo) -> tuple[str, ...]:
        return tuple(f"collection {self._name}: {each}" for each in differences(info.config, self._settings))

    def _not_ours(self) -> VectorStoreError:
        return VectorStoreError(
            f"Qdrant at {self._server.host} has a collection {self._name!r} that bookwise did not make; choose "
            "another name with QDRANT_COLLECTION_NAME"
        )

    def _cannot_work(self, problem: str) -> VectorStoreError:
        return VectorStoreError(
            f"strict mode of Qdrant at {self._server.host} does not allow this index: {problem}. No points were "
            "written. Raise the limit in the collection's strict_mode_config or in the server's configuration"
        )

    def _size(self, collection: str) -> int:
        return self._server.call("counting", lambda client: client.count(collection, exact=True).count)

    def _warn_of_lost_replicas(self, info: rest.CollectionInfo) -> None:
        if replicas_of(info) > 1 and (lost := lost_replicas(self._server, self._name)):
            logger.warning("the cluster is degraded: %s; this run continues without them", ", ".join(lost))

    def _aliases(self) -> dict[str, str]:
        """Return our two aliases, as far as they exist; raises VectorStoreError where a collection has our name."""
        answer = self._server.call("reading the aliases", lambda client: client.get_aliases())
        ours = (self._name, self._former_alias)
        aliases = {alias.alias_name: alias.collection_name for alias in answer.aliases if alias.alias_name in ours}
        if self._name not in aliases and self._exists(self._name):
            raise self._not_ours()
        return aliases

    def _point(self, lease: Lease | None, *, active: str | None, former: str | None) -> None:
        """Move both aliases in one call."""
        targets = {self._name: active, self._former_alias: former}
        if lease:
            lease.confirm()

        def switch(client: QdrantClient) -> None:
            # Read again at each attempt: the switch may have been made, and only its answer lost.
            existing = [alias.alias_name for alias in client.get_aliases().aliases if alias.alias_name in targets]
            client.update_collection_aliases([*map(_delete_alias, existing), *_create_aliases(targets)])

        self._server.call(f"switching the alias {self._name!r}", switch)

    def _schema_of(self, collection: str, info: rest.CollectionInfo) -> Schema:
        stored = metadata_of(info) or {}
        return Schema.from_json(stored, f"collection {collection!r} on Qdrant at {self._server.host}")

    def _complete_indexes(
        self, collection: str, existing: Mapping[str, rest.PayloadIndexInfo], *, reading: bool = False
    ) -> None:
        """Add the payload indexes that are missing, which a key for reading may not.

        Raises VectorStoreError for one of another type.
        """
        missing = [(field, kind) for field, kind in PAYLOAD_INDEXES.items() if field not in existing]
        do_all(missing, lambda index: self._add_index(collection, *index, reading=reading), workers=len(missing) or 1)
        for field, kind in PAYLOAD_INDEXES.items():
            expected = "integer" if kind == "integer" else "keyword"
            if field in existing and existing[field].data_type != expected:
                raise VectorStoreError(
                    f"collection {collection!r} on Qdrant at {self._server.host} indexes {field!r} as "
                    f"{existing[field].data_type.value}, not as {expected}; {REBUILD}"
                )

    def _add_index(self, collection: str, field: str, kind: IndexType, *, reading: bool) -> None:
        try:
            self._server.call(
                f"indexing {field!r} of collection {collection!r}",
                lambda client: client.create_payload_index(collection, field, INDEX_PARAMS[kind], wait=True),
            )
        except RequestFailed as error:
            if not reading or error.status != 403:
                raise
            logger.warning(
                "collection %s has no index on %r, and this key may not add it: a filter on it fails until "
                "`bookwise ingest` has run once with a key that may write",
                collection,
                field,
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
        return [collection.name for collection in answer.collections if self._is_generation(collection.name)]

    def _is_generation(self, collection: str) -> bool:
        return re.fullmatch(rf"{re.escape(self._name)}__{PATTERN}", collection) is not None

    def _delete(self, collection: str, lease: Lease | None) -> None:
        if lease:
            lease.confirm()
        self._server.call(f"deleting collection {collection!r}", lambda client: client.delete_collection(collection))


def _delete_alias(alias: str) -> rest.AliasOperations:
    return rest.DeleteAliasOperation(delete_alias=rest.DeleteAlias(alias_name=alias))


def _create_aliases(targets: Mapping[str, str | None]) -> Iterator[rest.AliasOperations]:
    for alias, collection in targets.items():
        if collection:
            create = rest.CreateAlias(collection_name=collection, alias_name=alias)
            yield rest.CreateAliasOperation(create_alias=create)
