"""Compare a book's index with its built site, from any generator: in both directions, page by page."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import LessonError, SourceError
from ingestion.ids import LessonKey
from ingestion.markdown.headings import outline_of
from ingestion.output import counted
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.built_site.folder import BuiltSite
from ingestion.source.built_site.lessons import crawl_with_pages, pages_of
from ingestion.source.built_site.matching import Addresses
from ingestion.source.built_site.page import BuiltPage
from ingestion.source.built_site.words import are_alike, words_of
from ingestion.source.crawler import SourceFile
from ingestion.source.findings import Finding
from ingestion.source.linter import CheckReport
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from ingestion.vector_stores.filters import of_book
from ingestion.vector_stores.protocol import VectorStore

WORDS_SHOWN = 12
"""Words that a finding lists."""

MIN_PAGES = 3
"""Words that at least this many pages have besides their lesson's belong to the theme."""

MIN_WORDS = 20
"""A page with fewer words is a list, a redirect or an error."""

_NO_PAGES = frozenset(("404.html", "404/index.html"))


class _WordsApart(NamedTuple):
    """Words that only the page or only the lesson has; those of the page by block."""

    path: str
    unsearched: list[tuple[str, list[str]]]
    unpublished: list[str]


class Section(NamedTuple):
    """A section that an index links to: its anchor, its title, and its line where that is known."""

    anchor: str
    title: str
    line: int | None = None


@dataclass(slots=True)
class IndexedPage:
    """What an index has of a lesson, from the folder or from the store; `words` None where they are not compared."""

    path: str
    url: str
    sections: list[Section] = field(default_factory=list)
    words: Sequence[str] | None = None
    titles: frozenset[str] = frozenset()


def with_site(
    report: CheckReport, folder: Path, root: Path, settings: Settings, stored: Iterable[IndexedPage] = ()
) -> CheckReport:
    """Return a report of the differences between a book, its index (`stored`) and its built site in a folder.

    Raises SourceError for a folder without a page, and ConfigurationError for the site of another book.
    """
    site = BuiltSite(folder.resolve()) if folder.is_dir() else None
    if site is None or not site.keys:
        raise SourceError(f"--site {folder}: no built site (.html) there; build it, or name the folder of the build")
    check = _SiteCheck(site, root, settings)
    findings = check.findings(stored)
    shown = {finding for finding in findings if finding.rule not in settings.check.disable}
    every = sorted((*report.findings, *shown), key=lambda each: (each.path, each.line or 0, each.rule))
    return replace(report, findings=tuple(every), notes=(*report.notes, *check.notes))


def stored_pages(store: VectorStore, book_id: str) -> list[IndexedPage]:
    """Return the addresses and sections of each file in an index."""
    pages: dict[str, IndexedPage] = {}
    fields = ("source_file", "page_url", "section_anchors", "section_titles")
    for point in store.scroll(of_book(book_id), fields=fields):
        payload = point.payload
        page = pages.setdefault(payload["source_file"], IndexedPage(payload["source_file"], payload["page_url"]))
        named = zip(payload["section_anchors"], payload["section_titles"], strict=False)
        page.sections += [Section(anchor, title) for anchor, title in named if anchor]
    return sorted(pages.values(), key=lambda page: page.path)


class _SiteCheck:
    """One comparison; `notes` tell what concerns the whole site."""

    def __init__(self, site: BuiltSite, root: Path, settings: Settings) -> None:
        self._site = site
        self._root = root
        self.notes: list[str] = []
        found = crawl_book(root, settings)
        unnamed = replace(settings, book=replace(settings.book, built=None))
        self._told = pages_of(found.files, unnamed, site)
        self._pages = list(_indexed(crawl_with_pages(found, settings).files, settings))
        self._searched: set[str] = set()  # the blocks of pages all of whose words their lessons have
        self._addresses = Addresses(site, [page.url for page in self._pages])

    def findings(self, stored: Iterable[IndexedPage]) -> list[Finding]:
        found: list[Finding] = []
        words: list[_WordsApart] = []
        used = {page.file for page in self._told.pages.values()}
        for page in self._pages:
            found += (wrong := list(self._address_findings(page)))
            if key := self._key_of(page):
                used.add(key)
                built = self._site.page(key)
                found += [] if wrong else _anchor_findings(page, built)
                words.append(apart := _words_apart(page, built))
                self._searched.update(set(built.blocks).difference(block for block, _ in apart.unsearched))
        found += self._word_findings(words)
        found += self._without_lesson(used)
        return found + self._index_findings(stored, found)

    def _key_of(self, page: IndexedPage) -> str | None:
        told = self._told.pages.get(page.path)
        return self._addresses.key_of(page.url) or (told.file if told else None)

    def _address_findings(self, page: IndexedPage) -> Iterator[Finding]:
        told, key = self._told.pages.get(page.path), self._addresses.key_of(page.url)
        if told is None:
            yield Finding(page.path, None, "dead-address", "the built site has no page for it")
        elif page.url and key != told.file:
            wrong = f"`{page.url}` leads to {f'`{key}`, another page' if key else 'no page'} of the built site"
            yield Finding(page.path, None, "dead-address", f"{wrong}, which has the lesson at `{told.file}`")

    def _index_findings(self, stored: Iterable[IndexedPage], known: Sequence[Finding]) -> list[Finding]:
        """Return problems of the index that the folder does not have."""
        known_already = {(finding.path, finding.rule, finding.message) for finding in known}
        found: list[Finding] = []
        for page in stored:
            wrong = list(self._address_findings(page))
            if not wrong and (key := self._key_of(page)):
                wrong = _anchor_findings(page, self._site.page(key))
            found += [each for each in wrong if (each.path, each.rule, each.message) not in known_already]
        text = "in the index: {}; `bookwise ingest` corrects it where the lessons are right"
        return [replace(each, message=text.format(each.message)) for each in found]

    def _word_findings(self, pages: Sequence[_WordsApart]) -> Iterator[Finding]:
        """Return the words apart, without the theme's, and without texts of other lessons, as lists of posts show."""
        own = [
            (page, [word for block, words in page.unsearched if block not in self._searched for word in words])
            for page in pages
        ]
        theirs = self._words_of_theme(unsearched for _, unsearched in own)
        for page, unsearched in own:
            if words := [word for word in dict.fromkeys(unsearched) if word not in theirs]:
                yield _words_finding(page.path, "unsearched-words", "of the built page in no chunk", words)
            if page.unpublished:
                yield _words_finding(
                    page.path, "unpublished-words", "searched and not on the built page", page.unpublished
                )

    def _words_of_theme(self, pages: Iterable[Sequence[str]]) -> Set[str]:
        counts = Counter(word for words in pages for word in set(words))
        theirs = {word for word, count in counts.items() if count >= MIN_PAGES}
        if theirs:
            shown = ", ".join(sorted(theirs)[:WORDS_SHOWN])
            self.notes.append(f"words that the site itself adds to many pages were not compared: {shown}")
        return theirs

    def _without_lesson(self, used: set[str]) -> Iterator[Finding]:
        """Return the pages of which no lesson is: no copy of another, and most of its words on no lesson's page."""
        outlines = {_outline(self._site.outline(key)) for key in used}
        for key in self._site.keys:
            page = self._site.outline(key)
            if key in used or key in _NO_PAGES or page.redirect or not page.listed or _outline(page) in outlines:
                continue
            if self._says_more(self._site.page(key)):
                path = Path(os.path.relpath(self._site.folder / key, self._root.resolve())).as_posix()
                yield Finding(
                    path, None, "page-without-lesson", f"no lesson leads to this page ({page.h1 or page.title})"
                )

    def _says_more(self, page: BuiltPage) -> bool:
        """Return whether most of a page's words are on no lesson's page."""
        sizes = [(block, len(words_of(block))) for block in page.blocks]
        count = sum(size for _, size in sizes)
        return count > MIN_WORDS and 2 * sum(size for block, size in sizes if block not in self._searched) > count


def _outline(page: BuiltPage) -> tuple[object, ...]:
    return page.h1, page.headings


def _indexed(files: Iterable[SourceFile], settings: Settings) -> Iterator[IndexedPage]:
    for file in files:
        try:
            lesson = parse_lesson(read_source(file), settings)
        except (LessonError, UnpublishedPage):
            continue
        yield _indexed_page(lesson, settings)


def _indexed_page(lesson: Lesson, settings: Settings) -> IndexedPage:
    key = LessonKey(book_id="-", module=lesson.module, chapter=None, lesson=None, source_file=lesson.path)
    chunks = chunk_lesson(lesson, key, settings, embedding="-")
    page, outline = outline_of(lesson.page.text, lesson.syntax, lesson.heading_ids, lesson.page.anchors)
    linked = {anchor for chunk in chunks for anchor in (chunk.metadata.anchor, *chunk.metadata.section_anchors)}
    lines = ((heading, page.text.count("\n", 0, heading.start) + 1) for heading in outline.headings)
    return IndexedPage(
        path=lesson.path,
        url=lesson.url,
        sections=[
            Section(each.anchor, each.title, lesson.line(line)) for each, line in lines if each.anchor in linked
        ],
        words=[word for chunk in chunks for line in _shown_lines(chunk.embed_text) for word in words_of(line)],
        titles=frozenset(word for title in (lesson.title, *outline.titles) for word in words_of(title)),
    )


def _shown_lines(embed_text: str) -> list[str]:
    """Return the lines of an embedded text without its breadcrumb and the languages of its listings."""
    lines = embed_text.partition("\n\n")[2].split("\n")
    return [line for line in lines if not line.lstrip(" \t>*+-").startswith(("```", "~~~"))]


def _anchor_findings(page: IndexedPage, built: BuiltPage) -> list[Finding]:
    found = []
    for anchor, title, line in dict.fromkeys(page.sections):
        name = anchor if anchor in built.ids else unquote(anchor)
        if not anchor:
            continue
        if name not in built.ids:
            found.append(Finding(page.path, line, "dead-anchor", f"`#{anchor}` ({title}) is no id of the built page"))
        elif not are_alike(built.names.get(name, ""), title):
            there = f"the heading {built.names[name]!r}" if name in built.names else "no heading"
            message = f"`#{anchor}` leads to {there} of the built page, not to {title!r}"
            found.append(Finding(page.path, line, "other-heading", message))
    return found


def _words_apart(page: IndexedPage, built: BuiltPage) -> _WordsApart:
    """Return the words of the built page that are not searched, and those that are searched and not on it."""
    searched = {*(page.words or ()), *page.titles}
    there = {*words_of(built.formulas), *words_of(built.h1), *words_of(built.title), *words_of(built.besides)}
    unsearched = []
    for block in built.blocks:
        words = words_of(block)
        there.update(words)
        if missing := [word for word in words if word not in searched and not word.isdecimal()]:
            unsearched.append((block, missing))
    unpublished = (word for word in page.words or () if word not in there and not word.isdecimal())
    return _WordsApart(page.path, unsearched, list(dict.fromkeys(unpublished)))


def _words_finding(path: str, rule: str, what: str, words: Sequence[str]) -> Finding:
    listed = " ".join(words[:WORDS_SHOWN]) + (" …" if len(words) > WORDS_SHOWN else "")
    return Finding(path, None, rule, f"{counted(len(words), 'word')} {what}: {listed}")
