"""mdBook, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import SUMMARY, BookOrder, read_summary
from ingestion.source.generators.base import Base
from ingestion.source.generators.mdbook.config import facts_of, read
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder


class MdBook(Base):
    """Chapters that SUMMARY.md lists, each an `.html` file."""

    name = "mdbook"
    partials = ()

    def read(self, folder: Path, config: Path) -> Site:
        """Return the site of `book.toml`."""
        return read(folder, config)

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the order of SUMMARY.md, outside of which no file has a page."""
        summary = site.docs_folder / SUMMARY if site else root / SUMMARY
        if site and summary.is_file() and not summary.is_symlink():
            return read_summary(summary, root, paths, complete=True)
        return super().order(site, root, paths)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the configuration may leave chapters, and what lies below them, out of the search."""
        placed = site.in_docs(page.path) if site else None
        unsearched = facts_of(site).unsearched if placed else ()
        return not any(f"{placed}/".startswith(f"{path}/") for path in unsearched)

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the file of a page."""
        from ingestion.source.generators.mdbook.addresses import route

        placed = self.place_of(page, site, options)
        return None if placed is None else route(placed)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return mdBook's names."""
        from ingestion.source.generators.mdbook.addresses import IDS

        return IDS

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds `{{#include …}}` and its like."""
        from ingestion.source.generators.mdbook.text import find_mdbook

        return (find_mdbook,)


STYLED: dict[str, Generator] = {"mdbook": MdBook()}
