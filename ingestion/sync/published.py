"""What a built site says of the lessons of a run: read where it is there, else as it was recorded.

A run without the build deletes nothing for that, and keeps the addresses that were recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.models import IngestionMode, IngestionState, PublishedPage
from ingestion.settings import Settings
from ingestion.source.built_site.folder import BuiltSite
from ingestion.source.built_site.lessons import NO_PAGE, LessonPages, open_site, page_now, pages_of
from ingestion.source.crawler import Crawl, Skipped, SourceFile
from ingestion.state.stat_cache import StatCache
from ingestion.sync.known import payloads_of
from ingestion.sync.plan import FileFacts
from ingestion.vector_stores.protocol import PointReader

HAD_NO_PAGE = "the last build of the site had no page for it"
NOT_KNOWN = (
    "the state file is lost and the site is not built, so it is not known whether this is published; build the site"
)


@dataclass(frozen=True, slots=True)
class Build:
    """The built site of a run; `site` is None where it is not built now."""

    site: BuiltSite | None
    cache: StatCache

    @classmethod
    def open(cls, settings: Settings, mode: IngestionMode) -> Build:
        """Find the built site that the settings name."""
        folder = Path(settings.book.built or "")
        cache = StatCache(Path(settings.index.directory), folder, trusted=mode == "incremental")
        return cls(open_site(settings, cache), cache)


@dataclass(frozen=True, slots=True)
class Published:
    """The lessons that the site publishes, their pages by path, and the lessons without one."""

    facts: tuple[FileFacts, ...]
    pages: Mapping[str, PublishedPage]
    without: tuple[Skipped, ...]


def say_what_is_missing(build: Build, settings: Settings, tell: Callable[[str], None]) -> None:
    """Tell the user where the site is not built now."""
    if build.site is None:
        tell(
            f"book.built: no built site in {settings.book.built}: lessons keep the addresses and ids that were "
            "recorded or are in the index, and new ones get the generator's; build the site, and run again"
        )


def published_lessons(
    build: Build | None,
    facts: tuple[FileFacts, ...],
    unchanged: Collection[str],
    crawl: Crawl,
    state: IngestionState,
    settings: Settings,
    indexed: Mapping[str, PublishedPage],
) -> Published:
    """Return what a build says of lessons; those whose page is another than was recorded count as changed.

    `indexed` are the pages of lessons without a record as the index has them, which stand for a build that is not
    there. `unchanged` are lessons that are as recorded, which are not read while their pages are the same. Raises
    ConfigurationError where the build is that of another book.
    """
    recorded = {path: record.published for path, record in state.records.items() if record.published}
    present = {file.path for file in facts}
    told, reason = LessonPages({}, frozenset()), NO_PAGE
    if build and build.site:
        files = [file for file in crawl.files if file.path in present]
        told = _told_now(build.site, files, settings, recorded, present.intersection(unchanged))
    elif build:
        told, reason = _told_before(present, state, recorded, indexed)
    without = tuple(Skipped(path, reason) for path in sorted(told.without))
    return Published(_as_told(facts, told, recorded), told.pages, without)


def _as_told(
    facts: tuple[FileFacts, ...], told: LessonPages, recorded: Mapping[str, PublishedPage]
) -> tuple[FileFacts, ...]:
    return tuple(
        replace(each, others_changed=True) if told.pages.get(each.path) != recorded.get(each.path) else each
        for each in facts
        if each.path not in told.without
    )


def _told_now(
    site: BuiltSite,
    files: Sequence[SourceFile],
    settings: Settings,
    recorded: Mapping[str, PublishedPage],
    same: Collection[str],
) -> LessonPages:
    """Return what the build says; lessons that are the `same` are not read where their pages are as recorded."""
    known = {
        path: recorded[path] for path in same if path in recorded and page_now(site, recorded[path]) == recorded[path]
    }
    return pages_of(files, settings, site, known)


def _told_before(
    present: set[str],
    state: IngestionState,
    recorded: Mapping[str, PublishedPage],
    indexed: Mapping[str, PublishedPage],
) -> tuple[LessonPages, str]:
    """Return what the last build said, and what is said of lessons that had no page in it."""
    known = {**indexed, **recorded}
    pages = {path: known[path] for path in known.keys() & present}
    if indexed and not state.records:
        return LessonPages(pages, frozenset(present - indexed.keys())), NOT_KNOWN
    return LessonPages(pages, frozenset(state.without_page & present - state.records.keys())), HAD_NO_PAGE


def pages_in(store: PointReader, book_id: str, paths: Collection[str]) -> dict[str, PublishedPage]:
    """Return the address of each lesson, and the ids and titles of its headings, as its points have them."""
    urls: dict[str, str] = {}
    sections = defaultdict[str, list[tuple[int, list[tuple[str, str]]]]](list)
    fields = ("source_file", "page_url", "section_anchors", "section_titles", "line_start")
    for path, urls[path], anchors, titles, line in payloads_of(store, book_id, paths, fields):
        sections[path].append((line, list(zip(anchors, titles, strict=False))))
    headings = {
        path: tuple(dict.fromkeys(pair for _, pairs in sorted(found) for pair in pairs if pair[0]))
        for path, found in sections.items()
    }
    return {path: PublishedPage("", url, headings[path]) for path, url in urls.items()}
