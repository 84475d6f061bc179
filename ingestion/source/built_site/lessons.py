"""The lessons of a book and the pages that a built site has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ingestion.errors import ConfigurationError, LessonError
from ingestion.markdown.headings import outline_of
from ingestion.models import PublishedPage
from ingestion.settings import Settings
from ingestion.source.built_site.folder import BuiltSite, PageCache
from ingestion.source.built_site.matching import UNKNOWN_HOST, LessonOutline, PageMatcher
from ingestion.source.crawler import Crawl, Skipped, SourceFile
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import SourceText, read_source

NO_PAGE = "the built site has no page for it; if it is new, rebuild the site"


class LessonPages(NamedTuple):
    """What a built site says of lessons: their pages by path, and the paths of those without one."""

    pages: Mapping[str, PublishedPage]
    without: frozenset[str]


def open_site(settings: Settings, cache: PageCache | None = None) -> BuiltSite | None:
    """Return the built site that `book.built` names; None where none is named, or it is not built now."""
    folder = Path(settings.book.built) if settings.book.built else None
    site = BuiltSite(folder.resolve(), cache) if folder and folder.is_dir() else None
    return site if site and site.keys else None


def crawl_with_pages(found: Crawl, settings: Settings) -> Crawl:
    """Return a crawl whose files know their pages of the built site, without those that it does not publish.

    Raises ConfigurationError where the site is that of another book.
    """
    if (site := open_site(settings)) is None:
        return found
    told = pages_of(found.files, settings, site)
    files = (replace(file, published=told.pages.get(file.path)) for file in found.files)
    skipped = (Skipped(path, NO_PAGE) for path in told.without)
    return replace(
        found,
        files=tuple(file for file in files if file.path not in told.without),
        skipped=tuple(sorted((*found.skipped, *skipped))),
    )


def page_now(site: BuiltSite, known: PublishedPage) -> PublishedPage | None:
    """Return what a site says now of a page that a lesson had; None where it is gone."""
    return PageMatcher(site).published(known.file, known.url) if known.file in site else None


def pages_of(
    files: Iterable[SourceFile], settings: Settings, site: BuiltSite, known: Mapping[str, PublishedPage] | None = None
) -> LessonPages:
    """Return the page of each lesson; `known` are those of lessons that need not be looked at.

    A lesson that cannot be read has none and is not without one. Raises ConfigurationError where fewer than half of
    the lessons have a page with their title or one of their headings: that is the site of another book.
    """
    known = known or {}
    outlines, base_url = [], ""
    for file in files:
        base_url = base_url or (file.site.url if file.site else settings.book.base_url or "")
        if file.path in known:
            continue
        try:
            outlines.append(_found_by(read_source(file), settings))
        except (LessonError, UnpublishedPage):
            continue
    matches = PageMatcher(site).match(outlines, known, base_url)
    if 2 * matches.sure < (lessons := len(outlines) + len(known)):
        raise ConfigurationError(
            f"book.built: {site.folder}: {matches.sure} of {lessons} lessons match a page there; name the folder "
            "that this book's site was built into (`--site`, or `built` in bookwise.toml)"
        )
    return LessonPages(matches.pages, frozenset(each.path for each in outlines) - matches.pages.keys())


def _found_by(source: SourceText, settings: Settings) -> LessonOutline:
    """Return what a lesson is found by; where no address is known, at a host that stands for it."""
    if source.site and not source.site.url and not settings.book.base_url:
        source = replace(source, site=replace(source.site, url=UNKNOWN_HOST))
    elif not source.site and not settings.book.base_url:
        settings = replace(settings, book=replace(settings.book, base_url=UNKNOWN_HOST))
    lesson = parse_lesson(source, settings)
    _, outline = outline_of(lesson.page.text, lesson.syntax, lesson.heading_ids, lesson.page.anchors)
    return LessonOutline(lesson.path, lesson.url, lesson.title, tuple(outline.titles))
