"""Which page of a built site is which lesson: by address, title and headings, whatever generator made it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
        taken = {page.file for page in known.values()}
        keys: dict[str, str] = {}
        unsure: dict[str, str] = {}
        for lesson in lessons:
            if (key := addresses.key_of(lesson.url)) is None or key in taken:
                continue
            page = self._site.outline(key)
            if page.redirect:
                continue
            if _has_title(page, lesson) or _shared(page, lesson):
                keys[lesson.path] = key
                taken.add(key)
            else:
                unsure[lesson.path] = key
        rest = [lesson for lesson in lessons if lesson.path not in keys]
        for path, key in self._by_contents(rest, taken):
            keys[path] = key
            taken.add(key)
        sure = len(keys)
        for path, key in unsure.items():
            if path not in keys and key not in taken:
                keys[path] = key
                taken.add(key)
        by_path = {lesson.path: lesson for lesson in lessons}
        pairs = [(page.url, page.file) for page in known.values()]
        pairs += [(by_path[path].url, key) for path, key in keys.items()]
        forms = _Forms(self._site, addresses, pairs, base_url)
        pages = {path: self.published(key, forms.url_of(by_path[path].url, key)) for path, key in keys.items()}
        return Matches({**known, **pages}, len(known) + sure)

    def published(self, key: str, url: str) -> PublishedPage:
        """Return what the site says of a page whose address is known."""
        headings = self._site.outline(key).headings
        return PublishedPage(key, url, tuple((next(iter(each.ids), ""), each.text) for each in headings))

    def _by_contents(self, lessons: Sequence[LessonOutline], taken: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the pages of lessons that no address tells: the best pairs first, each page once."""
        if not lessons:
            return
        free = [key for key in self._site.keys if key not in taken and not self._site.outline(key).redirect]
        having: dict[str, list[str]] = {}
        for key in free:
            page = self._site.outline(key)
            for text in {as_compared(page.h1), *(as_compared(each.text) for each in page.headings)}:
                having.setdefault(text, []).append(key)
        pairs = []
        for lesson in lessons:
            texts = (as_compared(lesson.title), *lesson.compared)
            found = {
                key for text in texts if len(having.get(text, ())) <= MOST_CANDIDATES for key in having.get(text, ())
            }
            scores = sorted(((self._score(lesson, key), key) for key in found), key=lambda each: (-each[0], each[1]))
            pairs += [(score, lesson.path, key) for score, key in scores if score >= 2]
        done: set[str] = set()
        for _, path, key in sorted(pairs, key=lambda each: (-each[0], len(each[2]), each[1:])):
            if path not in done and key not in done:
                done |= {path, key}
                yield path, key

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
    return [as_compared(without_number(part)) for part in parts]


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
        good = [
            (split, key) for url, key in pairs if addresses.key_of(url) == key and (split := addresses.split(url))
        ]
        own = [(split, key) for _, key in pairs if (split := self._canonical(key))]
        roots = Counter(root for (root, _), _ in good) or Counter(root for (root, _), _ in own)
        self._root = roots.most_common(1)[0][0] if roots else base_url.rstrip("/")
        if self._root.startswith(UNKNOWN_HOST):
            known = Counter(root for (root, _), _ in own)
            self._root = known.most_common(1)[0][0] if known else base_url.rstrip("/")
        forms = Counter((_is_index(key), _form(below)) for (_, below), key in good or own if below)
        self._forms = {
            is_index: max(("/", "", ".html"), key=lambda form: (forms[is_index, form], form == default))
            for is_index, default in ((True, "/"), (False, ".html"))
        }

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


def _is_index(key: str) -> bool:
    return key.rpartition("/")[2] == "index.html"


def _form(path: str) -> str:
    return "/" if path.endswith("/") else ".html" if path.endswith(".html") else ""
