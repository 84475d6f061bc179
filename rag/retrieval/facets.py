"""What a reader can choose among: the modules, tiers, levels and languages of a book, and subjects to ask about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ingestion.models import TIERS
from ingestion.settings.validators import Module
from ingestion.vector_stores.filters import Condition, Equals, Range, Where
from ingestion.vector_stores.protocol import PointReader

LOOKED_AT = 24
"""How many chunks of a module are read for a subject: enough to meet a heading that is a question."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A heading of the book that makes a good first question, and its module."""

    title: str
    module: str


@dataclass(frozen=True, slots=True)
class ModuleChoice:
    """A module with its title, where the book gives one, and its number of chunks."""

    name: str
    title: str | None
    chunks: int


@dataclass(frozen=True, slots=True)
class Choices:
    """The values that filters of one book can take; none of them is a value that no chunk has."""

    book_id: str
    modules: tuple[ModuleChoice, ...]
    tiers: tuple[int, ...]
    levels: tuple[str, ...]
    languages: tuple[str, ...]
    subjects: tuple[Subject, ...]


def choices_of(
    store: PointReader, book_id: str, *, highest_tier: int, modules: Sequence[Module] = ()
) -> Choices | None:
    """Return the choices below a highest tier, modules in the book's order; None where the book has nothing to
    show.
    """
    book = Equals("book_id", book_id)
    where = _up_to(highest_tier, book)
    chunks = store.values("module", where)
    if not chunks:
        return None
    titles = {module.name: module.title for module in modules}
    order = [*(name for name in titles if name in chunks), *sorted(chunks.keys() - titles.keys())]
    tiers = [tier for tier in TIERS if tier <= highest_tier]
    return Choices(
        book_id=book_id,
        modules=tuple(ModuleChoice(name, titles.get(name), chunks[name]) for name in order),
        tiers=tuple(tier for tier in tiers if store.count(Where((book, Range("hardware_tier", gte=tier, lte=tier))))),
        levels=tuple(sorted(store.values("proficiency_levels", where))),
        languages=tuple(sorted(store.values("language", where))),
        subjects=tuple(_subjects(store, book, order)),
    )


def _up_to(tier: int, *conditions: Condition) -> Where:
    return Where((*conditions, Range("hardware_tier", lte=tier)))


def _subjects(store: PointReader, book: Equals, modules: Iterable[str]) -> Iterable[Subject]:
    """Yield one subject a module, from its lessons of the lowest tier, so that everybody's question finds them."""
    for module in modules:
        where = _up_to(min(TIERS), book, Equals("module", module))
        points = store.scroll(where, fields=["page_title", "section_titles", "doc_type"])
        chunks = [point.payload for point in islice(points, LOOKED_AT)]
        title = _best_title([chunk for chunk in chunks if chunk["doc_type"] == "lesson"] or chunks)
        if title:
            yield Subject(title, module)


def _best_title(chunks: Sequence[dict[str, Any]]) -> str | None:
    """Return a heading that is a question of some length, else a page's title."""
    asked = [title for chunk in chunks for title in chunk.get("section_titles", ()) if title.endswith(("?", "؟"))]
    titles = sorted(asked, key=len, reverse=True) or [chunk["page_title"] for chunk in chunks]
    return titles[0] if titles else None
