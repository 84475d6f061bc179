"""Which pages a site does not publish: drafts of every generator, and pages that no menu leads to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ingestion.source.audience import with_custom_tables
from ingestion.source.dates import read_date
from ingestion.source.metadata_keys import meant_key
from ingestion.source.site import Site

_NO = ("", "false", "no", "off", "0", "n")


def reason_unpublished(
    metadata: Mapping[str, Any], site: Site | None, *, unlisted: bool, now: datetime | None = None
) -> str | None:
    """Return why a page is not published, or None; with `unlisted`, pages outside of all menus count as published.

    A value that is neither true nor false counts as what hides the page.
    """
    values = {meant_key(key) or key: value for key, value in list(with_custom_tables(metadata).items())[::-1]}
    if _is_on(values.get("draft")):
        return "a draft (`draft`)"
    if "published" in values and _text(values["published"]) in _NO:
        return "not published (`published`)"
    if not unlisted and _is_on(values.get("unlisted")):
        return "unlisted (index it with `crawl.unlisted`)"
    generator = site.generator if site else None
    now = now or datetime.now(UTC)
    if generator == "hugo":
        return _unpublished_by_hugo(values, now)
    date = read_date(values.get("date"))
    if site and generator == "jekyll" and not site.shows_future and date and date > now:
        return f"published later ({date:%Y-%m-%d})"
    if _text(values.get("render")) in ("false", "never"):
        return "not rendered (`render`)"
    return "excluded (`exclude`)" if generator == "mkdocs" and _is_on(values.get("exclude")) else None


def _unpublished_by_hugo(values: Mapping[str, Any], now: datetime) -> str | None:
    """Hugo's own rules: build options, and dates in the future or in the past."""
    keys = {key.lower(): value for key, value in values.items()}
    build = keys.get("build") or keys.get("_build")
    if isinstance(build, Mapping) and _text(build.get("render")) in ("never", "false", "link"):
        return "not rendered (`build.render`)"
    if _is_on(keys.get("headless")):
        return "not rendered (`headless`)"
    starts = read_date(keys.get("publishdate")) or read_date(keys.get("date"))
    ends = read_date(keys.get("expirydate"))
    if starts and starts > now:
        return f"published later ({starts:%Y-%m-%d})"
    return f"expired ({ends:%Y-%m-%d})" if ends and ends <= now else None


def _is_on(value: Any) -> bool:
    return value is not None and _text(value) not in _NO


def _text(value: Any) -> str:
    return str(value).strip().lower()
