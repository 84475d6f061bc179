"""What a reader sees of a built site, and how the index of its book compares."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingestion.chunking.chunks import chunk_lesson
from ingestion.ids import LessonKey
from ingestion.markdown.cleaner import searchable
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from rag.models import SearchResult
from rag.quoting.rendering import rendered_blocks

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
UNSEEN_TAGS = frozenset(("script", "style", "template", "button", "noscript", "svg", "title", "math"))
UNSEEN_CLASSES = frozenset(
    (
        *("hash-link", "headerlink", "header-anchor", "header", "theme-doc-breadcrumbs"),
        *("visually-hidden", "sr-only", "katex-mathml", "lang", "line-numbers"),
        *("line-numbers-wrapper", "toc", "boring", "img-wrapper"),
        *("footnote", "footnote-ref", "footnote-reference", "footnote-backref"),
    )
)
"""Links to headings, labels that a generator puts over admonitions and fences, and what is for machines."""

UNSEEN_ATTRIBUTES = {"hidden", "data-footnote-ref", "data-footnote-backref"}
HIDDEN = "zq"
WORD = re.compile(r"[^\W_]+")


class _Page(HTMLParser):
    def __init__(self, holder: re.Pattern[str]) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.text: list[str] = []
        self._holder = holder
        self._open: list[tuple[str, bool, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.ids |= {known[name] for name in ("id", "name") if name in known}
        inside, unseen = self._open[-1][1:] if self._open else (False, False)
        classes = known.get("class", "").split()
        inside = inside or self._holder.search(f"{tag} {known.get('class', '')} {known.get('role', '')}") is not None
        heading_link = "header" in classes and tag == "a"
        hidden = (
            tag in UNSEEN_TAGS
            or bool(UNSEEN_CLASSES & {*classes} - {"header"})
            or bool(UNSEEN_ATTRIBUTES & known.keys())
            or known.get("id") == "markdown-toc"
        )
        if tag == "img" and inside and not unseen:
            self.text.append(f" {known.get('alt', '')} ")
        if tag in ("br", "p", "li", "td", "th", "div", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dt", "dd", "tr"):
            self.text.append(" ")
        if tag not in VOID:
            self._open.append((tag, inside, unseen or (hidden and not heading_link)))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _, _ in self._open):
            while self._open.pop()[0] != tag:
                pass
        self.text.append("" if tag in ("span", "a", "em", "strong", "code", "b", "i", "del", "sup", "sub") else " ")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1] and not self._open[-1][2]:
            self.text.append(data)


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """One page of a built site: all its ids, and the words that a reader sees in the article."""

    ids: frozenset[str]
    words: tuple[str, ...]


def read_page(file: Path, holder: str) -> BuiltPage:
    """Read a built page; `holder` is a pattern of the tag, class and role that hold the article."""
    page = _Page(re.compile(holder))
    page.feed(file.read_text(encoding="utf-8"))
    return BuiltPage(frozenset(page.ids), tuple(words_of("".join(page.text))))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without characters that nobody sees."""
    return [word.lower() for word in WORD.findall(searchable(text))]


def file_of(site: Path, path: str) -> Path | None:
    """The file that a web server shows at a path, or None."""
    plain = unquote(path).strip("/")
    candidates = (site / plain / "index.html", site / f"{plain}.html", site / plain)
    return next((file for file in candidates if file.is_file()), None)


@dataclass(slots=True)
class Comparison:
    """How a book's index compares to its built site.

    `dead` are stored addresses and anchors that the site has not, `missing` the words of articles that no chunk of
    their page has, and `hidden` the words for nobody's eyes (they begin with `zq`) that are searched or quoted.
    """

    pages: int = 0
    links: int = 0
    words: int = 0
    dead: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)


def lessons_of(root: Path, *, every: int = 1, **flags: object) -> Iterator[list[DocumentChunk]]:
    """The chunks of each lesson that a run would index, or of one in `every` so many."""
    settings = load_settings(flags, environ={})
    for file in crawl_book(root, settings).files[::every]:
        try:
            lesson = parse_lesson(read_source(file), settings)
        except UnpublishedPage:
            continue
        key = LessonKey(book_id="b", module=lesson.module, chapter=None, lesson=None, source_file=lesson.path)
        yield chunk_lesson(lesson, key, settings, embedding="e")


def compare(
    root: Path, site: Path, holder: str, own_words: frozenset[str] = frozenset(), base: str = "", **flags: object
) -> Comparison:
    """Hold each stored address and anchor against the built site, and each word of the article against the index.

    `own_words` are those that the generator itself writes into articles, and `base` is the path of the site on its
    host.
    """
    result = Comparison()
    for chunks in lessons_of(root, **flags):
        if not chunks:
            continue
        result.pages += 1
        source, url = chunks[0].metadata.source_file, chunks[0].metadata.page_url
        path = urlsplit(url).path
        built = file_of(site, path.removeprefix(base)) if path.startswith(base) else None
        wanted = _anchors(chunks)
        result.links += 1 + len(wanted)
        indexed = Counter(word for chunk in chunks for word in words_of(chunk.embed_text))
        quoted = (word for chunk in chunks for word in words_of(quoted_text(chunk)))
        result.hidden |= {f"{source}: {word}" for word in (*indexed, *quoted) if word.startswith(HIDDEN)}
        if not url or built is None:
            result.dead += [f"{source}: {url}", *(f"{source}#{anchor}" for anchor in wanted)]
            continue
        page = read_page(built, holder)
        result.dead += [f"{source}: {url}#{anchor}" for anchor in wanted if not {anchor, unquote(anchor)} & page.ids]
        result.words += len(page.words)
        lacking = Counter(word for word in page.words if word not in own_words) - indexed
        result.missing += [f"{source}: {word}" for word in lacking]
    return result


def _anchors(chunks: Sequence[DocumentChunk]) -> list[str]:
    """The anchors of a page's chunks; a browser looks for an id as they are, then decoded."""
    found = {anchor for chunk in chunks for anchor in (chunk.metadata.anchor, *chunk.metadata.section_anchors)}
    return sorted(anchor for anchor in found if anchor)


def quoted_text(chunk: DocumentChunk) -> str:
    """What an answer without a language model may quote of a chunk."""
    passage = SearchResult.model_validate(
        {
            **{name: value for name, value in asdict(chunk.metadata).items() if name in SearchResult.model_fields},
            **{"id": chunk.id, "rank": 1, "text": chunk.text, "score": 1, "relevance": 1},
        }
    )
    return "\n".join(block.text for block in rendered_blocks(passage))


def check(result: Comparison, *, pages: int) -> None:
    """Fail unless all pages are indexed, no link is dead, all words are found, and nothing hidden is.

    Prints the figures, for `docs/fidelity.md` (pytest -rP).
    """
    sys.stdout.write(f"{result.pages} pages, {result.links} addresses and anchors, {result.words} words\n")
    assert (result.dead, result.missing, result.hidden) == ([], [], set())
    assert result.pages == pages and result.links >= 2 * pages
