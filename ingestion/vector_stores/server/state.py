"""The records of what is indexed, kept on the server: one point a file in `<collection>_state`.

For runners that keep no disk. Each book has one point more, for what is not of a single file, and for the hash of
its records: a runner whose disk has a copy of them with that hash asks for that point alone. The writer's lease is in
the same collection; it names no book.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.atomic_file import write_atomically
from ingestion.book_files import read_book_file
from ingestion.errors import RecordsDamaged, RequestFailed, StateError
from ingestion.ids import sha256
from ingestion.models import IngestionState
from ingestion.state.chunk_ids import NONE, IdSource, Lesson, StoredIds
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
MAX_BYTES = 1 << 30
SEAL = "records_hash"
_BYTES_PER_POINT = 256
T = TypeVar("T")

_BOOK_FIELDS = ("docs_root", "last_full_ingest", "last_incremental_update")

Payloads = dict[str, dict[str, Any]]
"""Payloads by point id."""


class ServerStates:
    """A StateStore on a Qdrant server; a save sends only what changed since the book was loaded or saved.

    `copies` is the folder in which this machine keeps a copy of what it last read or wrote.
    """

    folder = Path()
    """Runners share no folder that a docs root could be relative to but the one they work in."""

    def __init__(self, state: StateCollection, copies: Path | None = None) -> None:
        self._state = state
        self._copies = copies
        self._server = state.server
        self._collection = state.name
        self._stored: dict[str, Payloads] = {}
        self._ids: dict[str, dict[str, tuple[str, ...]]] = {}

    def load(self, book_id: str, collection: str) -> IngestionState:
        """See StateStore."""
        stored = self._stored[book_id] = self._read(book_id)
        try:
            return _state_of(book_id, collection, stored.values(), self)
        except (KeyError, TypeError, AttributeError, ValueError) as exc:
            raise RecordsDamaged(
                f"collection {self._collection!r} on Qdrant at {self._server.host}: a record of {book_id} cannot "
                f"be read ({exc!r}); `bookwise ingest` rebuilds the records and embeds nothing again"
            ) from exc

    def ids_of(self, lesson: Lesson) -> tuple[str, ...]:
        """See IdSource: a first lesson is asked for alone, with a second all of the book are read at once."""
        book, path = lesson
        asked = _id(book, path)
        known = self._ids.get(book)
        if known is None:
            self._ids[book] = {}
            return _ids_in(self._payload_of("reading the ids of chunks", asked))
        if asked not in known:
            known |= {point_id: _ids_in(payload) for point_id, payload in self._scroll(book, leave_out=())}
        return known.get(asked, ())

    def last_run(self, book_id: str) -> str | None:
        """See StateStore: the point of the book tells."""
        payload = self._payload_of("reading when a book was indexed", _id(book_id, None))
        told = (payload or {}).get("last_incremental_update")
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
        own = _id(state.book_id, None)
        changed = list(_changed(state, before, wanted))
        gone = [point_id for point_id in before if point_id not in wanted]
        if changed or gone or before.get(own) != wanted[own]:
            self._state.make_ready()
            if (changed or gone) and before.get(own, {}).get(SEAL):
                # A run that is killed between the points leaves no hash that is not theirs.
                self._unseal(own)
            self._upsert(changed)
            self._delete(gone)
            self._upsert([(own, wanted[own])])
        self._stored[state.book_id] = wanted
        self._ids.pop(state.book_id, None)
        self._keep_copy(state.book_id, wanted)

    def _read(self, book_id: str) -> Payloads:
        """Return the payloads of a book's points: those known here if the server tells of the same, else its own."""
        own = _id(book_id, None)
        told = self._payload_of("reading what is recorded", own)
        if told is None:
            return {}
        seal = told.get(SEAL)
        if seal and self._copies:
            for known in (self._stored.get(book_id), self._copied(book_id)):
                if known and seal_of(known) == seal:
                    return known | {own: told}
        stored = dict(self._scroll(book_id))
        if seal and seal_of(stored) == seal:
            self._keep_copy(book_id, stored)
        return stored

    def _copy(self, book_id: str) -> Path | None:
        name = sha256("\n".join((self._server.host, self._collection, book_id)))[:12]
        return self._copies / f"records-{name}.json" if self._copies else None

    def _copied(self, book_id: str) -> Payloads | None:
        with suppress(OSError, ValueError, TypeError, RecursionError, AttributeError):
            if path := self._copy(book_id):
                copied = json.loads(read_book_file(path, MAX_BYTES))
                return {point_id: dict(payload) for point_id, payload in copied.items()}
        return None

    def _keep_copy(self, book_id: str, payloads: Payloads) -> None:
        """Write the copy; that it cannot be written costs the next run time, and fails nothing."""
        with suppress(OSError):
            if path := self._copy(book_id):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, json.dumps({point_id: _bare(each) for point_id, each in payloads.items()}))

    def _unseal(self, own: str) -> None:
        self._server.call(
            "recording",
            lambda client: client.set_payload(self._collection, {SEAL: NONE}, points=[own], wait=True),
        )

    def forget(self, book_id: str) -> None:
        """See StateStore."""
        self._stored.pop(book_id, None)
        selected = rest.FilterSelector(filter=_of_book(book_id))
        self._if_recorded(
            f"forgetting book {book_id!r}", lambda client: client.delete(self._collection, selected, wait=True)
        )

    def _scroll(
        self, book_id: str, leave_out: Sequence[str] = ("chunk_ids",)
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the payloads of a book's points, without the ids of chunks where their number is told beside them."""
        offset: Any = None
        while True:
            page = self._page(book_id, offset, leave_out)
            if page and any("file_hash" in each and "chunk_count" not in each for each in _payloads(page[0])):
                page = self._page(book_id, offset)
            if page is None:
                return
            points, offset = page
            yield from ((str(point.id), dict(point.payload or {})) for point in points)
            if offset is None:
                return

    def _page(self, book_id: str, offset: Any, leave_out: Sequence[str] = ()) -> tuple[list[rest.Record], Any] | None:
        return self._if_recorded(
            "reading the records",
            lambda client: client.scroll(
                self._collection,
                scroll_filter=_of_book(book_id),
                limit=self._state.limits().page,
                offset=offset,
                with_payload=rest.PayloadSelectorExclude(exclude=list(leave_out)) if leave_out else True,
            ),
        )

    def _payload_of(self, what: str, point_id: str) -> dict[str, Any] | None:
        """Return the payload of a point, empty where there is none; None where there can be no records."""
        points = self._if_recorded(what, lambda client: client.retrieve(self._collection, [point_id]))
        return points if points is None else next((dict(point.payload or {}) for point in points), {})

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


def seal_of(payloads: Payloads) -> str:
    """Return the hash of a book's records."""
    records = sorted((point_id, _bare(each)) for point_id, each in payloads.items() if "source_file" in each)
    return sha256(json.dumps(records, sort_keys=True))


def _ids_in(payload: Mapping[str, Any] | None) -> tuple[str, ...]:
    told = (payload or {}).get("chunk_ids")
    return tuple(map(str, told)) if isinstance(told, list) else ()


def _bare(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload without the ids of chunks."""
    return {name: value for name, value in payload.items() if name != "chunk_ids"}


def _payloads(points: Iterable[rest.Record]) -> Iterator[Mapping[str, Any]]:
    return (point.payload or {} for point in points)


def _changed(state: IngestionState, before: Payloads, wanted: Payloads) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the points of files to write, with the ids of their chunks, which points that stay have already."""
    for path, record in state.records.items():
        payload, there = wanted[point_id := _id(state.book_id, path)], before.get(point_id, {})
        if isinstance(record.chunk_ids, StoredIds) and _bare(there) == payload:
            continue
        payload["chunk_ids"] = list(record.chunk_ids)
        if there != payload:
            yield point_id, payload


def _payloads_of(state: IngestionState) -> Payloads:
    """Return the payloads that a book is to have, without the ids of chunks."""
    common = {"format_version": FORMAT_VERSION, "book_id": state.book_id}
    payloads = {
        _id(state.book_id, path): common | record_as_json(record) | {"source_file": path}
        for path, record in state.records.items()
    }
    book = common | {name: getattr(state, name) for name in _BOOK_FIELDS} | run_as_json(state)
    book |= {"total_chunks": state.total_chunks, SEAL: seal_of(payloads)}
    return payloads | {_id(state.book_id, None): book}


def _state_of(
    book_id: str, collection: str, payloads: Collection[Mapping[str, Any]], ids: IdSource
) -> IngestionState:
    for version in {payload["format_version"] for payload in payloads}:
        _require_readable(version)
    documents = {payload["source_file"]: payload for payload in payloads if "source_file" in payload}
    fingerprints = (text_mapping(document["fingerprint"]) for document in documents.values())
    records = records_from_json(book_id, documents, fingerprints, ids)
    own: Mapping[str, Any] = next((payload for payload in payloads if "source_file" not in payload), {})
    fields = {name: text_or_none(own.get(name)) for name in _BOOK_FIELDS} | run_from_json(own)
    return IngestionState(book_id=book_id, collection_name=collection, records=records, **fields)


def _require_readable(version: Any) -> None:
    if type(version) is not int or version < READABLE_FORMATS[0]:
        raise ValueError(f"format {str(version)[:80]!r}")
    if version not in READABLE_FORMATS:
        raise StateError(
            f"the state on the server has format {version!r}, not one that this bookwise reads "
            f"(1 to {FORMAT_VERSION}); update it"
        )


def _id(book_id: str, path: str | None) -> str:
    """Return the point of a file, or without a path the book's own."""
    return str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, f"bookwise:state:{book_id}"), path or ""))
