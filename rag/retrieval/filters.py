"""The fences of a query as conditions on the payload; a value that the book does not have is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.errors import UsageError
from ingestion.models import TIERS
from ingestion.settings.validators import Module
from ingestion.source.hierarchy import DEFAULT_MODULES
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, Range, Where
from ingestion.vector_stores.protocol import VectorStore
from rag.models import SearchQuery

SHOWN = 12
"""How many known values a message lists."""


def where_of(query: SearchQuery, module: str | None) -> Where:
    """The query's fences as conditions on the payload."""
    must: list[Condition] = [Equals("book_id", query.book_id)]
    if query.hardware_tier_filter < max(TIERS):  # no chunk has a higher one, and to compare all costs time
        must.append(Range("hardware_tier", lte=query.hardware_tier_filter))
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


def module_of(query: SearchQuery, modules: Sequence[Module]) -> str | None:
    """The query's module by its own name."""
    return None if query.module_filter is None else module_name(query.module_filter, modules)


def module_name(given: str, modules: Sequence[Module]) -> str:
    """The module's own name, aliases resolved."""
    wanted = given.strip().lower()
    return next((each.name for each in modules or DEFAULT_MODULES if wanted in (each.name, *each.aliases)), wanted)


def check_values(query: SearchQuery, module: str | None, store: VectorStore, modules: Sequence[Module]) -> None:
    """Raise UsageError, listing the known ones, for a value that the book does not have.

    To be asked where nothing was found: to list the known values costs more than a search.
    """
    asked = {
        "module": module,
        "language": query.language,
        "lesson": query.lesson_filter,
        "parent_doc_id": query.parent_doc_id,
    }
    for field, value in asked.items():
        if value is not None:
            known = _values(query, store, field)
            if field == "module":
                known = sorted({*known, *(each.name for each in modules)})
            if str(value) not in known:
                raise _unknown(_NAMES.get(field, field), str(value), query, known)


_NAMES = {"lesson": "lesson number", "parent_doc_id": "lesson with the parent id"}


def _values(query: SearchQuery, store: VectorStore, field: str) -> list[str]:
    found = (str(value) for value in store.values(field, Where((Equals("book_id", query.book_id),))))
    return sorted(found, key=lambda value: (len(value) if field == "lesson" else 0, value))


def _unknown(name: str, value: str, query: SearchQuery, known: Sequence[str]) -> UsageError:
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return UsageError(f"no {name} {value!r} in {query.book_id}; known are {', '.join(known[:SHOWN]) or 'none'}{more}")


def narrowed(fences: Mapping[str, Any], asked: Mapping[str, Any], modules: Sequence[Module]) -> dict[str, Any]:
    """The fences with what is asked for inside them; both are fields of SearchQuery, None where not set.

    Raises UsageError for a value outside, and for an empty choice, which a search would take for no fence.
    """
    result = dict(fences)
    for name, value in asked.items():
        if value is None:
            continue
        fence = fences.get(name)
        if fence is not None and not _is_inside(name, value, fence, modules):
            raise UsageError(
                f"{name} {_shown(value)} is outside the fence {_shown(fence)}, which is set where the server was "
                "started; ask within it, or leave the argument out"
            )
        if value in ([], ()):
            raise UsageError(f"{name} is empty; name at least one, or leave the argument out")
        result[name] = value
    return result


def _is_inside(name: str, value: Any, fence: Any, modules: Sequence[Module]) -> bool:
    match name:
        case "hardware_tier_filter":
            return bool(value <= fence)
        case "proficiency_levels":
            return set(value) <= set(fence)
        case "module_filter":
            return module_name(value, modules) == module_name(fence, modules)
        case _:
            return bool(value == fence)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else repr(value)
