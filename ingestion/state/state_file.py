"""What is recorded of the index, and the state file that keeps it, one entry a book (DESIGN "The state file")."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

from ingestion.errors import StateError
from ingestion.models import IngestionRecord, IngestionState

FORMAT_VERSION = 1


class StateStore(Protocol):
    """Where the records of a collection's books are kept; a fast path, never the truth (DESIGN decision 7)."""

    @property
    def folder(self) -> Path:
        """What a recorded docs root is relative to."""

    def load(self, book_id: str, collection: str) -> IngestionState:
        """What is recorded of a book; empty where nothing is. Raises StateError for records it cannot read."""

    def books(self) -> list[str]:
        """The recorded books, sorted."""

    def save(self, state: IngestionState) -> None:
        """Record a book; a crash leaves what may be out of date, never what cannot be read."""

    def forget(self, book_id: str) -> None:
        """Remove the records of one book."""


class StateFile:
    """`.ingestion_state.json`: sorted keys and relative paths, so that equal indexes have equal files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def folder(self) -> Path:
        """See StateStore: the file's own."""
        return self.path.parent

    def load(self, book_id: str, collection: str) -> IngestionState:
        """What is recorded of a book; empty where the file or the book is missing or of another collection.

        Raises StateError where the file is broken or newer than this program, since an empty start over a full
        index would only look like one.
        """
        raw = self._read().get(book_id)
        try:
            if raw is None or raw["collection_name"] != collection:
                return IngestionState(book_id=book_id, collection_name=collection)
            records = {path: _record(book_id, path, each) for path, each in raw["records"].items()}
            return IngestionState(**(raw | {"book_id": book_id, "records": records}))
        except (TypeError, KeyError, AttributeError) as error:
            raise self._broken(f"book {book_id}: {error!r}") from error

    def books(self) -> list[str]:
        """The recorded books, sorted."""
        return sorted(self._read())

    def save(self, state: IngestionState) -> None:
        """Replace the entry of one book; a crash leaves the old file or the new one, never half of one."""
        self._write(self._read() | {state.book_id: _json_of(state)})

    def forget(self, book_id: str) -> None:
        """Remove the entry of one book."""
        self._write({book: entry for book, entry in self._read().items() if book != book_id})

    def _read(self) -> dict[str, Any]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise self._broken(str(error)) from error
        try:
            document = json.loads(text)
            version = document["format_version"]
        except (ValueError, TypeError, KeyError) as error:
            raise self._broken(repr(error)) from error
        if version != FORMAT_VERSION:
            raise StateError(
                f"{self.path}: format {version!r} is not this program's {FORMAT_VERSION}; use its version"
            )
        books = document.get("books")
        if not isinstance(books, dict):
            raise self._broken("no books in it")
        return books

    def _broken(self, cause: str) -> StateError:
        return StateError(
            f"{self.path}: cannot be read ({cause}); move it away and run `bookwise ingest`, which rebuilds it from "
            "the index without embedding anything again"
        )

    def _write(self, books: Mapping[str, Any]) -> None:
        document = {"format_version": FORMAT_VERSION, "books": books}
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.write(_text_of(document) + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StateError(f"{self.path}: cannot be written: {error}") from error


_STATE_FIELDS = tuple(each.name for each in fields(IngestionState) if each.name != "book_id")
_RECORD_FIELDS = tuple(each.name for each in fields(IngestionRecord) if each.name not in ("source_file", "book_id"))
"""Without the fields that the entry's place in the file already tells."""


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_LEVELS = 4
"""Document, books, book, records."""


def _text_of(value: Any, levels: int = _LEVELS) -> str:
    """JSON with a line a record: indentation further down takes ten times as long, and long runs save often."""
    if not levels or not value or not isinstance(value, dict):
        return _encode(value)
    margin = " " * (_LEVELS - levels)
    inner = ",\n".join(f"{margin} {_encode(key)}: {_text_of(value[key], levels - 1)}" for key in sorted(value))
    return f"{{\n{inner}\n{margin}}}"


def _record(book_id: str, path: str, raw: dict[str, Any]) -> IngestionRecord:
    return IngestionRecord(**(raw | {"source_file": path, "book_id": book_id, "chunk_ids": tuple(raw["chunk_ids"])}))


def _json_of(state: IngestionState) -> dict[str, Any]:
    entry = {name: getattr(state, name) for name in _STATE_FIELDS}
    entry["records"] = {
        path: {name: getattr(record, name) for name in _RECORD_FIELDS} for path, record in state.records.items()
    }
    return entry
