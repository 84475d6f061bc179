"""The lessons of a book in its own order: what can be read, by title, path and address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingestion.settings.validators import Module
from ingestion.vector_stores.filters import FIRST_CHUNK, Equals, Where
from ingestion.vector_stores.protocol import PointReader
from rag.retrieval.filters import is_other_version

_FIELDS = (
    *("source_file", "parent_doc_id", "page_title", "page_url", "module", "chapter", "lesson", "hardware_tier"),
    *("language", "doc_type", "front_matter", "updated_at", "docs_version_rank"),
)
_BEFORE_ALL = -1


@dataclass(frozen=True, slots=True)
class LessonEntry:
    """One lesson; `page_url` is empty where the book has no address, `description` where the author wrote none."""

    title: str
    source_file: str
    parent_doc_id: str
    page_url: str
    module: str
    chapter: int | None
    lesson: int | None
    hardware_tier: int
    language: str
    doc_type: str
    description: str


def list_lessons(store: PointReader, where: Where, modules: Sequence[Module] = ()) -> list[LessonEntry]:
    """Return the lessons that have a chunk inside the filter, in the order of the book.

    Other versions of pages than the shown one are left out, unless the filter names one. Reads some fields of each
    lesson's first chunk; while a run rewrites a lesson it has two, of which the newer tells its title.
    """
    entries = [_entry(payload) for _, payload in sorted(_newest_chunks(store, where).items())]
    # The book's own order; modules that it does not list follow as their folders do.
    names = dict.fromkeys((*(module.name for module in modules), *(entry.module for entry in entries)))
    order = {name: place for place, name in enumerate(names)}
    return sorted(entries, key=lambda entry: _place(entry, order))


def _newest_chunks(store: PointReader, where: Where) -> dict[str, dict[str, Any]]:
    newest: dict[str, dict[str, Any]] = {}
    names_version = any(
        isinstance(condition, Equals) and condition.field == "docs_version" for condition in where.must
    )
    for point in store.scroll(replace(where, must=(*where.must, FIRST_CHUNK)), fields=_FIELDS):
        payload = point.payload
        if is_other_version(payload) and not names_version:
            continue
        known = newest.get(payload["source_file"])
        if known is None or str(payload["updated_at"]) > str(known["updated_at"]):
            newest[payload["source_file"]] = payload
    return newest


def module_title(name: str, modules: Sequence[Module]) -> str:
    """Return the title that the book gives the module, else its name."""
    return next((module.title for module in modules if module.name == name and module.title), name)


def _entry(payload: dict[str, Any]) -> LessonEntry:
    return LessonEntry(
        title=payload["page_title"],
        source_file=payload["source_file"],
        parent_doc_id=payload["parent_doc_id"],
        page_url=payload.get("page_url") or "",
        module=payload["module"],
        chapter=payload.get("chapter"),
        lesson=payload.get("lesson"),
        hardware_tier=payload["hardware_tier"],
        language=payload["language"],
        doc_type=payload["doc_type"],
        description=_description(payload.get("front_matter") or ""),
    )


def _place(entry: LessonEntry, order: dict[str, int]) -> tuple[Any, ...]:
    return (order[entry.module], _number(entry.chapter), _number(entry.lesson), entry.source_file)


def _number(number: int | None) -> int:
    return _BEFORE_ALL if number is None else number


def _description(front_matter: str) -> str:
    """Return the author's `description`, on one line; what is not text is none."""
    try:
        values = json.loads(front_matter or "{}")
    except ValueError:
        return ""
    given = values.get("description") if isinstance(values, dict) else None
    return " ".join(given.split()) if isinstance(given, str) else ""
