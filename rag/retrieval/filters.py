"""Filters as conditions on the payload, and narrowing by whoever asks; an unknown value of the book is an error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ingestion.errors import UsageError
from ingestion.models import TIERS
from ingestion.settings.validators import Module
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, Range, Where
from ingestion.vector_stores.protocol import PointReader
from ingestion.vector_stores.types import Payload
from rag.filters import EVERYTHING, Filters

SHOWN = 12
"""How many known values a message lists."""


def where_of(book_id: str, filters: Filters, modules: Sequence[Module]) -> Where:
    """Return the conditions on the payload that the filters mean in a book with these modules."""
    must: list[Condition] = [Equals("book_id", book_id)]
    if filters.hardware_tier < max(TIERS):  # no chunk has a higher one, and to compare all costs time
        must.append(Range("hardware_tier", lte=filters.hardware_tier))
    equal = {
        "module": module_of(filters, modules),
        "lesson": filters.lesson,
        "layers": filters.layer,
        "parent_doc_id": filters.parent_doc_id,
        "language": filters.language,
        "docs_version": filters.docs_version,
    }
    must += [Equals(field, value) for field, value in equal.items() if value is not None]
    if filters.chapter_min is not None or filters.chapter_max is not None:
        must.append(Range("chapter", gte=filters.chapter_min, lte=filters.chapter_max))
    if filters.proficiency_levels:
        must.append(AnyOf("proficiency_levels", filters.proficiency_levels))
    if filters.doc_types:
        must.append(AnyOf("doc_type", filters.doc_types))
    return Where(tuple(must))


def shown_version(where: Where) -> Where:
    """Return the filter without the versions of pages that are shown only to who asks for them."""
    return Where(where.must, (*where.must_not, Range("docs_version_rank", gte=1)))


def is_other_version(payload: Payload) -> bool:
    """Return whether a chunk's page is of a version that is shown only to who asks for it."""
    return bool(payload.get("docs_version_rank"))


def module_of(filters: Filters, modules: Sequence[Module]) -> str | None:
    """Return the module of the filters by its own name."""
    return None if filters.module is None else module_name(filters.module, modules)


def module_name(given: str, modules: Sequence[Module]) -> str:
    """Return the module's own name, aliases resolved."""
    wanted = given.strip().lower()
    return next((module.name for module in modules if wanted in (module.name, *module.aliases)), wanted)


def check_values(
    book_id: str, filters: Filters, store: PointReader, modules: Sequence[Module], scope: Filters = EVERYTHING
) -> None:
    """Raise UsageError, listing the known ones, for a value that the book does not have within `scope`.

    `scope` is all that the asker may see; what lies outside is not named, since a name tells too. To be called where
    nothing was found: to list the known values costs more than a search.
    """
    visible = where_of(book_id, scope, modules)
    asked: dict[str, Collection[str | int] | None] = {
        "module": _one(module_of(filters, modules)),
        "language": _one(filters.language),
        "docs_version": _one(filters.docs_version),
        "lesson": _one(filters.lesson),
        "layers": _one(filters.layer),
        "proficiency_levels": filters.proficiency_levels,
        "doc_type": filters.doc_types,
        "parent_doc_id": _one(filters.parent_doc_id),
    }
    for field, values in asked.items():
        if values is not None:
            known = _values(visible, store, field)
            if field == "module" and scope == EVERYTHING:
                known = sorted({*known, *(module.name for module in modules)})
            if not set(map(str, values)) & set(known):
                raise _unknown(_NAMES.get(field, field), ", ".join(map(repr, map(str, values))), book_id, known)
    if filters.chapter_min is not None or filters.chapter_max is not None:
        _check_chapters(filters, book_id, _values(visible, store, "chapter"))


def _check_chapters(filters: Filters, book_id: str, known: Sequence[str]) -> None:
    first, last = filters.chapter_min, filters.chapter_max
    if not any(
        (first is None or int(chapter) >= first) and (last is None or int(chapter) <= last) for chapter in known
    ):
        given = str(first) if first == last else f"{'' if first is None else first}-{'' if last is None else last}"
        raise _unknown("chapter", given, book_id, _as_ranges([int(chapter) for chapter in known]))


def _as_ranges(numbers: Sequence[int]) -> list[str]:
    """Return numbers in order as text, those in a row as `first-last`."""
    runs = (list(run) for _, run in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]))
    ends = ((run[0][1], run[-1][1]) for run in runs)
    return [str(first) if first == last else f"{first}-{last}" for first, last in ends]


def _one(value: str | int | None) -> tuple[str | int] | None:
    return None if value is None else (value,)


_NAMES = {
    "lesson": "lesson number",
    "layers": "layer",
    "docs_version": "version of the documentation",
    "proficiency_levels": "level",
    "doc_type": "kind of page",
    "parent_doc_id": "lesson with the parent id",
}


def _values(where: Where, store: PointReader, field: str) -> list[str]:
    found = (str(value) for value in store.values(field, where))
    return sorted(found, key=lambda value: (len(value) if field in ("chapter", "lesson") else 0, value))


def _unknown(name: str, value: str, book_id: str, known: Sequence[str]) -> UsageError:
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return UsageError(f"no {name} {value} in {book_id}; known are {', '.join(known[:SHOWN]) or 'none'}{more}")


def narrowed(filters: Filters, asked: Mapping[str, Any], modules: Sequence[Module]) -> Filters:
    """Return the filters with what is asked for inside them; a value of None asks for nothing.

    Raises UsageError for a value outside, and for an empty choice, which a search would take for no filter.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    set_before = filters.given()
    for name, value in given.items():
        outer = set_before.get(name)
        if value in ([], ()):
            raise UsageError(f"{name} is empty; give at least one value, or leave the argument out")
        if outer is not None and not _is_inside(name, value, outer, modules):
            raise UsageError(
                f"{name} {_shown(value)} is outside the filter {_shown(outer)}, which was set when the server was "
                "started; use a value within it, or leave the argument out"
            )
    return replace(filters, **given)


def _is_inside(name: str, value: Any, outer: Any, modules: Sequence[Module]) -> bool:
    match name:
        case "hardware_tier" | "chapter_max":
            return bool(value <= outer)
        case "chapter_min":
            return bool(value >= outer)
        case "proficiency_levels" | "doc_types":
            return set(value) <= set(outer)
        case "module":
            return module_name(value, modules) == module_name(outer, modules)
        case _:
            return bool(value == outer)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else repr(value)
