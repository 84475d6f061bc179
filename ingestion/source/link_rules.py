"""The links of a book: each leads to a page, picture, file or anchor that is there.

Judged is only what a folder of lessons can tell. Addresses of other sites and of the site's own root, links out of
the folder of the book, and what a template makes are left to the generator.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import commonpath, normpath
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from ingestion.markdown.anchors import HeadingIds
from ingestion.markdown.links import Link
from ingestion.source.crawler import SUFFIXES
from ingestion.source.editions import OVERVIEWS, without_number
from ingestion.source.findings import Finding
from ingestion.source.generators import every_heading_ids
from ingestion.source.site import Site

KEPT_ELSEWHERE = 10
"""So many pictures, files or folders, most of them missing, are kept elsewhere: one note stands for all."""

_ELSEWHERE = re.compile(r"[A-Za-z][\w+.-]*:|//|[^#]*(?:[{}<>$]|%\})|@|~|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_ANY_ANCHOR = (":~:", "fn", "cite", "__", *(f"L{digit}" for digit in range(10)))
"""How fragments begin that a browser or a generator makes without a heading."""

_STATIC = ("static", "public", "assets", "_static", ".vuepress/public")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedPage:
    """What the rules on links know of a page.

    `named` is None where the generator is not known: anchors of all of them then count. `address` is that on the
    site, without that of the docs, and `aliases` are others that lead to the page. `is_whole` is False where the page
    takes in text that is not in its file, and links of every page may lead to the `labels`, which are in lower case.
    `may_name` tells that a link may lead by a name to what no page of the book tells.
    """

    path: str
    line_offset: int
    named: HeadingIds | None
    links: Sequence[Link]
    headings: Sequence[tuple[int, str]]
    ids: frozenset[str]
    labels: Set[str] = frozenset()
    may_name: bool = False
    slug: str | None = None
    doc_id: str | None = None
    address: str = ""
    aliases: Sequence[str] = ()
    is_whole: bool = True


class _Lost(NamedTuple):
    finding: Finding
    kind: str
    """What it leads to: a picture, another file, or a folder (or a page whose address has no suffix)."""


@dataclass(slots=True)
class LinkRules:
    """Judges the links of all pages of a book, which lies in the folder `root`."""

    root: Path
    site: Site | None
    pages: Sequence[LinkedPage]
    notes: list[str] = field(init=False, default_factory=list)
    _by_path: dict[str, LinkedPage] = field(init=False)
    _names: dict[str, list[str]] = field(init=False)
    _labels: Set[str] = field(init=False)
    _anchors: dict[str, frozenset[str]] = field(init=False, default_factory=dict)
    _exists: dict[Path, bool] = field(init=False, default_factory=dict)
    _stems: dict[Path, Set[str]] = field(init=False, default_factory=dict)
    _found: Counter[str] = field(init=False, default_factory=Counter)
    _outer: Path = field(init=False)

    def __post_init__(self) -> None:
        self._by_path = {page.path: page for page in self.pages}
        self._labels = frozenset().union(*(page.labels for page in self.pages))
        self._names = {}
        for page in self.pages:
            for name in _names(page):
                self._names.setdefault(name, []).append(page.path)
        folders = (self.site.folder, self.site.docs_folder.resolve()) if self.site else (self.root,)
        self._outer = Path(commonpath(folders))

    def findings(self) -> Iterator[Finding]:
        """Yield broken links, missing anchors and missing pictures, page by page."""
        lost: list[_Lost] = []
        for page in self.pages:
            for link in page.links:
                found = self._judge(page, link)
                if isinstance(found, _Lost):
                    lost.append(found)
                elif found:
                    yield found
        yield from self._gather(lost)

    def _judge(self, page: LinkedPage, link: Link) -> Finding | _Lost | None:
        target = link.target.strip()
        if _ELSEWHERE.match(target):
            return None
        address, _, fragment = target.partition("#")
        address = normalize("NFC", unquote(address.partition("?")[0]))
        if "\0" in address:
            return None
        if not address:
            return self._judge_anchor(page, link, [page.path], fragment)
        suffix = _suffix(address)
        if suffix not in (*SUFFIXES, ".html", ".htm", ""):
            return self._judge_asset(page, link, address, suffix)
        paths = self._pages_at(page, address)
        if paths:
            self._found["page" if suffix else "folder"] += 1
            return self._judge_anchor(page, link, paths, fragment)
        if self._is_beyond_us(page, address, suffix):
            return None
        if not suffix and (page.may_name or self._is_page_of_other_format(page, address)):
            return None
        lost = _finding(page, link, "broken-link", f"`{link.target}`: there is no such page or file")
        return lost if suffix else _Lost(lost, "folder")

    def _pages_at(self, page: LinkedPage, address: str) -> list[str]:
        """Return the pages that a link may mean: a file, or an address as generators read it."""
        for place in self._places(page, address):
            if place in self._by_path:
                return [place]
        # An address is read from the page's folder or from the page as one: an anchor may be on the page of either.
        named = (path for place in self._places(page, address) for path in self._names.get(_plain(place), ()))
        return list(dict.fromkeys(named))

    def _places(self, page: LinkedPage, address: str) -> Iterator[str]:
        """Yield where a link may lead, relative to the root: from the page's folder, or from the page as a folder."""
        if address.startswith("/"):
            yield address.strip("/")
            if self.site:
                yield self.site.before_docs + address.strip("/").removeprefix(self.site.route).strip("/")
            return
        folder, _, name = page.path.rpartition("/")
        bases = [folder, f"{folder}/{name.rpartition('.')[0]}"]
        if not address.lower().endswith(SUFFIXES):
            bases.append(folder.rpartition("/")[0])
            bases += [page.address.strip("/"), page.address.strip("/").rpartition("/")[0]] if page.address else []
        for base in bases:
            yield normpath(f"{base}/{address}").strip("/") if base else normpath(address)

    def _is_beyond_us(self, page: LinkedPage, address: str, suffix: str) -> bool:
        """Return whether a link without a page is no mistake, or one that only the generator can see."""
        if address.startswith("/"):
            return suffix not in SUFFIXES or self._is_file(self.root, address) or self._is_file(self._outer, address)
        folder = self.root / page.path.rpartition("/")[0]
        location = Path(normpath(folder / address))
        if self._is_there(location):
            self._found["folder"] += 1
            return True
        if suffix in SUFFIXES:
            return not location.is_relative_to(self._outer)
        # An address, unlike the name of a file, may lead to another part of the site.
        if self.site:
            return not location.is_relative_to(self.site.docs_folder)
        return bool(suffix) or not location.is_relative_to(self.root)

    def _is_page_of_other_format(self, page: LinkedPage, address: str) -> bool:
        """Return whether a link without a suffix names a file that the site reads and this book does not (`.rst`)."""
        folder = Path(normpath(self.root / page.path.rpartition("/")[0] / address)).parent
        if folder not in self._stems:
            try:
                self._stems[folder] = {file.stem for file in folder.iterdir() if file.is_file()}
            except OSError:
                self._stems[folder] = set()
        return address.rpartition("/")[2] in self._stems[folder]

    def _judge_asset(self, page: LinkedPage, link: Link, address: str, suffix: str) -> _Lost | None:
        kind = "picture" if link.is_image else "file"
        locations = [*self._asset_places(page, link, address)]
        if any(map(self._is_there, locations)):
            self._found[kind] += 1
            return None
        is_known = link.is_image if address.startswith("/") else locations[0].is_relative_to(self._outer)
        # A link to a name with a point in it may be one of versions.
        if not is_known or not (link.is_image or re.fullmatch(r"\.[a-z][a-z0-9]{0,5}", suffix)):
            return None
        rule = "missing-image" if link.is_image else "broken-link"
        return _Lost(_finding(page, link, rule, f"`{link.target}`: there is no such {kind}"), kind)

    def _asset_places(self, page: LinkedPage, link: Link, address: str) -> Iterator[Path]:
        """Yield where a picture or a file may lie; generators may give a page a folder of its own to begin at."""
        if address.startswith("/"):
            bases = (self.root, self._outer, self.root.parent)
            folders = (*bases, *(base / name for base in bases for name in _STATIC))
            yield from (base / address.strip("/") for base in folders)
            return
        folder = self.root / page.path.rpartition("/")[0]
        folders = (folder, folder / Path(page.path).stem, *([folder.parent] if link.is_image else []))
        yield from (Path(normpath(base / address)) for base in folders)

    def _gather(self, lost: Sequence[_Lost]) -> Iterator[Finding]:
        """Yield a finding for each lost file, or note that most of many are lost and therefore kept elsewhere."""
        for kind in ("picture", "file", "folder"):
            findings = [target.finding for target in lost if target.kind == kind]
            if len(findings) < KEPT_ELSEWHERE or len(findings) <= self._found[kind]:
                yield from findings
            else:
                self.notes.append(
                    f"{len(findings)} links to {kind}s were not checked: most of these are kept elsewhere"
                )

    def _judge_anchor(self, page: LinkedPage, link: Link, paths: Sequence[str], fragment: str) -> Finding | None:
        fragment = unquote(fragment)
        if fragment in ("", "top") or fragment.startswith(_ANY_ANCHOR) or fragment.lower() in self._labels:
            return None
        if page.may_name and (fragment != fragment.lower() or not fragment.replace("-", "").isalnum()):
            return None  # No heading is named so: it is documented code, or what another book has.
        for path in paths:
            target = self._by_path[path]
            if not target.is_whole or fragment in target.ids or fragment in self._anchors_of(target):
                return None
        return _finding(
            page, link, "missing-anchor", f"`{link.target}`: {paths[0]} has no heading or id `{fragment}`"
        )

    def _anchors_of(self, page: LinkedPage) -> frozenset[str]:
        if page.path not in self._anchors:
            ways = [page.named] if page.named else every_heading_ids()
            named = [name for way in ways for name in way.name(page.headings)]
            self._anchors[page.path] = frozenset(unquote(anchor) for _, anchor in named if anchor)
        return self._anchors[page.path]

    def _is_file(self, folder: Path, address: str) -> bool:
        return self._is_there(folder / address.strip("/"))

    def _is_there(self, location: Path) -> bool:
        if location not in self._exists:
            try:
                self._exists[location] = location.exists()
            except (OSError, ValueError):
                self._exists[location] = False
        return self._exists[location]


def _names(page: LinkedPage) -> set[str]:
    """Return the addresses, without numbers and suffix, that generators may give a page."""
    folder = page.path.rpartition("/")[0]
    found = {_plain(page.path)}
    if page.slug:
        found.add(_plain(page.slug if page.slug.startswith("/") else normpath(f"{folder}/{page.slug}")))
    if page.doc_id:
        found.add(_plain(f"{folder}/{page.doc_id}"))
    found |= {_plain(address) for address in (page.address, *page.aliases) if address}
    return found


def _plain(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and (suffix := _suffix(parts[-1])) in (*SUFFIXES, ".html", ".htm"):
        parts[-1] = parts[-1][: -len(suffix)]
    if parts and parts[-1].lower() in OVERVIEWS:
        parts.pop()
    return "/".join(without_number(part) or part for part in parts).lower()


def _suffix(address: str) -> str:
    name = address.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if stem and dot and suffix else ""


def _finding(page: LinkedPage, link: Link, rule: str, message: str) -> Finding:
    return Finding(page.path, link.line + page.line_offset, rule, message)
