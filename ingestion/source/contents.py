"""What would be indexed, by names alone: every page with its place in the book."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ingestion.settings import Settings
from ingestion.source.crawler import Skipped, crawl
from ingestion.source.hierarchy import Place, locate


@dataclass(frozen=True, slots=True)
class Page:
    """One page to index."""

    path: str
    place: Place


@dataclass(frozen=True, slots=True)
class Contents:
    """All pages of a docs root in path order, and what is left out."""

    root: str
    pages: tuple[Page, ...]
    modules: Counter[str]
    skipped: tuple[Skipped, ...]
    clashes: tuple[tuple[str, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """One JSON document."""
        pages = [{"path": each.path, **asdict(each.place)} for each in self.pages]
        return {
            "root": self.root,
            "files": pages,
            "modules": dict(sorted(self.modules.items())),
            "skipped": [asdict(each) for each in self.skipped],
            "clashes": self.clashes,
        }


def table_of_contents(root: Path, settings: Settings) -> Contents:
    """The pages below `root`; raises SourceError as the crawl does. Opens no page."""
    found = crawl(
        root, exclude=settings.crawl.exclude, include=settings.crawl.include, translations=settings.crawl.translations
    )
    pages = tuple(
        Page(file.path, locate(file.path, modules=settings.modules, patterns=settings.book.paths))
        for file in found.files
    )
    return Contents(
        root=str(root),
        pages=pages,
        modules=Counter(page.place.module for page in pages),
        skipped=(*found.skipped, *found.unreadable),
        clashes=found.clashes,
    )
