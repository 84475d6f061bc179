"""Filters: our own small values, so that importing an engine's client is never needed to state one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

IndexType = Literal["tenant", "keyword", "integer"]
PAYLOAD_INDEXES: Mapping[str, IndexType] = {
    "book_id": "tenant",
    "module": "keyword",
    "chapter": "integer",
    "lesson": "integer",
    "hardware_tier": "integer",
    "proficiency_level": "keyword",
    "layer": "keyword",
    "parent_doc_id": "keyword",
    "content_hash": "keyword",
    "source_file_hash": "keyword",
    "proficiency_levels": "keyword",
    "layers": "keyword",
    "source_file": "keyword",
    "embed_key": "keyword",
    "language": "keyword",
    "docs_version": "keyword",
    "docs_version_rank": "integer",
    "doc_type": "keyword",
    "chunk_index": "integer",
}
"""Payload fields with an index: those of a chunk that readers filter by, then what reconciling needs."""


def _check_indexed(field: str) -> None:
    """Refuse a filter that would scan every payload of an embedded index, and that a server refuses."""
    if field not in PAYLOAD_INDEXES:
        raise ValueError(f"no index on {field!r}; a filter may use {', '.join(PAYLOAD_INDEXES)}")


@dataclass(frozen=True, slots=True)
class Equals:
    """The field has this value, or holds it if it is a list."""

    field: str
    value: str | int

    def __post_init__(self) -> None:
        _check_indexed(self.field)


FIRST_CHUNK = Equals("chunk_index", 0)
"""One chunk a lesson: what lists lessons looks at no other, of which there are ten times as many."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field has (or holds) one of these values; never empty, since an empty choice must not mean "all"."""

    field: str
    values: tuple[str, ...] | tuple[int, ...]

    def __post_init__(self) -> None:
        _check_indexed(self.field)
        if not self.values:
            raise ValueError(f"empty choice for {self.field}")


@dataclass(frozen=True, slots=True)
class Range:
    """The field lies between the bounds, both inclusive; a missing field never does. One bound may be open."""

    field: str
    gte: int | None = None
    lte: int | None = None

    def __post_init__(self) -> None:
        _check_indexed(self.field)
        if self.gte is None and self.lte is None:
            raise ValueError(f"a range of {self.field} without bounds")


@dataclass(frozen=True, slots=True)
class HasId:
    """The point is one of these; never empty."""

    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.ids:
            raise ValueError("empty choice of ids")


Condition = Equals | AnyOf | Range | HasId


@dataclass(frozen=True, slots=True)
class Where:
    """All of `must` hold and none of `must_not`; without any condition, every point."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()


PATHS_PER_REQUEST = 100


def of_book(book_id: str, *besides: Condition) -> Where:
    """Return the filter of a book's points for which these conditions hold too."""
    return Where((Equals("book_id", book_id), *besides))


def of_files(book_id: str, paths: Collection[str]) -> Iterator[Where]:
    """Yield filters of bounded size that together match the points of these files of a book."""
    ordered = sorted(paths)
    for start in range(0, len(ordered), PATHS_PER_REQUEST):
        yield of_book(book_id, AnyOf("source_file", tuple(ordered[start : start + PATHS_PER_REQUEST])))
