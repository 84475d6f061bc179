"""What would be indexed: every page with its place in the book, and what is left out."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ingestion.errors import LessonError
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.built_site.lessons import crawl_with_pages
from ingestion.source.crawler import Skipped
from ingestion.source.hierarchy import Place
from ingestion.source.metadata.page import UnpublishedPage, page_place, read_metadata
from ingestion.source.parser import page_address
from ingestion.source.reader import read_source

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    """One page to index; `url` is empty where the site has no address for it, or none is known."""

    path: str
    place: Place
    url: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """All pages of a book in path order, what is left out, and what the users of the book should know."""

    root: str
    pages: tuple[Page, ...]
    modules: Counter[str]
    skipped: tuple[Skipped, ...]
    clashes: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        pages = [{"path": page.path, **asdict(page.place), "url": page.url} for page in self.pages]
        return {
            "root": self.root,
            "files": pages,
            "modules": dict(sorted(self.modules.items())),
            "skipped": [asdict(skipped) for skipped in self.skipped],
            "clashes": self.clashes,
            "notes": list(self.notes),
        }


def table_of_contents(root: Path, settings: Settings) -> Contents:
    """Return the pages below `root`; raises SourceError as the crawl does. Reads the metadata of each page.

    A page that cannot be read is listed where its path says; a run reports what is wrong with it.
    """
    found = crawl_with_pages(crawl_book(root, settings), settings)
    pages, unpublished = [], []
    for file in found.files:
        url = ""
        try:
            source = read_source(file)
            url = page_address(source, read_metadata(source, settings), settings)
        except UnpublishedPage as page:
            unpublished.append(Skipped(file.path, page.reason))
            continue
        except LessonError as error:
            logger.debug("%s", error)
        pages.append(Page(file.path, page_place(file.path, file.entry, settings), url))
    return Contents(
        root=str(root),
        pages=tuple(pages),
        modules=Counter(page.place.module for page in pages),
        skipped=(*sorted((*found.skipped, *unpublished)), *found.unreadable),
        clashes=found.clashes,
        notes=found.site.notes if found.site else (),
    )
