"""What is recorded of the index, and the state file that keeps it, one entry a book."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from ingestion.atomic_file import write_atomically
from ingestion.book_files import read_book_file
from ingestion.collector import collector_paused
from ingestion.errors import RecordsDamaged, StateError
from ingestion.ids import sha256
from ingestion.models import IngestionState
from ingestion.own_files import explain
from ingestion.state.chunk_ids import NONE, ChunkIdFile, Lesson, StoredIds, line_of
from ingestion.state.records import (
    FORMAT_VERSION,
    IDS_APART,
    READABLE_FORMATS,
    record_as_json,
    records_from_json,
    run_as_json,
    run_from_json,
    text_mapping,
    text_or_none,
)

MAX_BYTES = 1 << 30
"""Far more than the records of a library of a million lessons take."""


class StateStore(Protocol):
    """Where the records of a collection's books are kept; a fast path, never the truth (design decision 7)."""

    @property
    def folder(self) -> Path:
        """What a recorded docs root is relative to."""

    def load(self, book_id: str, collection: str) -> IngestionState:
        """Return what is recorded of a book; empty where nothing is.

        Raises RecordsDamaged for records that a run can rebuild, StateError for those that it cannot read.
        """

    def last_run(self, book_id: str) -> str | None:
        """Return when a book was last indexed, without reading its records; None where that is not told."""

    def set_aside(self, book_id: str) -> str:
        """Move damaged records of a book out of the way; returns where they are now, for people."""

    def books(self) -> list[str]:
        """Return the recorded books, sorted."""

    def save(self, state: IngestionState) -> None:
        """Record a book; a crash leaves what may be out of date, never what cannot be read."""

    def forget(self, book_id: str) -> None:
        """Remove the records of one book."""


class StateFile:
    """`.ingestion_state.json`: sorted keys and relative paths, so that equal indexes have equal files.

    The ids of chunks are in a second file (`chunk_ids`), which is written first. Records that name other ids than
    those that are there tell of no run, so that every file is compared with the index.
    """

    def __init__(self, path: Path, chunk_ids: Path | None = None) -> None:
        self.path = path
        self._ids = ChunkIdFile(chunk_ids or path.with_name(f"{path.stem}.chunks.jsonl"))
        self._last: tuple[object, dict[str, Any]] | None = None
        self._loaded: dict[str, IngestionState] = {}
        self._seal: str | None = None

    @property
    def folder(self) -> Path:
        """See StateStore: the file's own."""
        return self.path.parent

    def load(self, book_id: str, collection: str) -> IngestionState:
        """Return what is recorded of a book; empty where the file or the book is missing or of another collection.

        Raises RecordsDamaged where the file is broken, StateError where it is newer than this program: an empty
        start over a full index would only look like one.
        """
        entry = self._read().get(book_id)
        try:
            if entry is None or entry["collection_name"] != collection:
                return IngestionState(book_id=book_id, collection_name=collection)
            if book_id not in self._loaded:
                self._loaded[book_id] = _state_of(book_id, entry, self._ids)
            state = self._loaded[book_id]
        except _WRONG_SHAPE as error:
            raise self._broken(f"book {book_id}: {error!r}") from error
        run_id = state.run_id if self._seal in (None, self._ids.seal()) else None
        return replace(state, records=dict(state.records), in_doubt=set(state.in_doubt), run_id=run_id)

    def last_run(self, book_id: str) -> str | None:
        """See StateStore: a book's own fields stand before its records, a line each."""
        is_its_own = False
        with suppress(OSError, ValueError, TypeError), self.path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("  ") and line[2] == '"':
                    is_its_own = line.startswith(f"  {_encode(book_id)}: ")
                elif is_its_own and line.startswith(f"   {_LAST_RUN}"):
                    return text_or_none(json.loads(line.strip().removeprefix(_LAST_RUN).rstrip(",")))
        return None

    def set_aside(self, book_id: str) -> str:
        """See StateStore: the file as it was, beside it; the entries of other books stay where they can be read."""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        try:
            try:
                books = self._read()
            except RecordsDamaged:
                os.replace(self.path, aside)
            else:
                write_atomically(aside, self.path.read_text(encoding="utf-8"))
                self._write({book: entry for book, entry in books.items() if book != book_id})
        except OSError as error:
            raise StateError(f"{self.path}: cannot be set aside: {error}") from error
        return str(aside)

    def books(self) -> list[str]:
        """Return the recorded books, sorted."""
        return sorted(self._read())

    def save(self, state: IngestionState) -> None:
        """Replace the entry of one book; a crash leaves the old file or the new one, never half of one."""
        self._write(self._read() | {state.book_id: _json_of(state, self._ids)})

    def forget(self, book_id: str) -> None:
        """Remove the entry of one book."""
        self._write({book: entry for book, entry in self._read().items() if book != book_id})

    def _read(self) -> dict[str, Any]:
        """Return the entries of all books; those last read while the file is the same, which no caller changes."""
        same = self._signature()
        if same is None or self._last is None or self._last[0] != same:
            self._last, self._loaded = (same, self._parsed()), {}
        return self._last[1]

    def _signature(self) -> object:
        """Return what is another whenever the file was replaced; None where there is none."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    @collector_paused
    def _parsed(self) -> dict[str, Any]:
        try:
            text = read_book_file(self.path, MAX_BYTES).decode()
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as error:
            raise self._broken(str(error)) from error
        except OSError as error:
            raise StateError(f"{self.path}: cannot be read: {explain(error)}") from error
        document, version = self._document(text)
        if type(version) is not int or version < READABLE_FORMATS[0]:
            raise self._broken(f"format {str(version)[:_LONGEST_CAUSE]!r}")
        if version not in READABLE_FORMATS:
            raise StateError(
                f"{self.path}: format {version!r} is not supported by this version (it reads 1 to {FORMAT_VERSION}); "
                "update it"
            )
        self._seal = document.get("chunk_ids", NONE) if version >= IDS_APART else None
        books = document.get("books")
        if not isinstance(books, dict):
            raise self._broken("no books in it")
        return books

    def _document(self, text: str) -> tuple[Any, Any]:
        """Return what a state file holds, and its version."""
        try:
            document = json.loads(text)
            if "\\ud" in text.lower():
                _encode(document).encode()  # half a character, which nothing could write again
            return document, document["format_version"]
        except _WRONG_SHAPE as error:
            raise self._broken(repr(error)[:_LONGEST_CAUSE]) from error

    def _broken(self, cause: str) -> RecordsDamaged:
        return RecordsDamaged(
            f"{self.path}: cannot be read ({cause}); `bookwise ingest` sets it aside and rebuilds it from the index, "
            "without embedding anything again"
        )

    def _write(self, books: Mapping[str, Any]) -> None:
        lines: dict[Lesson, str] = {}
        before, written = self._ids.lines(), dict(books)
        for book, entry in books.items():
            with suppress(*_WRONG_SHAPE):  # another book's, which stays as it is
                written[book] = _without_ids(book, entry, before, lines)
        document: dict[str, Any] = {"format_version": FORMAT_VERSION, "books": written}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if seal := self._ids.write(lines):
                document["chunk_ids"] = seal
            write_atomically(self.path, _text_of(document) + "\n")
        except OSError as error:
            raise StateError(f"{self.path}: cannot be written: {error}") from error


_WRONG_SHAPE = (TypeError, KeyError, AttributeError, ValueError, RecursionError)
"""What reading a document raises that is not what was written: other types, other names, or nested too deep."""

_LONGEST_CAUSE = 200

_STATE_FIELDS = ("collection_name", "docs_root", "last_full_ingest", "last_incremental_update")

_LAST_RUN = '"last_incremental_update": '

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_LEVELS = 4
"""Document, books, book, records."""


def _text_of(value: Any, levels: int = _LEVELS) -> str:
    """Write JSON with a line a record: indentation further down takes ten times as long, and long runs save often."""
    if not levels or not value or not isinstance(value, dict):
        return _encode(value)
    margin = " " * (_LEVELS - levels)
    inner = ",\n".join(f"{margin} {_encode(key)}: {_text_of(value[key], levels - 1)}" for key in sorted(value))
    return f"{{\n{inner}\n{margin}}}"


def _parted(lesson: Lesson, document: Any, before: Mapping[Lesson, str]) -> tuple[dict[str, Any], str | None]:
    """Return a record without the ids of its chunks, and the line of these."""
    record = dict(document)
    ids = record.pop("chunk_ids", None)
    if ids is None:
        return record, before.get(lesson)
    book_id, path = lesson
    return record | {"book_id": book_id, "source_file": path, "chunk_count": len(ids)}, line_of(lesson, ids)


def _without_ids(
    book_id: str, entry: Any, before: Mapping[Lesson, str], lines: dict[Lesson, str]
) -> Mapping[str, Any]:
    """Return the entry of a book without the ids of its chunks, whose lines are added to `lines`.

    Ids that a record does not bring are those written `before`; where they are lost, it tells of no run any more.
    """
    is_whole, records = True, {}
    for path, document in entry["records"].items():
        lesson = (book_id, path)
        record, line = _parted(lesson, document, before)
        if record["chunk_count"] and line:
            lines[lesson] = line
        elif record["chunk_count"]:
            is_whole = False
        records[path] = record
    total = sum(record["chunk_count"] for record in records.values())
    entry = {**entry, "book_id": book_id, "total_chunks": total, "records": records}
    return entry if is_whole else {name: value for name, value in entry.items() if name != "run_id"}


@collector_paused
def _state_of(book_id: str, entry: Mapping[str, Any], ids: ChunkIdFile) -> IngestionState:
    """Return the state in a book's entry; in format 2 its records name a fingerprint, of which a book has few."""
    known = {name: text_mapping(each) for name, each in entry.get("fingerprints", {}).items()}
    documents = entry["records"]
    named = (document["fingerprint"] for document in documents.values())
    fingerprints = (known[each] if isinstance(each, str) else text_mapping(each) for each in named)
    records = records_from_json(book_id, documents, fingerprints, ids)
    fields: dict[str, Any] = {name: text_or_none(entry[name]) for name in _STATE_FIELDS}
    return IngestionState(book_id=book_id, records=records, **fields, **run_from_json(entry))


def _json_of(state: IngestionState, own: ChunkIdFile) -> dict[str, Any]:
    """Return the entry of a book; a record has the ids of its chunks, unless they are `own` ones already."""
    names: dict[tuple[tuple[str, str], ...], str] = {}
    records = {}
    for path, record in state.records.items():
        stages = tuple(record.fingerprint.items())
        name = names.get(stages) or names.setdefault(stages, sha256(_encode(dict(stages)))[:12])
        records[path] = record_as_json(record) | {"fingerprint": name}
        source = record.chunk_ids.source if isinstance(record.chunk_ids, StoredIds) else None
        if not (isinstance(source, ChunkIdFile) and source.path == own.path):
            with suppress(RecordsDamaged):
                records[path]["chunk_ids"] = list(record.chunk_ids)
    entry: dict[str, Any] = {name: getattr(state, name) for name in _STATE_FIELDS} | run_as_json(state)
    return entry | {"fingerprints": {name: dict(stages) for stages, name in names.items()}, "records": records}
