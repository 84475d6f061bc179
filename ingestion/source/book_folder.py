"""Open the folder of a book: the site that it belongs to, its lessons, and the place that its contents give each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ingestion.settings import Settings
from ingestion.source.book_order import SUMMARY, Navigation, read_navigation
from ingestion.source.crawler import Crawl, Skipped, SourceFile, can_list, crawl
from ingestion.source.generators import require_style
from ingestion.source.generators.finding import find_site
from ingestion.source.generators.hugo.pages import (
    Cascades,
    inherited,
    leaf_bundles,
    read_cascades,
    reason_in_bundle,
    sections_of,
    without_lost_sections,
)
from ingestion.source.generators.jekyll.pages import defaults_of, reason_without_page
from ingestion.source.hierarchy import CURRENT_VERSION, split_edition
from ingestion.source.site import Site

FOLDER_FACTS = ("folder", "config")
"""What differs between two checkouts of the same book."""


def crawl_book(root: Path, settings: Settings) -> Crawl:
    """Return the lessons of the book at `root`, each with what its site and its contents say of it.

    Raises SourceError as the crawl does, and ConfigurationError where the site's configuration cannot be read, or
    `book.style` names no style.
    """
    require_style(settings.book.style)
    site = find_site(root) if root.is_dir() and can_list(root) else None
    found = crawl(
        root,
        exclude=settings.crawl.exclude,
        include=settings.crawl.include,
        translations=settings.crawl.translations,
        versions=settings.crawl.versions,
        site=site,
    )
    site = _completed(site, found.files) if site else None
    navigation = read_navigation(found.root, site, [file.path for file in found.files])
    is_hugo = site is not None and site.generator == "hugo"
    bundles = leaf_bundles(found.files) if is_hugo else frozenset()
    cascades, lost = read_cascades(found.files) if is_hugo else ({}, {})
    found = without_lost_sections(found, lost)
    has_index = _folders_with_index(site, found.files)
    files: list[SourceFile] = []
    skipped = list(found.skipped)
    for file in found.files:
        reason = _reason_to_skip(file.path, navigation, has_index) or reason_in_bundle(file.path, bundles)
        if reason := reason or _reason_in_collection(file.path, site):
            skipped.append(Skipped(file.path, reason))
        else:
            entry, values = navigation.entry(file.path), _inherited(file.path, site, cascades)
            files.append(replace(file, site=_site_of(file.path, site), entry=entry, inherited=values))
    return replace(
        found,
        files=tuple(files),
        skipped=tuple(sorted(skipped)),
        fingerprint=_fingerprint(site, navigation, cascades),
    )


def _site_of(path: str, site: Site | None) -> Site | None:
    """Return the site with the docs that a page belongs to, where it has several folders of docs."""
    if site is None or not site.instances:
        return site
    edition = split_edition(path)
    every = (site, *site.instances)
    if edition.in_docusaurus:
        return next((each for each in every if each.instance == edition.instance), site)
    return next((each for each in every if each.page_path(path) is not None), site)


def _completed(site: Site, files: Sequence[SourceFile]) -> Site:
    """Return the site with what only its pages tell."""
    instances = tuple(_with_shown_version(each, files) for each in site.instances)
    return replace(_with_shown_version(site, files), instances=instances, sections=sections_of(files, site))


def _with_shown_version(site: Site, files: Sequence[SourceFile]) -> Site:
    """Return the site with the version that searches show unasked: its own, else the newest with pages."""
    editions = [split_edition(file.path) for file in files]
    indexed = {edition.version or CURRENT_VERSION for edition in editions if edition.instance == site.instance}
    order = (site.last_version, *site.versions)
    return replace(site, shown_version=next((each for each in order if each in indexed), CURRENT_VERSION))


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


def _reason_in_collection(path: str, site: Site | None) -> str | None:
    own = site.page_path(path) if site and site.generator == "jekyll" else None
    return reason_without_page(own, site) if site and own else None


def _inherited(path: str, site: Site | None, cascades: Cascades) -> Mapping[str, Any]:
    """Return the metadata that a page has from its sections, or from the configuration of its site."""
    if site and site.defaults and (own := site.page_path(path)):
        return defaults_of(own, site)
    return inherited(path, cascades)


def _fingerprint(site: Site | None, navigation: Navigation, cascades: Cascades) -> str:
    """Return a hash of everything that the site and the contents say, the same in every checkout."""
    facts = [
        {name: value for name, value in asdict(replace(each, instances=())).items() if name not in FOLDER_FACTS}
        for each in ((site, *site.instances) if site else ())
    ]
    entries = {path: asdict(entry) for path, entry in navigation.entries.items()}
    told = [facts, entries, dict(navigation.folders), *([cascades] if cascades else [])]
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
