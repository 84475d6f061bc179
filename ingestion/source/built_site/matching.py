"""Which page of a built site is which lesson: by address, title and headings, whatever generator made it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from ingestion.models import PublishedPage
from ingestion.source.built_site.folder import BuiltSite
from ingestion.source.built_site.page import BuiltPage
from ingestion.source.built_site.words import as_compared
from ingestion.source.editions import OVERVIEWS, without_number

UNKNOWN_HOST = "https://built.invalid"
"""Stands for the address of a site that no configuration tells."""

MAX_PREFIX = 6
"""Parts of an address that a site may have before its root."""

MOST_CANDIDATES = 200
"""Pages of one title or heading that are looked at for a lesson."""


class LessonOutline(NamedTuple):
    """What a lesson is found by: its path, the address that it would have ("" for none), its title and headings."""

    path: str
    url: str
    title: str
    headings: tuple[str, ...]

    @property
    def compared(self) -> frozenset[str]:
        """Return its headings as they are compared, without the title."""
        return frozenset(map(as_compared, self.headings)) - {as_compared(self.title)}


class Matches(NamedTuple):
    """The pages of the lessons by path; `sure` counts those whose title or headings are the lesson's."""

    pages: Mapping[str, PublishedPage]
    sure: int


class _Found:
    """The keys of pages by the paths of their lessons, each page once; `taken` are also those of other lessons."""

    def __init__(self, taken: set[str]) -> None:
        self.keys: dict[str, str] = {}
        self.taken = taken

    def add(self, path: str, key: str) -> None:
        """Give a page to a lesson, unless that has one or the page is another's."""
        if path not in self.keys and key not in self.taken:
            self.keys[path] = key
            self.taken.add(key)

    def add_all(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Give each page to its lesson, as `add` does."""
        for path, key in pairs:
            self.add(path, key)


class PageMatcher:
    """Finds the pages of lessons in a built site."""

    def __init__(self, site: BuiltSite) -> None:
        self._site = site

    def match(self, lessons: Sequence[LessonOutline], known: Mapping[str, PublishedPage], base_url: str) -> Matches:
        """Return the page of each lesson that has one; `known` are those of other lessons, which stay theirs.

        `base_url` is the address of the site where neither a lesson nor a page tells it.
        """
        urls = [page.url for page in known.values()]
        addresses = Addresses(self._site, [*urls, *(lesson.url for lesson in lessons)])
        found = _Found({page.file for page in known.values()})
        unsure = self._by_address(lessons, addresses, found)
        found.add_all(self._by_contents([each for each in lessons if each.path not in found.keys], found.taken))
        sure = len(found.keys)
        found.add_all(unsure.items())
        url_of = {lesson.path: lesson.url for lesson in lessons}
        pairs = [(page.url, page.file) for page in known.values()]
        pairs += [(url_of[path], key) for path, key in found.keys.items()]
        forms = _Forms(self._site, addresses, pairs, base_url)
        pages = {path: self.published(key, forms.url_of(url_of[path], key)) for path, key in found.keys.items()}
        return Matches({**known, **pages}, len(known) + sure)

    def _by_address(self, lessons: Sequence[LessonOutline], addresses: Addresses, found: _Found) -> Mapping[str, str]:
        """Find the pages at lessons' addresses; return those that have neither title nor a heading of theirs."""
        unsure: dict[str, str] = {}
        for lesson in lessons:
            key = addresses.key_of(lesson.url)
            if key is None or key in found.taken or (page := self._site.outline(key)).redirect:
                continue
            if _has_title(page, lesson) or _shared(page, lesson):
                found.add(lesson.path, key)
            else:
                unsure[lesson.path] = key
        return unsure

    def published(self, key: str, url: str) -> PublishedPage:
        """Return what the site says of a page whose address is known."""
        headings = self._site.outline(key).headings
        return PublishedPage(key, url, tuple((next(iter(each.ids), ""), each.text) for each in headings))

    def _by_contents(self, lessons: Sequence[LessonOutline], taken: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the pages of lessons that no address tells: the best pairs first, each page once."""
        having = self._having(taken) if lessons else {}
        pairs = chain.from_iterable(self._candidates(lesson, having) for lesson in lessons)
        done: set[str] = set()
        for _, _, path, key in sorted(pairs):
            if path not in done and key not in done:
                done |= {path, key}
                yield path, key

    def _candidates(
        self, lesson: LessonOutline, having: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[float, int, str, str]]:
        """Yield the pages that may be a lesson's, so that the best comes first in order."""
        texts = (as_compared(lesson.title), *lesson.compared)
        listed = (keys for text in texts if len(keys := having.get(text, ())) <= MOST_CANDIDATES)
        scored = ((self._score(lesson, key), key) for key in set(chain.from_iterable(listed)))
        return ((-score, len(key), lesson.path, key) for score, key in scored if score >= 2)

    def _having(self, taken: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Return the free pages by each title and heading that they have."""
        having: dict[str, list[str]] = {}
        for key in self._site.keys:
            page = self._site.outline(key)
            if key not in taken and not page.redirect:
                for text in {as_compared(page.h1), *(as_compared(each.text) for each in page.headings)}:
                    having.setdefault(text, []).append(key)
        return having

    def _score(self, lesson: LessonOutline, key: str) -> float:
        """Return how much speaks for a page: title, headings and name count one each, and two are enough."""
        page = self._site.outline(key)
        wanted, shared = len(lesson.compared), _shared(page, lesson)
        headings = 1.0 if not wanted and not page.headings[1:] else shared / max(wanted, 1)
        many = 1.0 if shared >= 3 and shared * 5 >= wanted * 4 else 0.0
        name = _name_of(lesson.path)[-2:], _name_of(key)[-2:]
        alike = 1.0 if name[0] == name[1] else 0.9 if name[0][-1:] == name[1][-1:] else 0.0
        return _has_title(page, lesson) + (headings if headings >= 0.5 else 0.0) + many + alike + alike / 10


def _has_title(page: BuiltPage, lesson: LessonOutline) -> bool:
    title = as_compared(lesson.title)
    return bool(title) and (as_compared(page.h1) == title or f"{as_compared(page.title)} ".startswith(f"{title} "))


def _shared(page: BuiltPage, lesson: LessonOutline) -> int:
    return len(lesson.compared.intersection(as_compared(heading.text) for heading in page.headings))


def _name_of(path: str) -> list[str]:
    """Return the parts of a path as generators compare them: without numbers, suffix and names of overviews."""
    parts = [*PurePosixPath(path).parent.parts, PurePosixPath(path).stem]
    if parts[-1].lower() in OVERVIEWS:
        parts.pop()
    return [as_compared(without_number(part) or part) for part in parts]


class Addresses:
    """Which page is at an address of the book: the site's root has parts of the address before it."""

    def __init__(self, site: BuiltSite, urls: Sequence[str]) -> None:
        """Find where the site's root is, by all addresses of the book."""
        self._site = site
        counts = [sum(self.key_of(url, parts) is not None for url in urls) for parts in range(MAX_PREFIX)]
        self._parts = counts.index(max(counts))

    def key_of(self, url: str, parts: int | None = None) -> str | None:
        """Return the page at an address whose first `parts` parts are those of the site's root."""
        split = self.split(url, parts) if url else None
        return self._site.key_at(split[1]) if split else None

    def split(self, url: str, parts: int | None = None) -> tuple[str, str] | None:
        """Return an address as that of the site's root and the path below it; None where it is shorter."""
        try:
            found = urlsplit(url)
        except ValueError:
            return None
        if found.scheme not in ("http", "https"):
            return None
        before = self._parts if parts is None else parts
        names = found.path.strip("/").split("/")
        if before and (len(names) < before or not names[0]):
            return None
        root = "/".join((f"{found.scheme}://{found.netloc}", *names[:before]))
        below = "/".join(names[before:])
        return root, f"{below}/" if below and found.path.endswith("/") else below


class _Forms:
    """How the site writes addresses, as those show that lead to their pages."""

    def __init__(
        self, site: BuiltSite, addresses: Addresses, matched: Iterable[tuple[str, str]], base_url: str
    ) -> None:
        self._addresses = addresses
        self._site = site
        pairs = list(matched)
        good = [(split, key) for url, key in pairs if (split := self._leading(url, key))]
        own = [(split, key) for _, key in pairs if (split := self._canonical(key))]
        self._root = _root_of(good) or _root_of(own) or base_url.rstrip("/")
        self._forms = _forms_in(good or own)

    def _leading(self, url: str, key: str) -> tuple[str, str] | None:
        """Return the address of a lesson in two parts where it leads to its page."""
        return self._addresses.split(url) if self._addresses.key_of(url) == key else None

    def url_of(self, url: str, key: str) -> str:
        """Return the address of a page: the lesson's own where it leads there."""
        if self._addresses.key_of(url) == key and not url.startswith(UNKNOWN_HOST):
            return url
        if not self._root:
            return ""
        place = key.removesuffix("index.html") if _is_index(key) else key.rpartition(".")[0]
        place = place.strip("/") + (self._forms[_is_index(key)] if place else "")
        return f"{self._root}/{quote(place)}" if place else self._root

    def _canonical(self, key: str) -> tuple[str, str] | None:
        """Return the address that a page gives itself, split where its own path begins."""
        url = self._site.outline(key).canonical
        splits = (self._addresses.split(url, parts) for parts in range(MAX_PREFIX)) if url else iter(())
        return next((split for split in splits if split and self._site.key_at(split[1]) == key), None)


def _forms_in(addresses: Iterable[tuple[tuple[str, str], str]]) -> Mapping[bool, str]:
    """Return how addresses end, of pages that are the index of a folder and of others: as most of these do."""
    forms = Counter((_is_index(key), _form(below)) for (_, below), key in addresses if below)
    return {
        is_index: max(("/", "", ".html"), key=lambda form: (forms[is_index, form], form == default))
        for is_index, default in ((True, "/"), (False, ".html"))
    }


def _root_of(addresses: Iterable[tuple[tuple[str, str], str]]) -> str:
    """Return the root that most addresses have, "" where none tells it."""
    root = next((text for text, _ in Counter(split[0] for split, _ in addresses).most_common(1)), "")
    return "" if root.startswith(UNKNOWN_HOST) else root


def _is_index(key: str) -> bool:
    return key.rpartition("/")[2] == "index.html"


def _form(path: str) -> str:
    return "/" if path.endswith("/") else ".html" if path.endswith(".html") else ""
