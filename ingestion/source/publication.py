"""Whether readers of the site see a page: drafts and pages outside of all menus, and what its generator says."""

from __future__ import annotations

from datetime import UTC, datetime

from ingestion.settings import Settings
from ingestion.source.audience import with_custom_tables
from ingestion.source.generators import of
from ingestion.source.generators.base import NO, is_on, lowered
from ingestion.source.generators.protocol import PageFacts, Publication
from ingestion.source.metadata_keys import meant_key
from ingestion.source.site import Site


def publication_of(
    page: PageFacts, site: Site | None, settings: Settings, now: datetime | None = None
) -> Publication:
    """Return whether a page is published; `crawl.unlisted` takes those outside of all menus for published.

    A value that is neither true nor false counts as what hides the page.
    """
    metadata = with_custom_tables(page.values)
    values = {meant_key(key) or key: value for key, value in list(metadata.items())[::-1]}
    if is_on(values.get("draft")):
        return Publication("a draft (`draft`)")
    if "published" in values and lowered(values["published"]) in NO:
        return Publication("not published (`published`)")
    if not settings.crawl.unlisted and is_on(values.get("unlisted")):
        return Publication("unlisted (index it with `crawl.unlisted`)")
    found = of(site).publication(page._replace(values=values), site, now or datetime.now(UTC))
    hidden = not found.searchable or is_on(values.get("noindex")) or "noindex" in lowered(values.get("robots"))
    if found.reason or not hidden or settings.crawl.unsearched:
        return found
    return Publication("left out of the site's search (index it with `crawl.unsearched`)")
