"""The fences of a query as conditions on the payload; a value that the book does not have is an error."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.errors import UsageError
from ingestion.hierarchy import DEFAULT_MODULES
from ingestion.setting_values import Module
from ingestion.vector_stores import AnyOf, Condition, Equals, Range, VectorStore, Where
from rag.models import SearchQuery

SHOWN = 12
"""How many known values a message lists."""


def where_of(query: SearchQuery, module: str | None) -> Where:
    """The query's fences as conditions on the payload."""
    must: list[Condition] = [
        Equals("book_id", query.book_id),
        Range("hardware_tier", lte=query.hardware_tier_filter),
    ]
    equal = {
        "module": module,
        "lesson": query.lesson_filter,
        "layers": query.layer_filter,
        "parent_doc_id": query.parent_doc_id,
        "language": query.language,
    }
    must += [Equals(field, value) for field, value in equal.items() if value is not None]
    if query.chapter_min is not None or query.chapter_max is not None:
        must.append(Range("chapter", gte=query.chapter_min, lte=query.chapter_max))
    if query.proficiency_levels:
        must.append(AnyOf("proficiency_levels", query.proficiency_levels))
    if query.doc_types:
        must.append(AnyOf("doc_type", query.doc_types))
    return Where(tuple(must))


def known_module(query: SearchQuery, store: VectorStore, modules: Sequence[Module]) -> str | None:
    """The module's own name, aliases resolved; raises UsageError, listing the known ones, where there is none."""
    if query.module_filter is None:
        return None
    wanted = query.module_filter.strip().lower()
    for module in modules or DEFAULT_MODULES:
        if wanted in (module.name, *module.aliases):
            wanted = module.name
    known = sorted({*_values(query, store, "module"), *(module.name for module in modules)})
    if wanted not in known:
        raise _unknown("module", query.module_filter, query, known)
    return wanted


def check_values(query: SearchQuery, store: VectorStore) -> None:
    """Raise UsageError, listing the known ones, for a language, lesson or parent id that the book does not have."""
    asked = {"language": query.language, "lesson": query.lesson_filter, "parent_doc_id": query.parent_doc_id}
    for field, value in asked.items():
        if value is not None:
            known = _values(query, store, field)
            if str(value) not in known:
                raise _unknown(_NAMES[field], str(value), query, known)


_NAMES = {"language": "language", "lesson": "lesson number", "parent_doc_id": "lesson with the parent id"}


def _values(query: SearchQuery, store: VectorStore, field: str) -> list[str]:
    found = (str(value) for value in store.values(field, Where((Equals("book_id", query.book_id),))))
    return sorted(found, key=lambda value: (len(value) if field == "lesson" else 0, value))


def _unknown(name: str, value: str, query: SearchQuery, known: Sequence[str]) -> UsageError:
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return UsageError(f"no {name} {value!r} in {query.book_id}; known are {', '.join(known[:SHOWN]) or 'none'}{more}")
