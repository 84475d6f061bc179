"""What most site generators answer, from which each derives its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ingestion.settings.book import CrawlSettings
from ingestion.source.book_order import SUMMARY, BookOrder, Entry, chapter_of, read_categories, read_summary
from ingestion.source.crawler import Ignored, SourceFile
from ingestion.source.editions import TRANSLATIONS, VERSIONS, stands_for_folder
from ingestion.source.generators.protocol import AddressOptions, HandedDown, PageFacts, Publication
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import is_own_file

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.markdown.syntax import Syntax
    from ingestion.source.includes.directives import Finder, Variables
    from ingestion.source.metadata.front_matter import FrontMatter

PARTIALS = ("_*", "!_index.md", "!_index.mdx", "!_index.markdown")
"""Pieces of pages, by their underscore."""

NO = ("", "false", "no", "off", "0", "n")


class Base:
    """A generator that makes a page of each file but those whose names begin with an underscore."""

    name: str
    default_route: str = ""
    rewrites_markup: bool = False
    links_by_name: bool = False
    partials: Sequence[str] = PARTIALS
    """Patterns of files that are pieces of pages."""

    no_pages: Sequence[str] = ()
    """Patterns of files that the generator makes no page of, by their suffix."""

    def _file(self, name: str) -> Any:
        """Return a file of the generator's folder, loaded when it is asked first."""
        return import_module(f"ingestion.source.generators.{self.name}.{name}")

    def read(self, folder: Path, config: Path) -> Site | None:
        """Return what `read` of its `config.py` returns."""
        return cast("Site | None", self._file("config").read(folder, config))

    def ignored(self, site: Site | None, crawl: CrawlSettings) -> Sequence[Ignored]:
        """Return partials, translations and versions that are not asked for, and what its site leaves out."""
        found = [
            *map(Ignored, self.partials),
            *(() if crawl.translations else map(Ignored, TRANSLATIONS)),
            *(() if crawl.versions else map(Ignored, VERSIONS)),
            *map(Ignored, self.no_pages),
            *(self.own_rules(site) if site else ()),
        ]
        if site:
            found += (Ignored(pattern, f"excluded in {site.config.name}:") for pattern in site.excluded)
            found += (Ignored(pattern, f"a draft by {site.config.name}:") for pattern in site.drafts)
        return found

    def own_rules(self, site: Site) -> Iterable[Ignored]:
        """Return rules of the generator itself that its configuration may overrule."""
        return ()

    def folders_outside(self, site: Site, root: Path, crawl: CrawlSettings) -> Sequence[str]:
        """Return no folder."""
        return ()

    def complete(self, site: Site, paths: Sequence[str]) -> Site:
        """Return the site as it is."""
        return site

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the order of SUMMARY.md, else that of `_category_` files."""
        summary = root / SUMMARY
        if is_own_file(summary):
            return read_summary(summary, root, paths)
        return read_categories(root, site.folder if site else root, paths)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the files for which `why_no_page` gives a reason."""
        if (why := self.why_no_page(site)) is None:
            return {}
        reasons = ((path, why(placed)) for path in paths if (placed := site.in_docs(path)))
        return {path: reason for path, reason in reasons if reason}

    def why_no_page(self, site: Site) -> Callable[[str], str | None] | None:
        """Return what tells of a path in the docs why no page is made of it; None where a page is made of each."""
        return None

    def front_matter(self, text: str) -> FrontMatter:
        """Return metadata in the forms that most generators read."""
        from ingestion.source.metadata.front_matter import split_front_matter

        return split_front_matter(text)

    def handed_down(self, site: Site, files: Sequence[SourceFile]) -> HandedDown:
        """Return nothing."""
        return HandedDown()

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return that a page is shown unless it says that it is not rendered."""
        is_shown = lowered(page.values.get("render")) not in ("false", "never")
        return Publication(None if is_shown else "not rendered (`render`)")

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the search shows every page."""
        return True

    def version(self, path: str, site: Site) -> tuple[str, int] | None:
        """Return that there is one version."""
        return None

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return what the site's contents name above a page, else the titles of its folders but the one it is."""
        listed = self.sidebar_chapter(page, site, entry) if site else None
        if listed is not None:
            return listed or None
        titles = entry.folder_titles[:-1] if stands_for_folder(page.path) else entry.folder_titles
        return entry.chapter_title or chapter_of(titles)

    def sidebar_chapter(self, page: PageFacts, site: Site, entry: Entry) -> str | None:
        """Return the titles above a page in a sidebar, "" for none; None, as here, where no sidebar lists it."""
        return None

    def place_of(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return a page's path below the base address: from the root of the lessons, else from the docs folder."""
        return page.path if options.from_root or site is None else site.in_docs(page.path)

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return what `address` of its `addresses.py` makes of a page's path; None for a file outside of the docs."""
        placed = self.place_of(page, site, options)
        return None if placed is None else self._file("addresses").address(page, placed, site, options)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return `IDS` of its `addresses.py`."""
        return cast("HeadingIds", self._file("addresses").IDS)

    def own_syntax(self) -> Syntax:
        """Return `SYNTAX` of its `text.py`."""
        return cast("Syntax", self._file("text").SYNTAX)

    def syntax(self, page: PageFacts, site: Site | None) -> Syntax:
        """Return its own syntax, with what MDX has beside it where the page is MDX."""
        syntax = self.own_syntax()
        return syntax.as_mdx() if self.is_mdx(page, site) else syntax

    def is_mdx(self, page: PageFacts, site: Site | None) -> bool:
        """Return whether its name says so."""
        return page.path.lower().endswith(".mdx")

    def labels(self, text: str) -> Set[str]:
        """Return what `labels_of` of its `text.py` returns, none where it has no such."""
        found = getattr(self._file("text"), "labels_of", None)
        return cast("Set[str]", found(text)) if found else frozenset()

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return `FINDERS` of its `text.py`, none where it has no such."""
        return getattr(self._file("text"), "FINDERS", ())

    def variables(self, page: PageFacts, site: Site | None) -> Variables | None:
        """Return what `variables_of` of its `text.py` returns, none where it has no such."""
        found = getattr(self._file("text"), "variables_of", None)
        return cast("Variables", found(page, site)) if found else None


def is_on(value: Any) -> bool:
    """Return whether a value in metadata says yes: anything but a no, since that errs towards hiding."""
    return value is not None and lowered(value) not in NO


def lowered(value: Any) -> str:
    """Return a value as text in lower case."""
    return str(value).strip().lower()
