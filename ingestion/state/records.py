"""Records as JSON, the same for the state file and for a Qdrant server, and checked when they are read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingestion.models import IngestionRecord, IngestionState, RecordedFinding

FORMAT_VERSION = 2
"""Format 2 adds findings and included files. Format 1 is read; its files are looked at again once."""

READABLE_FORMATS = (1, 2)


def record_as_json(record: IngestionRecord) -> dict[str, Any]:
    """Return the record without its path and book, which its place tells; what is empty is left out."""
    document: dict[str, Any] = {
        "file_hash": record.file_hash,
        "chunk_ids": list(record.chunk_ids),
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
    return document


def record_from_json(
    book_id: str, path: str, document: Mapping[str, Any], fingerprint: dict[str, str]
) -> IngestionRecord:
    """Read a record back; raises KeyError, TypeError or ValueError where it is not one.

    `fingerprint` is that which the document has or names, checked: a book has few.
    """
    shares_lesson = document["shares_lesson"]
    if not isinstance(shares_lesson, bool):
        raise TypeError(f"shares_lesson of {path} is not true or false")
    return IngestionRecord(
        source_file=path,
        file_hash=_text(document["file_hash"]),
        chunk_ids=_texts(document["chunk_ids"]),
        ingested_at=_text(document["ingested_at"]),
        book_id=book_id,
        module=_text(document["module"]),
        chapter=_number(document["chapter"]),
        lesson=_number(document["lesson"]),
        shares_lesson=shares_lesson,
        fingerprint=fingerprint,
        findings=tuple(_finding(finding) for finding in document["findings"]) if "findings" in document else (),
        includes=text_mapping(document.get("includes", {})),
        published_until=_text(document.get("published_until", "")),
    )


def run_as_json(state: IngestionState) -> dict[str, Any]:
    """Return what ties the records of a book to its points; what is empty is left out."""
    document = {"run_id": state.run_id, "in_doubt": sorted(state.in_doubt)}
    return {name: value for name, value in document.items() if value}


def run_from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a state that `run_as_json` wrote; raises TypeError where they are not that."""
    return {"run_id": text_or_none(document.get("run_id")), "in_doubt": set(_texts(document.get("in_doubt", [])))}


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


def _number(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise TypeError(f"{str(value)[:80]} is not a whole number")
    return value


def _finding(value: Any) -> RecordedFinding:
    line, rule, message = value
    return RecordedFinding(_number(line), _text(rule), _text(message))
