"""The collection `<collection>_state`, which holds the records of what is indexed and the writer's lease.

Each point is a payload without vectors. It is as safe as the index: the same replicas, the same write consistency.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import VectorStoreError
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.collection import METADATA, STRICT, metadata_of, replicas_of
from ingestion.vector_stores.server.limits import Limits, limits_of
from ingestion.vector_stores.server.options import options_of

logger = logging.getLogger(__name__)

MARK = {"state": 1}
"""Our mark in the metadata, by which a collection of the same name that is not ours is told."""

INDEX_PARAMS: Mapping[str, rest.KeywordIndexParams | rest.FloatIndexParams] = {
    "book_id": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=True),
    "owner": rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD),
    "expires": rest.FloatIndexParams(type=rest.FloatIndexType.FLOAT),
}
"""Every field that a filter names: a strict server refuses filters on others."""

_POINTS_SEEN = 32
"""Points looked at to recognise a collection that an older version made, which has no mark."""


class StateCollection:
    """The state collection of one index."""

    def __init__(self, server: Server, index: str, settings: QdrantSettings | None = None) -> None:
        self.server = server
        self.name = f"{index}_state"
        self._settings = settings or QdrantSettings()
        self._ready = False
        self._limits: Limits | None = None

    def limits(self) -> Limits:
        """Return the limits that the collection's strict mode sets; asked once."""
        if self._limits is None:
            info = self.server.find(f"opening {self.name!r}", lambda client: client.get_collection(self.name))
            self._limits = limits_of(info.config.strict_mode_config if info else None)
        return self._limits

    def make_ready(self, *, again: bool = False) -> None:
        """Create the collection, or complete one of an older version; asks the server the first time, or `again`.

        Raises VectorStoreError where a collection of that name is not ours.
        """
        if self._ready and not again:
            return
        info = self.server.find(f"opening {self.name!r}", lambda client: client.get_collection(self.name))
        self._limits = limits_of(info.config.strict_mode_config) if info else None
        if info is None:
            self.server.make(f"creating {self.name!r}", self._create)
        else:
            self._adopt(info)
            for warning in few_replicas(self.name, info, options_of(self._settings).get("replication_factor") or 1):
                logger.warning("%s", warning)
        self._add_indexes(info.payload_schema if info else {})
        self._ready = True

    def _create(self, client: QdrantClient) -> None:
        options = options_of(self._settings)
        client.create_collection(
            self.name,
            vectors_config={},
            shard_number=1,
            replication_factor=options.get("replication_factor"),
            write_consistency_factor=options.get("write_consistency_factor"),
            strict_mode_config=STRICT,
            metadata={METADATA: MARK},
        )

    def _adopt(self, info: rest.CollectionInfo) -> None:
        """Mark a collection that an older version made; raises VectorStoreError for one that is not ours."""
        if metadata_of(info) is not None:
            return
        if info.config.params.vectors or not self._holds_only_ours():
            raise VectorStoreError(
                f"Qdrant at {self.server.host} has a collection {self.name!r} that bookwise did not make; choose "
                "another name for the index with QDRANT_COLLECTION_NAME"
            )
        self.server.call(
            f"completing {self.name!r}",
            lambda client: client.update_collection(self.name, strict_mode_config=STRICT, metadata={METADATA: MARK}),
        )

    def _holds_only_ours(self) -> bool:
        points, _ = self.server.call(
            f"reading {self.name!r}",
            lambda client: client.scroll(self.name, limit=min(_POINTS_SEEN, self.limits().page)),
        )
        return all(_is_ours(point.payload or {}) for point in points)

    def _add_indexes(self, existing: Mapping[str, Any]) -> None:
        for field, params in INDEX_PARAMS.items():
            if field not in existing:
                self._add_index(field, params)

    def _add_index(self, field: str, params: rest.KeywordIndexParams | rest.FloatIndexParams) -> None:
        self.server.call(
            f"indexing {field!r} of {self.name!r}",
            lambda client: client.create_payload_index(self.name, field, params, wait=True),
        )


def few_replicas(name: str, info: rest.CollectionInfo, wanted: int) -> Iterator[str]:
    """Yield a warning where a state collection has fewer replicas than its index, which are `wanted`."""
    if (there := replicas_of(info)) < wanted:
        yield (
            f"collection {name} has {there} of {wanted} replicas: the loss of a node stops every run. While no run "
            "writes, delete that collection; the next `bookwise ingest` makes it again and embeds nothing"
        )


def _is_ours(payload: Mapping[str, Any]) -> bool:
    record = "format_version" in payload and "book_id" in payload
    return record or {"owner", "host", "pid", "expires"} <= payload.keys()
