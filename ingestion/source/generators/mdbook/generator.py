"""mdBook, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ingestion.source.book_order import SUMMARY, BookOrder, read_summary
from ingestion.source.generators.base import Base
from ingestion.source.generators.mdbook.config import facts_of
from ingestion.source.generators.protocol import Generator, PageFacts
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import is_own_file


class MdBook(Base):
    """Chapters that SUMMARY.md lists, each an `.html` file."""

    name = "mdbook"
    partials = ()

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the order of SUMMARY.md, outside of which no file has a page."""
        summary = site.docs_folder / SUMMARY if site else root / SUMMARY
        if site and is_own_file(summary):
            return read_summary(summary, root, paths, complete=True)
        return super().order(site, root, paths)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the configuration may leave chapters, and what lies below them, out of the search."""
        placed = site.in_docs(page.path) if site else None
        unsearched = facts_of(site).unsearched if placed else ()
        return not any(f"{placed}/".startswith(f"{path}/") for path in unsearched)


STYLED: dict[str, Generator] = {"mdbook": MdBook()}
