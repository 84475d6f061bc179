"""What Hugo makes of files: bundles that are one page, sections, and pages that are not built, or not any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath

from ingestion.settings.path_patterns import compile_glob
from ingestion.source.generators.base import is_on, lowered
from ingestion.source.generators.hugo.config import Facts, facts_of
from ingestion.source.generators.protocol import PageFacts, Publication
from ingestion.source.site import Site
from ingestion.source.site_reading.patterns import searches
from ingestion.source.site_reading.values import mapping

_UNSEARCHED = ("excludefromsearch", "exclude_search", "excludesearch", "searchexclude")
"""How pages say that they are none for the site's search, in the themes' words."""


def in_bundles(paths: Sequence[str]) -> Mapping[str, str]:
    """Return the files that are resources of the page in their folder, or in one above: Hugo makes one page of a
    folder with an `index.md`, apart from the docs folder itself.
    """
    bundles = {folder for path in paths if is_bundle_page(path) and (folder := path.rpartition("/")[0])}
    holders = ((path, _bundle_of(path, bundles)) for path in (paths if bundles else ()))
    return {
        path: f"belongs to the page of {holder}/, so the site has no page for it"
        for path, holder in holders
        if holder
    }


def _bundle_of(path: str, bundles: Collection[str]) -> str | None:
    """Return the bundle that a file is a resource of; None for the page of one, and for any other."""
    holder = next((folder for folder in folders_of(path) if folder in bundles), None)
    return None if holder == path.rpartition("/")[0] and is_bundle_page(path) else holder


def why_no_page(site: Site) -> Callable[[str], str | None] | None:
    """Return what tells that the configuration ignores a file; None where it ignores none."""
    facts = facts_of(site)
    is_asked = facts.ignored or any(mount.excluded for mount in facts.mounts)
    return partial(_reason_without_page, site=site, facts=facts) if is_asked else None


def _reason_without_page(placed: str, site: Site, facts: Facts) -> str | None:
    """Return that `ignoreFiles` names a file by a regular expression, or that its mount leaves it out."""
    if searches(facts.ignored, f"/{site.docs}/{placed}"):
        return f"ignored in {site.config.name} (`ignoreFiles`)"
    mount = facts.mount_of(placed)
    inner = placed.removeprefix(mount.source).strip("/") if mount else ""
    if mount and any(compile_glob(each.strip("/")).match(inner) is not None for each in mount.excluded):
        return f"left out in {site.config.name} (`excludeFiles`)"
    return None


def with_sections(site: Site, paths: Sequence[str]) -> Site:
    """Return the site with its folders that have an `_index.md`, of which patterns of addresses are made."""
    facts = facts_of(site)
    if not any(":sections" in pattern for _, pattern in facts.rules):
        return site
    placed = (facts.page_path(own) for path in paths if (own := site.in_docs(path)))
    sections = {path.rpartition("/")[0] for path in placed if path and "/_index." in path}
    return replace(site, facts=replace(facts, sections=tuple(sorted(sections))))


def publication(page: PageFacts, now: datetime) -> Publication:
    """Return what build options say, and dates in the future or in the past."""
    values = {key.lower(): value for key, value in page.values.items()}
    build = mapping(values.get("build") or values.get("_build"))
    if lowered(build.get("render")) in ("never", "false", "link"):
        return Publication("not rendered (`build.render`)")
    if is_on(values.get("headless")):
        return Publication("not rendered (`headless`)")
    dates = page._replace(values=values)
    starts, ends = dates.date("publishdate", "date"), dates.date("expirydate")
    if starts and starts > now:
        return Publication(f"published later ({starts:%Y-%m-%d})", starts)
    if ends and ends <= now:
        return Publication(f"expired ({ends:%Y-%m-%d})")
    return Publication(until=ends)


def is_searched(page: PageFacts) -> bool:
    """Return whether no metadata leave the page out of the search."""
    return not any(is_on(value) for key, value in page.values.items() if key.lower() in _UNSEARCHED)


def menu_parent(page: PageFacts, site: Site | None) -> str | None:
    """Return the name of the entry below which a menu shows the page, as the configuration has it."""
    names = dict(facts_of(site).menus)
    entries = mapping(page.values.get("menus") or page.values.get("menu")).values()
    parents = (str(mapping(entry).get("parent")) for entry in entries)
    return next((names[parent] for parent in parents if parent in names), None)


def is_bundle_page(path: str) -> bool:
    """Return whether a file is the page of a bundle, in whatever language."""
    return PurePosixPath(path).name.split(".")[0] == "index"


def folders_of(path: str) -> Iterator[str]:
    """Yield the folders that a file lies in, outermost first."""
    parents = [parent.as_posix() for parent in PurePosixPath(path).parents]
    return ("" if folder == "." else folder for folder in reversed(parents))
