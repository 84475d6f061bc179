"""Whether readers of the site see a page: drafts and pages outside of all menus, and what its generator says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ingestion.settings import Settings
from ingestion.source.audience import with_custom_tables
from ingestion.source.generators import of
from ingestion.source.generators.base import NO, is_on, lowered
from ingestion.source.generators.protocol import PageFacts, Publication
from ingestion.source.metadata.keys import meant_key
from ingestion.source.site import Site


def publication_of(
    page: PageFacts, site: Site | None, settings: Settings, now: datetime | None = None
) -> Publication:
    """Return whether a page is published; `crawl.unlisted` takes those outside of all menus for published.

    A value that must be true or false counts as what hides the page.
    """
    metadata = with_custom_tables(page.values)
    values = {meant_key(key) or key: value for key, value in list(metadata.items())[::-1]}
    generator, page = of(site), page._replace(values=values)
    if reason := _hidden_by(values, settings):
        return Publication(reason)
    found = generator.publication(page, site, now or datetime.now(UTC))
    if found.reason or settings.crawl.unsearched or (generator.is_searched(page, site) and not _asks_robots(page)):
        return found
    return Publication("left out of the site's search (index it with `crawl.unsearched`)")


def _hidden_by(values: Mapping[str, Any], settings: Settings) -> str | None:
    """Return which key that all generators have hides a page."""
    if is_on(values.get("draft")):
        return "a draft (`draft`)"
    if "published" in values and lowered(values["published"]) in NO:
        return "not published (`published`)"
    if not settings.crawl.unlisted and is_on(values.get("unlisted")):
        return "unlisted (index it with `crawl.unlisted`)"
    return None


def _asks_robots(page: PageFacts) -> bool:
    """Return whether a page asks search engines to leave it out."""
    return is_on(page.values.get("noindex")) or _names_robots(page.values) or _holds_meta(page.body)


def _names_robots(value: Any) -> bool:
    """Return whether metadata ask search engines to leave a page out: `robots`, or a tag of the page's head."""
    if isinstance(value, Mapping):
        named = value.get("content") if lowered(value.get("name")) == "robots" else value.get("robots")
        return "noindex" in lowered(named) or any(map(_names_robots, value.values()))
    return isinstance(value, list) and any(map(_names_robots, value))


def _holds_meta(body: str) -> bool:
    """Return whether a page has `<meta name="robots" content="noindex">` outside of code."""
    if "noindex" not in body or "robots" not in body:
        return False
    from ingestion.markdown.blocks import walk
    from ingestion.markdown.parser import parse_page
    from ingestion.source.built_site.page import read_page

    page, blocks = parse_page(body)
    elements = (page.source(block) for block in walk(blocks) if block.kind in ("html", "jsx"))
    return not read_page("".join(elements)).listed
