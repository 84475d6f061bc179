"""Records as JSON, the same for the state file and for a Qdrant server, and checked when they are read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from types import NoneType
from typing import Any

from ingestion.models import IngestionRecord, IngestionState, PublishedPage, RecordedFinding
from ingestion.state.chunk_ids import IdSource, Lesson, StoredIds

FORMAT_VERSION = 3
"""Format 2 adds findings and included files, 3 keeps the ids of chunks apart. Older ones are read and replaced."""

READABLE_FORMATS = (1, 2, 3)
IDS_APART = 3


def record_as_json(record: IngestionRecord) -> dict[str, Any]:
    """Return the record without the ids of its chunks, which are kept apart; what is empty is left out."""
    document: dict[str, Any] = {
        "book_id": record.book_id,
        "source_file": record.source_file,
        "file_hash": record.file_hash,
        "chunk_count": record.chunk_count,
        "ingested_at": record.ingested_at,
        "module": record.module,
        "chapter": record.chapter,
        "lesson": record.lesson,
        "shares_lesson": record.shares_lesson,
        "fingerprint": dict(record.fingerprint),
    }
    if record.findings:
        document["findings"] = [list(finding) for finding in record.findings]
    if record.includes:
        document["includes"] = dict(record.includes)
    if record.published_until:
        document["published_until"] = record.published_until
    if record.published:
        file, url, headings = record.published
        document["published"] = [file, url, [list(heading) for heading in headings]]
    return document


def records_from_json(
    book_id: str,
    documents: Mapping[str, Mapping[str, Any]],
    fingerprints: Iterable[Mapping[str, str]],
    ids: IdSource,
) -> dict[str, IngestionRecord]:
    """Read the records of a book back, by path; raises KeyError, TypeError or ValueError where one is none.

    `fingerprints` are those that the documents have or name, checked: a book has few. Each field is read and checked
    of all records at once, which takes a quarter of the time: a run with nothing to do reads them all.
    """
    each = documents.values()

    def texts(field: str) -> list[str]:
        return _only([document[field] for document in each], str)

    def numbers(field: str) -> list[int | None]:
        return _only([document[field] for document in each], int, NoneType)

    records = map(
        IngestionRecord,
        documents,
        texts("file_hash"),
        [_ids(document, (book_id, path), ids) for path, document in documents.items()],
        texts("ingested_at"),
        repeat(book_id),
        texts("module"),
        numbers("chapter"),
        numbers("lesson"),
        _only([document["shares_lesson"] for document in each], bool),
        fingerprints,
        [tuple(map(_finding, found)) if (found := document.get("findings")) else () for document in each],
        [text_mapping(found) if (found := document.get("includes")) else {} for document in each],
        _only([document.get("published_until", "") for document in each], str),
        [_published(found) if (found := document.get("published")) else None for document in each],
    )
    return dict(zip(documents, records, strict=True))


def _ids(document: Mapping[str, Any], lesson: Lesson, source: IdSource) -> Sequence[str]:
    """Return the ids of a lesson: those in its record, as older formats have them, or those that are kept apart."""
    if "chunk_ids" in document:
        return _texts(document["chunk_ids"])
    count = document["chunk_count"]
    if type(count) is not int or count < 0:
        raise TypeError(f"{str(count)[:80]!r} is not a number of chunks")
    return StoredIds(source, lesson, count)


def run_as_json(state: IngestionState) -> dict[str, Any]:
    """Return what ties the records of a book to its points; what is empty is left out."""
    document = {
        "run_id": state.run_id,
        "in_doubt": sorted(state.in_doubt),
        "without_page": sorted(state.without_page),
    }
    return {name: value for name, value in document.items() if value}


def run_from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a state that `run_as_json` wrote; raises TypeError where they are not that."""
    paths = {name: set(_texts(document.get(name, []))) for name in ("in_doubt", "without_page")}
    return {"run_id": text_or_none(document.get("run_id")), **paths}


def text_mapping(value: Any) -> dict[str, str]:
    """Return a mapping from text to text; raises TypeError for anything else."""
    if not isinstance(value, dict) or not all(type(text) is str for pair in value.items() for text in pair):
        raise TypeError(f"{str(value)[:80]} is not a mapping of texts")
    return value


def text_or_none(value: Any) -> str | None:
    """Return a text or None; raises TypeError for anything else."""
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:80]} is not a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(type(item) is str for item in value):
        raise TypeError(f"{str(value)[:80]} is not a list of texts")
    return tuple(value)


def _only(values: list[Any], *kinds: type) -> list[Any]:
    """Return the values; raises TypeError where one is of another type."""
    if set(map(type, values)) <= set(kinds):
        return values
    wrong = next(value for value in values if type(value) not in kinds)
    raise TypeError(f"{str(wrong)[:80]!r} is not of type {kinds[0].__name__}")


def _published(value: Any) -> PublishedPage:
    file, url, headings = value
    return PublishedPage(_text(file), _text(url), tuple((_text(name), _text(text)) for name, text in headings))


def _finding(value: Any) -> RecordedFinding:
    line, rule, message = value
    [number] = _only([line], int, NoneType)
    return RecordedFinding(number, _text(rule), _text(message))
