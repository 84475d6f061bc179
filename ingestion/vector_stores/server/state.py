"""The records of what is indexed, kept on the server: one point a file in `<collection>_state`.

For runners that keep no disk. Each book has one point more, for what is not of a single file. The writer's lease
lies in the same collection; it names no book.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import StateError
from ingestion.models import IngestionState
from ingestion.state.records import FORMAT_VERSION, READABLE_FORMATS, record_as_json, record_from_json
from ingestion.vector_stores.batching import MOST_VALUES, batches, payload_bytes, sized_batches
from ingestion.vector_stores.server.client import Server

RECORDS_A_REQUEST = 256
BYTES_A_REQUEST = 16 << 20
_BYTES_A_POINT = 256
_BOOK_FIELDS = ("docs_root", "last_full_ingest", "last_incremental_update")

Payloads = dict[str, dict[str, Any]]
"""Payloads by point id."""


class ServerStates:
    """A StateStore on a Qdrant server; a save sends only what changed since the book was loaded or saved."""

    folder = Path()
    """Runners share no folder that a docs root could be relative to but the one they work in."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._collection = f"{name}_state"
        self._name = name
        self._stored: dict[str, Payloads] = {}

    def load(self, book_id: str, collection: str) -> IngestionState:
        """See StateStore."""
        stored = dict(self._scroll(book_id)) if self._is_ready() else {}
        self._stored[book_id] = stored
        state = IngestionState(book_id=book_id, collection_name=collection)
        for payload in stored.values():
            try:
                _read_into(state, payload)
            except (KeyError, TypeError, AttributeError, ValueError) as exc:
                raise StateError(
                    f"collection {self._collection!r} on Qdrant at {self._server.host}: a record of {book_id} cannot "
                    f"be read ({exc!r}); delete that collection and run `bookwise ingest`, which embeds nothing again"
                ) from exc
        return state

    def books(self) -> list[str]:
        """See StateStore."""
        if not self._is_ready():
            return []
        hits = self._server.call(
            "listing the recorded books",
            lambda client: client.facet(self._collection, "book_id", limit=MOST_VALUES, exact=True).hits,
        )
        return sorted(str(hit.value) for hit in hits)

    def save(self, state: IngestionState) -> None:
        """See StateStore; the file's points first, the book's last."""
        if state.book_id not in self._stored:
            self.load(state.book_id, state.collection_name)
        before, wanted = self._stored[state.book_id], _payloads_of(state)
        changed = [item for item in wanted.items() if before.get(item[0]) != item[1]]
        gone = [point_id for point_id in before if point_id not in wanted]
        if changed or gone:
            self._make_ready()
            self._upsert(changed)
            self._delete(gone)
        self._stored[state.book_id] = wanted

    def forget(self, book_id: str) -> None:
        """See StateStore."""
        self._stored.pop(book_id, None)
        if self._is_ready():
            selected = rest.FilterSelector(filter=_of_book(book_id))
            self._server.call(
                f"forgetting book {book_id!r}",
                lambda client: client.delete(self._collection, selected, wait=True),
            )

    def _scroll(self, book_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        offset: Any = None
        while True:
            points, offset = self._page(book_id, offset)
            yield from ((str(point.id), dict(point.payload or {})) for point in points)
            if offset is None:
                return

    def _page(self, book_id: str, offset: Any) -> tuple[list[rest.Record], Any]:
        return self._server.call(
            "reading the records",
            lambda client: client.scroll(
                self._collection, scroll_filter=_of_book(book_id), limit=RECORDS_A_REQUEST, offset=offset
            ),
        )

    def _upsert(self, changed: Iterable[tuple[str, dict[str, Any]]]) -> None:
        sized = [(item, _BYTES_A_POINT + payload_bytes(item[1])) for item in changed]
        for batch in sized_batches(sized, most=RECORDS_A_REQUEST, most_bytes=BYTES_A_REQUEST):
            self._send([rest.PointStruct(id=point_id, vector={}, payload=payload) for point_id, payload in batch])

    def _send(self, points: list[rest.PointStruct]) -> None:
        self._server.call("recording", lambda client: client.upsert(self._collection, points, wait=True))

    def _delete(self, ids: list[str]) -> None:
        for batch in batches(ids, RECORDS_A_REQUEST):
            self._remove(rest.PointIdsList(points=list(batch)))

    def _remove(self, selected: rest.PointIdsList) -> None:
        self._server.call("removing records", lambda client: client.delete(self._collection, selected, wait=True))

    def _is_ready(self) -> bool:
        """Whether there can be records: the index comes before the first of them."""
        return self._server.call("looking for the records", self._has_index)

    def _make_ready(self) -> None:
        def make(client: QdrantClient) -> None:
            if not client.collection_exists(self._collection):
                client.create_collection(self._collection, vectors_config={})
            if not self._has_index(client):
                tenant = rest.KeywordIndexParams(type=rest.KeywordIndexType.KEYWORD, is_tenant=True)
                client.create_payload_index(self._collection, "book_id", tenant, wait=True)

        self._server.call("preparing the records", make)

    def _has_index(self, client: QdrantClient) -> bool:
        there = client.collection_exists(self._collection)
        return there and "book_id" in client.get_collection(self._collection).payload_schema


def _of_book(book_id: str) -> rest.Filter:
    return rest.Filter(must=[rest.FieldCondition(key="book_id", match=rest.MatchValue(value=book_id))])


def _payloads_of(state: IngestionState) -> Payloads:
    common = {"format_version": FORMAT_VERSION, "book_id": state.book_id}
    payloads = {
        _id(state.book_id, path): common | {"source_file": path} | record_as_json(record)
        for path, record in state.records.items()
    }
    return payloads | {_id(state.book_id, None): common | {name: getattr(state, name) for name in _BOOK_FIELDS}}


def _read_into(state: IngestionState, payload: Mapping[str, Any]) -> None:
    fields = dict(payload)
    version = fields.pop("format_version")
    if version not in READABLE_FORMATS:
        raise StateError(
            f"the records on the server have format {version!r}, not one that this bookwise reads "
            f"(1 to {FORMAT_VERSION}); update it"
        )
    if "source_file" in fields:
        path = fields["source_file"]
        state.records[path] = record_from_json(state.book_id, path, fields)
    else:
        for name in _BOOK_FIELDS:
            setattr(state, name, fields.get(name))


def _id(book_id: str, path: str | None) -> str:
    """The point of a file, or without a path the book's own."""
    return str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, f"bookwise:state:{book_id}"), path or ""))
