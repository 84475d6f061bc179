"""Open the folder of a book: the site that it belongs to, its lessons, and the place that its contents give each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ingestion.settings import Settings
from ingestion.source.crawler import Crawl, Skipped, SourceFile, can_list, crawl
from ingestion.source.generators import find_site
from ingestion.source.hierarchy import CURRENT_VERSION, page_version
from ingestion.source.hugo import (
    Cascades,
    inherited,
    leaf_bundles,
    read_cascades,
    reason_in_bundle,
    without_lost_sections,
)
from ingestion.source.nav import SUMMARY, Navigation, read_navigation
from ingestion.source.site import Site

FOLDER_FACTS = ("folder", "config")
"""What differs between two checkouts of the same book."""


def crawl_book(root: Path, settings: Settings) -> Crawl:
    """Return the lessons of the book at `root`, each with what its site and its contents say of it.

    Raises SourceError as the crawl does, and ConfigurationError where the site's configuration cannot be read.
    """
    site = find_site(root) if root.is_dir() and can_list(root) else None
    found = crawl(
        root,
        exclude=settings.crawl.exclude,
        include=settings.crawl.include,
        translations=settings.crawl.translations,
        versions=settings.crawl.versions,
        site=site,
    )
    if site:
        site = replace(site, shown_version=_shown_version(site, found.files))
    navigation = read_navigation(found.root, site, [file.path for file in found.files])
    is_hugo = site is not None and site.generator == "hugo"
    bundles = leaf_bundles(found.files) if is_hugo else frozenset()
    cascades, lost = read_cascades(found.files) if is_hugo else ({}, {})
    found = without_lost_sections(found, lost)
    has_index = _folders_with_index(site, found.files)
    files: list[SourceFile] = []
    skipped = list(found.skipped)
    for file in found.files:
        if reason := _reason_to_skip(file.path, navigation, has_index) or reason_in_bundle(file.path, bundles):
            skipped.append(Skipped(file.path, reason))
        else:
            entry, values = navigation.entry(file.path), inherited(file.path, cascades)
            files.append(replace(file, site=site, entry=entry, inherited=values))
    return replace(
        found,
        files=tuple(files),
        skipped=tuple(sorted(skipped)),
        fingerprint=_fingerprint(site, navigation, cascades),
    )


def _shown_version(site: Site, files: Sequence[SourceFile]) -> str:
    """Return the version that searches show unasked: that of the site, else the newest of which there are pages."""
    indexed = {page_version(file.path) for file in files}
    order = (site.last_version, *site.versions)
    return next((version for version in order if version in indexed), CURRENT_VERSION)


def _folders_with_index(site: Site | None, files: Sequence[SourceFile]) -> frozenset[str]:
    """The folders of an MkDocs site with an `index.md`, beside which README has no page."""
    if site is None or site.generator != "mkdocs":
        return frozenset()
    return frozenset(file.path[: -len("index.md")] for file in files if f"/{file.path}".endswith("/index.md"))


def _reason_to_skip(path: str, navigation: Navigation, has_index: frozenset[str]) -> str | None:
    if path in navigation.files:
        return "the table of contents, not a lesson"
    if navigation.complete and path not in navigation.entries:
        return f"not in {SUMMARY}, so that the site has no page for it"
    if path.endswith("README.md") and path.removesuffix("README.md") in has_index:
        return "stands beside index.md, so that the site has no page for it"
    return None


def _fingerprint(site: Site | None, navigation: Navigation, cascades: Cascades) -> str:
    """Return a hash of everything that the site and the contents say, the same in every checkout."""
    facts = {name: value for name, value in asdict(site).items() if name not in FOLDER_FACTS} if site else {}
    entries = {path: asdict(entry) for path, entry in navigation.entries.items()}
    told = [facts, entries, dict(navigation.folders), *([cascades] if cascades else [])]
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
