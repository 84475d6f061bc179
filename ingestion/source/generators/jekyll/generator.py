"""Jekyll, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial

from ingestion.source.book_order import Entry
from ingestion.source.crawler import Ignored, SourceFile
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.jekyll import pages
from ingestion.source.generators.jekyll.config import facts_of
from ingestion.source.generators.protocol import Generator, HandedDown, PageFacts, Publication
from ingestion.source.site import Site


class Jekyll(Base):
    """Pages and collections; on GitHub a file without metadata is a page too."""

    name = "jekyll"
    no_pages = ("*.mdx",)

    def own_rules(self, site: Site) -> Iterable[Ignored]:
        """Return that the folders of collections hold pages, whatever their underscore says."""
        collections = (Ignored(f"!/{site.before_docs}{folder}/") for folder, _ in facts_of(site).rules)
        return (*collections, Ignored("!_posts/"))

    def why_no_page(self, site: Site) -> Callable[[str], str | None]:
        """Return what tells that a post has no date, or one in the future."""
        return partial(pages.reason_without_page, site=site)

    def handed_down(self, site: Site, files: Sequence[SourceFile]) -> HandedDown:
        """Return the defaults of the configuration."""
        return HandedDown(values_of=lambda path: pages.defaults_of(site.in_docs(path), site))

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return that a page needs metadata, and that one of a later date is not shown yet."""
        facts = facts_of(site)
        if facts.needs_metadata and not page.has_metadata:
            return Publication("has no front matter; Jekyll does not publish it")
        date = page.date("date")
        if site and not facts.shows_future and date and date > now:
            return Publication(f"published later ({date:%Y-%m-%d})")
        return super().publication(page, site, now)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the search leaves out a page with `search_exclude`."""
        return not is_on(page.values.get("search_exclude"))

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return what the contents say, else the pages above it by its metadata."""
        return super().chapter(page, site, entry) or pages.chapter(page, site)


STYLED: dict[str, Generator] = {"jekyll": Jekyll()}
