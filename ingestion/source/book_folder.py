"""Open the folder of a book: the site that it belongs to, its lessons, and the place that its contents give each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ingestion.collector import collector_paused
from ingestion.settings import Settings
from ingestion.settings.book import CrawlSettings
from ingestion.source.book_order import SUMMARY, BookOrder
from ingestion.source.crawler import Crawl, Skipped, SourceFile, can_list, crawl
from ingestion.source.generators import of, require_style
from ingestion.source.generators.finding import find_site
from ingestion.source.generators.protocol import HandedDown
from ingestion.source.site import Site

FOLDER_FACTS = ("folder", "config")
"""What differs between two checkouts of the same book."""


@collector_paused
def crawl_book(root: Path, settings: Settings) -> Crawl:
    """Return the lessons of the book at `root`, each with what its site and its contents say of it.

    Raises SourceError as the crawl does, and ConfigurationError where the site's configuration cannot be read, or
    `book.style` names no style.
    """
    require_style(settings.book.style)
    site = find_site(root, settings.book.site) if root.is_dir() and can_list(root) else None
    generator, found = of(site), _walk(root, site, settings.crawl)
    paths = [file.path for file in found.files]
    order = generator.order(site, found.root, paths)
    reasons, handed = _left_out(paths, order), HandedDown()
    if site:
        site = generator.complete(site, paths)
        reasons = {**generator.without_page(site, paths), **reasons}
        handed = generator.handed_down(site, found.files)
        order = order.with_titles(handed.titles)
    found = _without_lost(found, handed.lost)
    files = [file for file in found.files if file.path not in reasons]
    for file in files:
        _place(file, site, order, handed)
    skipped = (Skipped(file.path, reasons[file.path]) for file in found.files if file.path in reasons)
    return replace(
        found,
        files=tuple(files),
        skipped=tuple(sorted((*found.skipped, *skipped))),
        fingerprint=_fingerprint(site, order, handed.told),
    )


def _place(file: SourceFile, site: Site | None, order: BookOrder, handed: HandedDown) -> None:
    """Tell a file what its site, the book's contents and the folders above say of it."""
    file.site = (site.docs_of(file.path) or site) if site and site.instances else site
    file.entry = order.entry(file.path)
    file.inherited = handed.values_of(file.path)


def _walk(root: Path, site: Site | None, chosen: CrawlSettings) -> Crawl:
    generator = of(site)
    return crawl(
        root,
        exclude=chosen.exclude,
        include=chosen.include,
        site=site,
        ignored=generator.ignored(site, chosen),
        outside=partial(generator.folders_outside, site, crawl=chosen) if site else lambda root: (),
    )


def _left_out(paths: Sequence[str], order: BookOrder) -> dict[str, str]:
    """Return the files that hold the contents, and those that are not in them where they are complete."""
    found = {path: "the table of contents, not a lesson" for path in paths if path in order.files}
    if order.complete:
        missing = (path for path in paths if path not in order.entries and path not in order.files)
        found |= dict.fromkeys(missing, f"not in {SUMMARY}, so the site has no page for it")
    return found


def _without_lost(found: Crawl, lost: Mapping[str, str]) -> Crawl:
    """Return the crawl without the pages below folders whose own page cannot be read: it may hide them.

    That page itself stays, and fails as a lesson.
    """
    if not lost:
        return found

    def is_judged(path: str) -> bool:
        folders = ("" if folder.as_posix() == "." else folder.as_posix() for folder in PurePosixPath(path).parents)
        return all(lost.get(folder, path) == path for folder in folders)

    folders = [
        Skipped(
            f"{folder}/" if folder else "./",
            f"its pages keep their chunks until {PurePosixPath(path).name} can be read, because it may hide them",
        )
        for folder, path in lost.items()
    ]
    return replace(
        found,
        files=tuple(file for file in found.files if is_judged(file.path)),
        unreadable=tuple(sorted((*found.unreadable, *folders))),
    )


def _fingerprint(site: Site | None, order: BookOrder, handed_down: Mapping[str, Any]) -> str:
    """Return a hash of everything that the site and the contents say, the same in every checkout."""
    facts = [
        {name: value for name, value in asdict(replace(each, instances=())).items() if name not in FOLDER_FACTS}
        for each in ((site, *site.instances) if site else ())
    ]
    entries = {path: asdict(entry) for path, entry in order.entries.items()}
    told = [facts, entries, dict(order.folders), *([handed_down] if handed_down else [])]
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
