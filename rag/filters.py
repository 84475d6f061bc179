"""The filters of a question: what a caller may see and wants to see, in one value.

Command-line options (`rag/commands/filter_options.py`), the schemas of the API and of MCP
(`rag/retrieval/filter_schema.py`) and the conditions on the payload (`rag/retrieval/filters.py`) are derived from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from ingestion.errors import UsageError
from ingestion.models import TIERS, DocType, ProficiencyLevel, TeachingLayer

if TYPE_CHECKING:
    from collections.abc import Iterator

SearchMode = Literal["hybrid", "dense", "keyword"]


def _described(flag: str | None, description: str, query_field: str | None = None, *, default: Any = None) -> Any:
    """Return a field with its command-line flag, its description, and the name that SearchQuery gives it."""
    metadata = {"flag": flag, "description": description, "query_field": query_field}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a search keeps to; all filters must hold, of the levels and of the kinds of page any. None: no filter.

    Raises UsageError for a value that no lesson can have, and for an empty choice, which would mean "all".
    """

    hardware_tier: int = _described(
        "--tier", "Hardware tier of the reader: lessons for this tier or lower.", "hardware_tier_filter", default=1
    )
    module: str | None = _described("--module", "Only this module of the book.", "module_filter")
    chapter_min: int | None = _described(None, "First chapter of a range.")
    chapter_max: int | None = _described(None, "Last chapter of a range.")
    lesson: int | None = _described("--lesson", "Only this lesson number.", "lesson_filter")
    proficiency_levels: tuple[ProficiencyLevel, ...] | None = _described(
        "--level", "Only lessons of this proficiency level; may be repeated."
    )
    layer: TeachingLayer | None = _described("--layer", "Only lessons of this teaching layer.", "layer_filter")
    parent_doc_id: str | None = _described("--parent", "Only the lesson with this parent id.")
    language: str | None = _described("--language", "Only pages in this language, such as `en`.")
    docs_version: str | None = _described(
        "--docs-version", "Only this version of the documentation, such as `1.0`; by default the current one."
    )
    doc_types: tuple[DocType, ...] | None = _described("--kind", "Only pages of this kind; may be repeated.")

    def __post_init__(self) -> None:
        _check_choice("hardware tier", (self.hardware_tier,), TIERS)
        _check_choice("level", self.proficiency_levels, get_args(ProficiencyLevel))
        _check_choice("layer", None if self.layer is None else (self.layer,), get_args(TeachingLayer))
        _check_choice("kind of page", self.doc_types, get_args(DocType))
        if self.chapter_min is not None and self.chapter_max is not None and self.chapter_min > self.chapter_max:
            raise UsageError(
                f"chapters {self.chapter_min}-{self.chapter_max}: the first number is larger than the last"
            )

    def with_tier(self, tier: int) -> Filters:
        """Return the same filters for a reader of another hardware tier."""
        return replace(self, hardware_tier=tier)

    def given(self) -> dict[str, Any]:
        """Return the filters that are set, by name; the hardware tier always is."""
        return {name: value for name, value in self._values() if value is not None}

    def query_fields(self) -> dict[str, Any]:
        """Return the filters by the names that SearchQuery gives them."""
        return {QUERY_FIELDS[name]: value for name, value in self._values()}

    def describe(self) -> str:
        """Return the filters that are set as text for people, such as `hardware tier 2 or lower; language en`."""
        return "; ".join(_text(name, value) for name, value in self.given().items())

    def _values(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in QUERY_FIELDS)


QUERY_FIELDS: dict[str, str] = {field.name: field.metadata["query_field"] or field.name for field in fields(Filters)}
"""The name of each filter in SearchQuery."""


def _check_choice(name: str, chosen: tuple[Any, ...] | None, allowed: tuple[Any, ...]) -> None:
    if chosen is None:
        return
    if not chosen:
        raise UsageError(f"{name}: empty list; give at least one of {_listed(allowed)}, or leave it out")
    for value in chosen:
        if value not in allowed:
            raise UsageError(f"invalid {name} {value!r}: choose {_listed(allowed)}")


def _listed(allowed: tuple[Any, ...]) -> str:
    return f"{', '.join(map(str, allowed[:-1]))} or {allowed[-1]}"


def _text(name: str, value: Any) -> str:
    if name == "hardware_tier":
        return f"hardware tier {value} or lower" if value < max(TIERS) else "all hardware tiers"
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
    return f"{name.replace('_', ' ')} {shown}"


EVERYTHING = Filters(hardware_tier=max(TIERS))
"""All of a book."""

NO_FILTERS = Filters()
"""What a reader without any equipment sees of a book."""
