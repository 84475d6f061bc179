"""What MkDocs makes of its docs: the order of `nav`, and files without a page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ingestion.source.book_order import (
    MAX_LEVELS,
    BookOrder,
    Entry,
    chapter_of,
    folders_of,
    normalised,
    summary_entries,
)
from ingestion.source.editions import stands_for_folder
from ingestion.source.generators.base import is_on
from ingestion.source.generators.mkdocs.config import Facts, facts_of, read_config
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import is_own_file, read_mapping, read_text
from ingestion.source.site_reading.patterns import searches
from ingestion.source.site_reading.values import items, mapping


def order(site: Site, root: Path, paths: Collection[str]) -> BookOrder:
    """Return the entries of the pages that `nav` lists, else what the files of a plug-in say of each folder."""
    nav = read_config(site.config).get("nav")
    if nav is None and facts_of(site).nav_file:
        return _by_folders(root, facts_of(site).nav_file, paths)
    docs, root = site.docs_folder.resolve(), root.resolve()
    prefix = docs.relative_to(root).as_posix() if docs.is_relative_to(root) else "."
    entries: dict[str, Entry] = {}
    for target, entry in nav_entries(items(nav)):
        entries.setdefault(normalised((PurePosixPath(prefix) / target).as_posix()), entry)
    return BookOrder(entries=entries)


def _by_folders(root: Path, name: str, paths: Collection[str]) -> BookOrder:
    """Return the order that a file in each folder gives to what is in it (literate-nav, awesome-nav)."""
    entries: dict[str, Entry] = {}
    folders: dict[str, tuple[int | None, str | None]] = {}
    there = folders_of(paths)
    files = []
    for folder in ("", *sorted(there)):
        file = root / folder / name
        if not is_own_file(file):
            continue
        files.append(f"{folder}/{name}".lstrip("/"))
        for number, (title, target) in enumerate(_listed(file), 1):
            path = normalised(f"{folder}/{target}")
            if path in there:
                folders[path] = (number, title)
            elif path in paths:
                entries[path] = Entry(None, number, title)
    return BookOrder(entries=entries, folders=folders, files=frozenset(files))


def _listed(file: Path) -> Iterator[tuple[str | None, str]]:
    """What a file lists, each with its title if it has one: links of Markdown, or the `nav` of YAML."""
    if file.suffix == ".md":
        yield from ((entry.title, target) for target, entry in summary_entries(read_text(file)))
        return
    document = read_mapping(file)
    nav = document.get("nav") or document.get("arrange")
    yield from ((title, target) for title, target, _ in _pages(items(nav)))


def is_searched(page: PageFacts, site: Site | None) -> bool:
    """Return whether the site's search shows a page: not where its metadata or the configuration leave it out."""
    if is_on(mapping(page.values.get("search")).get("exclude")):
        return False
    placed = site.in_docs(page.path) if site else None
    return not any(fnmatchcase(placed, pattern) for pattern in facts_of(site).unsearched) if placed else True


def why_no_page(site: Site) -> Callable[[str], str | None] | None:
    """Return what tells that the plug-in `exclude` leaves a file out; None where it leaves out none."""
    facts = facts_of(site)
    is_asked = facts.fragments or facts.fragment_expressions
    return partial(_reason_without_page, site=site, facts=facts) if is_asked else None


def _reason_without_page(placed: str, site: Site, facts: Facts) -> str | None:
    by_name = any(fnmatchcase(placed, pattern) for pattern in facts.fragments)
    is_left_out = by_name or searches(facts.fragment_expressions, placed, from_start=True)
    return f"excluded in {site.config.name} (plug-in exclude)" if is_left_out else None


def not_built(site: Site, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the files of a suffix that Zensical does not build, unlike MkDocs."""
    if site.config.suffix != ".toml":
        return {}
    return {path: "Zensical builds `.md` files only" for path in paths if path.endswith(".markdown")}


def beside_index(paths: Sequence[str]) -> Mapping[str, str]:
    """Return each README that stands beside an `index.md`."""
    has_index = {path[: -len("index.md")] for path in paths if f"/{path}".endswith("/index.md")}
    readmes = (path for path in paths if path.endswith("README.md") and path.removesuffix("README.md") in has_index)
    return dict.fromkeys(readmes, "stands beside index.md, so the site has no page for it")


def nav_entries(nav: list[Any]) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a MkDocs nav in order: its sections are chapters, and what stands before them is chapter
    0.
    """
    titled = [_titled(item) for item in nav]
    has_sections = any(isinstance(target, list) for _, target in titled)
    chapter = lesson = 0
    for title, target in titled:
        if isinstance(target, list):
            chapter, listed = chapter + 1, [*_chapter_entries(chapter + 1, title, target)]
            lesson = listed[-1][1].lesson or 0 if listed else 0
            yield from listed
        elif _is_page(target):
            lesson = lesson if stands_for_folder(target) else lesson + 1
            yield target, Entry(chapter if has_sections else None, lesson, title)


def _chapter_entries(chapter: int, title: str | None, section: list[Any]) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a section; one that stands for its folder is the chapter's own, lesson 0."""
    pages = list(_pages(section, (title,)))
    first = 0 if pages and stands_for_folder(pages[0][1]) else 1
    for number, (inner_title, path, above) in enumerate(pages, first):
        yield path, Entry(chapter, number, inner_title, chapter_title=chapter_of(above))


def _pages(
    items: list[Any], above: tuple[str | None, ...] = ()
) -> Iterator[tuple[str | None, str, tuple[str | None, ...]]]:
    """Yield the pages of a nav with their titles and the titles above them."""
    for title, target in map(_titled, items):
        if isinstance(target, list) and len(above) < MAX_LEVELS:
            yield from _pages(target, (*above, title))
        elif _is_page(target):
            yield title, target, above


def _is_page(target: Any) -> bool:
    return isinstance(target, str) and ":" not in target


def _titled(item: Any) -> tuple[str | None, Any]:
    if isinstance(item, dict) and len(item) == 1:
        title, target = next(iter(item.items()))
        return title, target
    return None, item
