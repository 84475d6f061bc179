"""The folders of Docusaurus' translations and versions, and which version is shown unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ingestion.settings.book import CrawlSettings
from ingestion.source.editions import CURRENT_VERSION, page_version, split_edition
from ingestion.source.generators.docusaurus.config import facts_of
from ingestion.source.site import Site


def folders_outside(site: Site, root: Path, crawl: CrawlSettings) -> list[str]:
    """Return the folders of translations and versions that do not lie below the root, relative to the site's."""
    patterns: list[str] = []
    for docs in (site, *site.instances):
        before, behind = (f"{docs.instance}_", f"-{docs.instance}") if docs.instance else ("", "")
        translated = f"i18n/*/docusaurus-plugin-content-docs{behind}"
        patterns += [f"{before}versioned_docs/version-*"] if crawl.versions else []
        patterns += [f"{translated}/current"] if crawl.translations else []
        patterns += [f"{translated}/version-*"] if crawl.translations and crawl.versions else []
    folders = (folder for pattern in patterns for folder in site.folder.glob(pattern))
    outside = (folder for folder in folders if folder.is_dir() and not folder.is_relative_to(root))
    inside = (folder for folder in outside if folder.resolve() == folder)
    return sorted(folder.relative_to(site.folder).as_posix() for folder in inside)


def with_shown_versions(site: Site, paths: Sequence[str]) -> Site:
    """Return the site, each of its instances with the version that searches show unasked."""
    instances = tuple(_with_shown_version(each, paths) for each in site.instances)
    return replace(_with_shown_version(site, paths), instances=instances)


def _with_shown_version(site: Site, paths: Sequence[str]) -> Site:
    """Return the site with the version that readers see, else the newest with pages."""
    editions = [split_edition(path) for path in paths]
    indexed = {edition.version or CURRENT_VERSION for edition in editions if edition.instance == site.instance}
    facts = facts_of(site)
    order = (facts.last_version, *facts.versions)
    shown = next((each for each in order if each in indexed), CURRENT_VERSION)
    return replace(site, facts=replace(facts, shown_version=shown))


def version_of(path: str, site: Site) -> tuple[str, int] | None:
    """Return a page's version and its rank; None on a site without versions."""
    facts = facts_of(site)
    if not facts.versions:
        return None
    version = page_version(path)
    others = (each for each in (CURRENT_VERSION, *facts.versions) if each != facts.shown_version)
    order = [facts.shown_version, *others]
    return version, order.index(version) if version in order else len(order)
