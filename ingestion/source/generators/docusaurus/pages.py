"""The folders of Docusaurus' translations and versions, and which version is shown unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ingestion.settings.book import CrawlSettings
from ingestion.source.crawler import Ignored
from ingestion.source.editions import CURRENT_VERSION, page_version, split_edition
from ingestion.source.generators.docusaurus.config import Facts, facts_of
from ingestion.source.ignore_rules import IgnoreRules
from ingestion.source.site import Site

_BRACES = re.compile(r"\{([^{}]*)\}")
MAX_BRACES = 3


def folders_outside(site: Site, root: Path, crawl: CrawlSettings) -> list[str]:
    """Return the folders of translations and versions that do not lie below the root, relative to the site's."""
    patterns = (pattern for docs in (site, *site.instances) for pattern in _folders(docs, crawl))
    folders = (folder for pattern in patterns for folder in site.folder.glob(pattern))
    outside = (folder for folder in folders if folder.is_dir() and not folder.is_relative_to(root))
    return sorted(folder.relative_to(site.folder).as_posix() for folder in outside if folder.resolve() == folder)


def _folders(docs: Site, crawl: CrawlSettings) -> Iterator[str]:
    """Yield the patterns of the folders that are asked for, those of versions first."""
    default = default_folder(docs)
    names = ["version-*"] if crawl.versions else [default] if default else []
    yield from (f"{_versioned(docs)}/{name}" for name in names)
    yield from (f"{_translated(docs)}/{name}" for name in ("current", *names) if crawl.translations)


def _versioned(docs: Site) -> str:
    return f"{docs.instance}_versioned_docs" if docs.instance else "versioned_docs"


def _translated(docs: Site) -> str:
    return "i18n/*/docusaurus-plugin-content-docs" + (f"-{docs.instance}" if docs.instance else "")


def default_folder(docs: Site) -> str | None:
    """Return the folder of the version that readers see unasked, where the docs folder itself is not published."""
    facts = facts_of(docs)
    return f"version-{facts.last_version}" if CURRENT_VERSION in facts.unpublished else None


def shown_folders(site: Site) -> list[Ignored]:
    """Return rules that take back the folders of versions that readers see unasked."""
    shown = [(docs, name) for docs in (site, *site.instances) if (name := default_folder(docs))]
    return [Ignored(f"!**/{of(docs)}/{name}/") for docs, name in shown for of in (_versioned, _translated)]


def without_page(site: Site, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the pages of versions that are not published, and the files that the options leave out."""
    found = {}
    for path in paths:
        docs = site.docs_of(path)
        placed = docs and placed_in(docs, path)
        if docs and placed and (reason := _reason(facts_of(docs), page_version(path), placed)):
            found[path] = f"{reason} {site.config.name}"
    return found


def placed_in(docs: Site, path: str) -> str | None:
    """Return the path of a page in the docs folder, or in that of its translation or version; None for another's."""
    edition = split_edition(path)
    return "/".join(edition.parts) if edition.in_docusaurus else docs.in_docs(path)


def _reason(facts: Facts, version: str, placed: str) -> str | None:
    if version in facts.unpublished:
        return f"of version {version}, which is not published by"
    if facts.excluded and _rules(facts.excluded).match(placed) is not None:
        return "excluded in"
    is_left_out = facts.included and _rules(facts.included).match(placed) is None
    return "not among the files to include in" if is_left_out else None


@cache
def _rules(patterns: Sequence[str]) -> IgnoreRules:
    """Return patterns of globby as those of gitignore: without a slash they are for the docs folder itself."""
    written = (each for pattern in patterns for each in _without_braces(pattern))
    return IgnoreRules([pattern if "/" in pattern else f"/{pattern}" for pattern in written])


def _without_braces(pattern: str) -> Iterator[str]:
    """Yield a pattern for each choice of its first braces that hold no others: `*.{md,mdx}` is `*.md` and `*.mdx`."""
    found = _BRACES.search(pattern)
    if found is None or pattern.count("{") > MAX_BRACES:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from _without_braces(f"{pattern[: found.start()]}{choice}{pattern[found.end() :]}")


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
