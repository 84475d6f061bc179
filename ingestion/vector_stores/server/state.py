"""The records of what is indexed, kept on the server: one point a file in `<collection>_state`.

For runners that keep no disk. Each book has one point more, for what is not of a single file. The writer's lease
is in the same collection; it names no book.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import RecordsDamaged, RequestFailed, StateError
from ingestion.models import IngestionState
from ingestion.state.records import (
    FORMAT_VERSION,
    READABLE_FORMATS,
    record_as_json,
    records_from_json,
    run_as_json,
    run_from_json,
    text_mapping,
    text_or_none,
)
from ingestion.vector_stores.batching import batches, payload_bytes, sized_batches
from ingestion.vector_stores.server.state_collection import StateCollection

BYTES_PER_WRITE = 16 << 20
_BYTES_PER_POINT = 256
T = TypeVar("T")

_BOOK_FIELDS = ("docs_root", "last_full_ingest", "last_incremental_update")

Payloads = dict[str, dict[str, Any]]
"""Payloads by point id."""


class ServerStates:
    """A StateStore on a Qdrant server; a save sends only what changed since the book was loaded or saved."""

    folder = Path()
    """Runners share no folder that a docs root could be relative to but the one they work in."""

    def __init__(self, state: StateCollection) -> None:
        self._state = state
        self._server = state.server
        self._collection = state.name
        self._stored: dict[str, Payloads] = {}

    def load(self, book_id: str, collection: str) -> IngestionState:
        """See StateStore."""
        stored = dict(self._scroll(book_id))
        self._stored[book_id] = stored
        state = IngestionState(book_id=book_id, collection_name=collection)
        try:
            _read_into(state, stored.values())
        except (KeyError, TypeError, AttributeError, ValueError) as exc:
            raise RecordsDamaged(
                f"collection {self._collection!r} on Qdrant at {self._server.host}: a record of {book_id} cannot "
                f"be read ({exc!r}); `bookwise ingest` rebuilds the records and embeds nothing again"
            ) from exc
        return state

    def last_run(self, book_id: str) -> str | None:
        """See StateStore: the point of the book tells."""
        asked = [_id(book_id, None)]
        points = self._if_recorded(
            "reading when a book was indexed", lambda client: client.retrieve(self._collection, asked)
        )
        told = (points[0].payload or {}).get("last_incremental_update") if points else None
        return told if isinstance(told, str) else None

    def set_aside(self, book_id: str) -> str:
        """See StateStore; on a server damaged records are removed, what they held is in the index as well."""
        self.forget(book_id)
        return "removed from the server"

    def books(self) -> list[str]:
        """See StateStore."""
        most = self._state.limits().results
        answer = self._if_recorded(
            "listing the recorded books",
            lambda client: client.facet(self._collection, "book_id", limit=most, exact=self._state.limits().exact),
        )
        if answer and len(answer.hits) == most:
            raise StateError(f"the server lists only {most} books; raise max_query_limit of {self._collection!r}")
        return sorted(str(hit.value) for hit in answer.hits) if answer else []

    def save(self, state: IngestionState) -> None:
        """See StateStore; the file's points first, the book's last."""
        if state.book_id not in self._stored:
            self.load(state.book_id, state.collection_name)
        before, wanted = self._stored[state.book_id], _payloads_of(state)
        changed = [item for item in wanted.items() if before.get(item[0]) != item[1]]
        gone = [point_id for point_id in before if point_id not in wanted]
        if changed or gone:
            self._state.make_ready()
            self._upsert(changed)
            self._delete(gone)
        self._stored[state.book_id] = wanted

    def forget(self, book_id: str) -> None:
        """See StateStore."""
        self._stored.pop(book_id, None)
        selected = rest.FilterSelector(filter=_of_book(book_id))
        self._if_recorded(
            f"forgetting book {book_id!r}", lambda client: client.delete(self._collection, selected, wait=True)
        )

    def _scroll(self, book_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        offset: Any = None
        while True:
            page = self._page(book_id, offset)
            if page is None:
                return
            points, offset = page
            yield from ((str(point.id), dict(point.payload or {})) for point in points)
            if offset is None:
                return

    def _page(self, book_id: str, offset: Any) -> tuple[list[rest.Record], Any] | None:
        return self._if_recorded(
            "reading the records",
            lambda client: client.scroll(
                self._collection, scroll_filter=_of_book(book_id), limit=self._state.limits().page, offset=offset
            ),
        )

    def _if_recorded(self, what: str, request: Callable[[QdrantClient], T]) -> T | None:
        """Return the request's answer, None where there can be no records: their index comes before the first."""
        try:
            return self._server.find(what, request)
        except RequestFailed as error:
            if error.status == 400 and "ndex" in str(error):
                return None
            raise

    def _upsert(self, changed: Iterable[tuple[str, dict[str, Any]]]) -> None:
        sized = [(item, _BYTES_PER_POINT + payload_bytes(item[1])) for item in changed]
        for batch in sized_batches(sized, max_items=self._state.limits().write, max_bytes=BYTES_PER_WRITE):
            self._send([rest.PointStruct(id=point_id, vector={}, payload=payload) for point_id, payload in batch])

    def _send(self, points: list[rest.PointStruct]) -> None:
        self._server.call("recording", lambda client: client.upsert(self._collection, points, wait=True))

    def _delete(self, ids: list[str]) -> None:
        for batch in batches(ids, self._state.limits().page):
            self._remove(rest.PointIdsList(points=list(batch)))

    def _remove(self, selected: rest.PointIdsList) -> None:
        self._server.call("removing records", lambda client: client.delete(self._collection, selected, wait=True))


def _of_book(book_id: str) -> rest.Filter:
    return rest.Filter(must=[rest.FieldCondition(key="book_id", match=rest.MatchValue(value=book_id))])


def _payloads_of(state: IngestionState) -> Payloads:
    common = {"format_version": FORMAT_VERSION, "book_id": state.book_id}
    payloads = {
        _id(state.book_id, path): common | {"source_file": path} | record_as_json(record)
        for path, record in state.records.items()
    }
    book = common | {name: getattr(state, name) for name in _BOOK_FIELDS} | run_as_json(state)
    return payloads | {_id(state.book_id, None): book}


def _read_into(state: IngestionState, payloads: Collection[Mapping[str, Any]]) -> None:
    for version in {payload["format_version"] for payload in payloads}:
        if type(version) is not int or version < READABLE_FORMATS[0]:
            raise ValueError(f"format {str(version)[:80]!r}")
        if version not in READABLE_FORMATS:
            raise StateError(
                f"the records on the server have format {version!r}, not one that this bookwise reads "
                f"(1 to {FORMAT_VERSION}); update it"
            )
    documents = {payload["source_file"]: payload for payload in payloads if "source_file" in payload}
    fingerprints = (text_mapping(document["fingerprint"]) for document in documents.values())
    state.records = records_from_json(state.book_id, documents, fingerprints)
    for payload in payloads:
        if "source_file" not in payload:
            own = {name: text_or_none(payload.get(name)) for name in _BOOK_FIELDS} | run_from_json(payload)
            for name, value in own.items():
                setattr(state, name, value)


def _id(book_id: str, path: str | None) -> str:
    """Return the point of a file, or without a path the book's own."""
    return str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, f"bookwise:state:{book_id}"), path or ""))
