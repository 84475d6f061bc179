"""Read the inline markup of a line: words, code, images and tags, as markdown-it sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from ingestion.markdown.inline_markup import InlineReader
from ingestion.markdown.notes import NOTE
from ingestion.markdown.syntax import ANY
from ingestion.markdown.tags import TagReader
from ingestion.markdown.unseen import UNSEEN

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_LENGTH = 2000
"""Longer text is not searched for markup: no heading has so much, and the work stays bounded."""

_MARKUP = frozenset("`*_~<[!\\&\n")
_ANY_MARKUP = _MARKUP | frozenset(":+={")
_UNSEEN = dict.fromkeys(map(ord, UNSEEN - {"\u200c", "\u200d"}))
"""All but the joiners, on which the shape of letters depends."""

DATA_URI = re.compile(r"data:[\w.+-]{1,100}+/[\w.+-]{1,100}+(?:;[\w.+=-]+)*+,[A-Za-z0-9+/=%_.~-]{40,}+")

SpanKind = Literal["text", "code", "entity", "image", "tag", "break", "note"]


class Span(NamedTuple):
    """A stretch of a line: `text` is what a reader sees (for a tag or a footnote's mark its source).

    `source` is how an entity is written.
    """

    kind: SpanKind
    text: str
    source: str = ""


@lru_cache(maxsize=512)
def read_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of a line or heading, without marks of emphasis and link addresses.

    The last are kept: where the generator of a site is unknown, each known one names the same headings.
    """
    if len(text) > MAX_LENGTH or _MARKUP.isdisjoint(text):
        return (Span("text", text),)
    reader = _reader()
    tokens: list[Token] = []
    reader.inline.parse(text, reader, {}, tokens)
    return tuple(_spans(tokens))


def plain_words(text: str) -> str:
    """Return what a reader of the line sees, on one line: no markup, no entities, no comments."""
    if text.isascii() and _ANY_MARKUP.isdisjoint(text):
        return " ".join(text.split())
    text = _without_marks(DATA_URI.sub("", text))
    spans = read_spans(text)
    tags = TagReader(text)
    words = "".join(_shown(span, tags) for span in spans)
    return " ".join(words.translate(_UNSEEN).split())


def _without_marks(text: str) -> str:
    """Return a line without what CommonMark does not know: icons, keys, wiki links and the like."""
    reader = InlineReader(text, ANY, (), frozenset())
    reader.read(0, len(text), is_heading=True)
    for edit in sorted(reader.edits, reverse=True):
        is_wiki = text[edit.start : edit.end].startswith(("[[", "]]"))
        if is_wiki or edit.rule not in ("entity", "tag", "link-address"):
            text = f"{text[: edit.start]}{edit.replacement}{text[edit.end :]}"
    return text


def _shown(span: Span, tags: TagReader) -> str:
    if span.kind != "tag":
        return "" if span.kind == "note" else span.text
    tag = tags.replace(span.text)
    return span.text if tag is None else tag


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


def _spans(tokens: Iterable[Token]) -> Iterator[Span]:
    for token in tokens:
        if read := _READ.get(token.type):
            yield from read(token)


def _words(token: Token) -> Iterator[Span]:
    yield from _text_and_notes(token.content)


def _special(token: Token) -> Iterator[Span]:
    yield Span("entity" if token.info == "entity" else "text", token.content, token.markup)


def _code(token: Token) -> Iterator[Span]:
    yield Span("code", token.content)


def _image(token: Token) -> Iterator[Span]:
    yield Span("image", "".join(span.text for span in _spans(token.children or ()) if span.kind != "tag"))


def _tag(token: Token) -> Iterator[Span]:
    yield Span("tag", token.content)


def _break(token: Token) -> Iterator[Span]:
    yield Span("break", "\n")


_READ: Mapping[str, Callable[[Token], Iterator[Span]]] = {
    "text": _words,
    "text_special": _special,
    "code_inline": _code,
    "image": _image,
    "html_inline": _tag,
    "softbreak": _break,
    "hardbreak": _break,
}


def _text_and_notes(text: str) -> Iterator[Span]:
    at = 0
    for note in NOTE.finditer(text) if "[^" in text else ():
        end = note.end("label") + 1
        if at < note.start():
            yield Span("text", text[at : note.start()])
        yield Span("note", text[note.start() : end])
        at = end
    if at < len(text):
        yield Span("text", text[at:])
