"""What readers see of one built page: its title, its headings with their ids, and the words of its article.

Nothing here knows of a generator. The article is the innermost `<main>` or `<article>` that holds the page's `<h1>`;
what is for machines, for menus and for nobody is no part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingestion.source.built_site.tokens import Tag, read_tokens

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_UNSEEN = frozenset(("button", "footer", "iframe", "math", "nav", "noscript", "select", "svg", "template"))
_UNSEEN_CLASSES = frozenset(("sr-only", "visually-hidden", "screen-reader-text"))
"""What stylesheets everywhere call words for screen readers alone."""

_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"),
        *("kbd", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"),
        *("time", "tt", "u", "var", "wbr"),
    )
)
"""Elements that part no words; every other one begins and ends a block."""

_ENDS_ITSELF = frozenset(("dd", "dt", "li", "p", "td", "th", "tr", "option"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class BuiltHeading(NamedTuple):
    """A heading of a page; `ids` are all that lead to it, its own first."""

    level: int
    ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """One page: `headings` and `blocks` (texts without markup) are those of its article, `ids` all that it has.

    `names` gives the text of the heading behind each id that leads to one, wherever it stands, and `formulas` are the
    sources of formulas, which are drawn, `besides` the words of buttons, menus and what only eyes see. `title` is its
    `<title>`, `h1` the text of its first `<h1>`. `canonical` is the address that it gives itself, and `redirect` the
    one to which it sends its readers. `listed` is False where it asks search engines to leave it out.
    """

    title: str = ""
    h1: str = ""
    headings: tuple[BuiltHeading, ...] = ()
    ids: frozenset[str] = frozenset()
    blocks: tuple[str, ...] = ()
    canonical: str = ""
    redirect: str = ""
    listed: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    formulas: str = ""
    besides: str = ""


def read_page(html: str) -> BuiltPage:
    """Return what a page shows."""
    reader = _Reader()
    for token in read_tokens(html):
        if isinstance(token, str):
            reader.text(token)
        elif token.is_end:
            reader.close(token.name)
        else:
            reader.open(token)
    return reader.page()


@dataclass(slots=True)
class _Element:
    """An element that is open; `began` is how much of the page stood before it."""

    name: str
    unseen: bool
    hides: bool
    began: tuple[int, int]
    id: str = ""
    is_anchor_link: bool = False
    is_holder: bool = False


_NO_ELEMENT = _Element("", unseen=False, hides=False, began=(0, 0))


@dataclass(slots=True)
class _Holder:
    """An element that may be the article: its first and last block and heading."""

    blocks: range
    headings: range


@dataclass(slots=True)
class _OpenHeading:
    level: int
    ids: list[str]
    words: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


class _Reader:
    """Reads the tokens of one page."""

    def __init__(self) -> None:
        self._stack: list[_Element] = []
        self._open = Counter[str]()
        self._blocks: list[str] = []
        self._current: list[str] = []
        self._headings: list[BuiltHeading] = []
        self._heading: _OpenHeading | None = None
        self._holders: list[_Holder] = []
        self._ids: dict[str, None] = {}
        self._title: str | None = None
        self._facts: dict[str, str] = {}
        self._formulas: list[str] = []
        self._besides: list[str] = []

    def text(self, text: str) -> None:
        top = self._top
        if top.name == "title" and not self._open["svg"]:
            self._title = " ".join(text.split()) if self._title is None else self._title
        elif top.unseen:
            self._besides_of(text).append(text)
        elif top.is_anchor_link and self._open["sup"]:
            return  # the mark of a footnote
        elif self._heading:
            (self._heading.marks if top.is_anchor_link else self._heading.words).append(text)
        else:
            self._current.append(text)

    @property
    def _top(self) -> _Element:
        return self._stack[-1] if self._stack else _NO_ELEMENT

    def _besides_of(self, text: str) -> list[str]:
        """Return where a text goes that is no part of what a page shows; nowhere for what readers never see."""
        if self._open["math"]:
            return self._formulas
        return [] if any(element.hides for element in self._stack) else self._besides

    def open(self, tag: Tag) -> None:
        """Read a tag that opens an element, or is one."""
        name, attributes = tag.name, tag.attributes
        self._name(name, attributes)
        if name in ("meta", "link"):
            self._note(name, attributes)
        if name == "img":
            self.text(f" {attributes.get('alt', '')} ")
        if name not in _INLINE:
            self._flush()
        if name not in _VOID:
            if name in _ENDS_ITSELF and self._stack and self._stack[-1].name == name:
                self.close(name)
            self._enter(name, attributes)

    def _name(self, name: str, attributes: Mapping[str, str]) -> None:
        """Keep the ids of an element; those in a heading are the heading's."""
        for key in ("id", "name") if name == "a" else ("id",):
            if attributes.get(key):
                self._ids.setdefault(attributes[key])
                if self._heading:
                    self._heading.ids.append(attributes[key])

    def _enter(self, name: str, attributes: Mapping[str, str]) -> None:
        hides, own_id = _hides(name, attributes), attributes.get("id", "")
        unseen = self._top.unseen or hides or _is_unseen(name, attributes)
        is_link = name == "a" and attributes.get("href", "").startswith("#")
        is_anchor_link = self._top.is_anchor_link or is_link
        if name in _HEADINGS and not unseen and self._heading is None:
            self._heading = _OpenHeading(int(name[1]), [*filter(None, [own_id]), *self._section_ids()])
        began = len(self._blocks), len(self._headings)
        section_id = own_id if _is_section(name, attributes) else ""
        is_holder = name in ("main", "article") or attributes.get("role") == "main"
        self._stack.append(_Element(name, unseen, hides, began, section_id, is_anchor_link, is_holder))
        self._open[name] += 1

    def close(self, name: str) -> None:
        """Close an element, with those in it that were left open; one that is not open is ignored."""
        if name not in _INLINE:
            self._flush()
        if not self._open[name]:
            return
        while self._stack:
            element = self._stack.pop()
            self._open[element.name] -= 1
            if element.name in _HEADINGS and self._heading and not element.unseen:
                self._end_heading(self._heading)
            if element.is_holder and not element.unseen:
                blocks, headings = element.began
                found = range(blocks, len(self._blocks)), range(headings, len(self._headings))
                self._holders.append(_Holder(*found))
            if element.name == name:
                return

    def page(self) -> BuiltPage:
        """Return the page that was read."""
        for name in [element.name for element in reversed(self._stack)]:
            self.close(name)
        self._flush()
        article = self._article()
        headings = [self._headings[at] for at in article.headings]
        titles = (heading.text for heading in (*headings, *self._headings) if heading.level == 1)
        return BuiltPage(
            title=self._title or "",
            h1=next(titles, ""),
            headings=tuple(headings),
            ids=frozenset(self._ids),
            blocks=tuple(self._blocks[at] for at in article.blocks),
            canonical=self._facts.get("canonical", ""),
            redirect=self._facts.get("refresh", ""),
            listed="noindex" not in self._facts.get("robots", ""),
            names={name: heading.text for heading in reversed(self._headings) for name in heading.ids},
            formulas="".join(self._formulas),
            besides=" ".join(self._besides),
        )

    def _section_ids(self) -> Iterator[str]:
        """Yield the ids of the sections that begin with the heading that begins here."""
        here = len(self._blocks), len(self._headings)
        for element in reversed(self._stack):
            if element.began != here:
                return
            if element.id:
                yield element.id

    def _end_heading(self, heading: _OpenHeading) -> None:
        words, marks = (" ".join("".join(parts).split()) for parts in (heading.words, heading.marks))
        # Some themes make the words of a heading a link to itself, others add a mark that is one.
        text = words if any(map(str.isalnum, words)) else f"{words}{marks}"
        self._headings.append(BuiltHeading(heading.level, tuple(dict.fromkeys(heading.ids)), text))
        self._heading = None
        if text:
            self._blocks.append(text)

    def _flush(self) -> None:
        if self._heading:
            self._heading.words.append(" ")
        elif self._current:
            text = "".join(self._current)
            self._current.clear()
            if text.strip():
                self._blocks.append(text)

    def _note(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "link" and attributes.get("rel", "").lower() == "canonical":
            self._facts.setdefault("canonical", attributes.get("href", ""))
        elif name == "meta":
            key = (attributes.get("http-equiv") or attributes.get("name") or "").lower()
            if key in ("refresh", "robots"):
                self._facts.setdefault(key, attributes.get("content", "").lower())

    def _article(self) -> _Holder:
        every = _Holder(range(len(self._blocks)), range(len(self._headings)))
        if not self._holders:
            return every
        titled = [holder for holder in self._holders if self._has_title(holder.headings)]
        # An element is closed after those in it, so that of equal ones the first is the innermost.
        return titled[0] if titled else max(self._holders, key=self._size)

    def _has_title(self, headings: Sequence[int]) -> bool:
        return any(self._headings[at].level == 1 for at in headings)

    def _size(self, holder: _Holder) -> int:
        return sum(len(self._blocks[at]) for at in holder.blocks)


def _is_section(name: str, attributes: Mapping[str, str]) -> bool:
    return name == "section" or "section" in attributes.get("class", "").split()


def _is_unseen(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether what an element shows is for machines, menus or eyes alone."""
    is_for_eyes = attributes.get("aria-hidden") == "true"
    return name in _UNSEEN or is_for_eyes or not _UNSEEN_CLASSES.isdisjoint(attributes.get("class", "").split())


def _hides(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether readers never see an element; a tab that is not chosen is seen after a click."""
    is_hidden = "hidden" in attributes or "display:none" in attributes.get("style", "").replace(" ", "").lower()
    return name in ("noscript", "template") or (is_hidden and attributes.get("role") != "tabpanel")
