"""Open the folder of a book: the site that it belongs to, its lessons, and the place that its contents give each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath

from ingestion.settings import Settings
from ingestion.source.crawler import Crawl, Skipped, SourceFile, crawl
from ingestion.source.hierarchy import CURRENT_VERSION, page_version
from ingestion.source.nav import SUMMARY, Navigation, read_navigation
from ingestion.source.site import Site, find_site

FOLDER_FACTS = ("folder", "config")
"""What differs between two checkouts of the same book."""


def crawl_book(root: Path, settings: Settings) -> Crawl:
    """Return the lessons of the book at `root`, each with what its site and its contents say of it.

    Raises SourceError as the crawl does, and ConfigurationError where the site's configuration cannot be read.
    """
    site = find_site(root) if root.is_dir() else None
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
    bundles = _leaf_bundles(site, found.files)
    files: list[SourceFile] = []
    skipped = list(found.skipped)
    for file in found.files:
        if reason := _reason_to_skip(file.path, navigation) or _reason_in_bundle(file.path, bundles):
            skipped.append(Skipped(file.path, reason))
        else:
            files.append(replace(file, site=site, entry=navigation.entry(file.path)))
    return replace(
        found,
        files=tuple(files),
        skipped=tuple(sorted(skipped)),
        fingerprint=_fingerprint(site, navigation),
    )


def _shown_version(site: Site, files: Sequence[SourceFile]) -> str:
    """Return the version that searches show unasked: that of the site, else the newest of which there are pages."""
    indexed = {page_version(file.path) for file in files}
    order = (site.last_version, *site.versions)
    return next((version for version in order if version in indexed), CURRENT_VERSION)


def _reason_to_skip(path: str, navigation: Navigation) -> str | None:
    if path in navigation.files:
        return "the table of contents, not a lesson"
    if navigation.complete and path not in navigation.entries:
        return f"not in {SUMMARY}, so that the site has no page for it"
    return None


def _leaf_bundles(site: Site | None, files: Sequence[SourceFile]) -> frozenset[str]:
    """The folders that Hugo makes one page of: those with an `index.md`, apart from the docs folder itself."""
    if site is None or site.generator != "hugo":
        return frozenset()
    folders = (file.path.rpartition("/")[0] for file in files if _is_bundle_page(file.path))
    return frozenset(folder for folder in folders if site.page_path(f"{folder}/") and folder)


def _reason_in_bundle(path: str, bundles: frozenset[str]) -> str | None:
    """Why Hugo makes no page of a file: it is a resource of the page in its folder, or in one above."""
    if not bundles:
        return None
    folder = path.rpartition("/")[0]
    above = [parent.as_posix() for parent in PurePosixPath(path).parents]
    holder = next((each for each in reversed(above) if each in bundles), None)
    if holder is None or (holder == folder and _is_bundle_page(path)):
        return None
    return f"belongs to the page of {holder}/, so that the site has no page for it"


def _is_bundle_page(path: str) -> bool:
    return PurePosixPath(path).name.split(".")[0] == "index"


def _fingerprint(site: Site | None, navigation: Navigation) -> str:
    """Return a hash of everything that the site and the contents say, the same in every checkout."""
    facts = {name: value for name, value in asdict(site).items() if name not in FOLDER_FACTS} if site else {}
    entries = {path: asdict(entry) for path, entry in navigation.entries.items()}
    text = json.dumps([facts, entries, dict(navigation.folders)], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
