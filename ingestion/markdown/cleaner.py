"""Cleans markdown for what is searched and quoted: what only a build needs goes, every word a reader sees stays."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from markdown_it.common.utils import normalizeReference

from ingestion.markdown.anchors import split_brackets
from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.fences import after_marks
from ingestion.markdown.headings import without_closing_marks
from ingestion.markdown.inline import DATA_URI
from ingestion.markdown.inline_markup import Edit, InlineReader
from ingestion.markdown.notes import NOTE
from ingestion.markdown.references import DEFINITION
from ingestion.markdown.rules.directives import closing_marks
from ingestion.markdown.rules.tables import UNESCAPED_PIPE
from ingestion.markdown.syntax import ANY, Syntax
from ingestion.markdown.tags import tag_name
from ingestion.markdown.unseen import unseen_characters

_DIRECTIVE = re.compile(
    r"(?P<before>[ \t>]*)(?::{3,}[ \t]*(?P<type>[\w-]+)(?:\[(?P<label>[^\n]*)\]|[ \t]+(?P<title>[^\n{]*[^\s{]))?"
    r"(?P<attributes>[ \t]*(?:\{[^\n]*\})?)"
    r"|/{3,}[ \t]*(?P<block>[\w-]+)(?:[ \t]*\|[ \t]*(?P<caption>[^\n]*[^\s]))?"
    r"|(?:!{3}|\?{3}\+?|={3}[!+]*)[ \t]*(?P<kind>[\w-]+)?(?:[ \t]+[\w-]+)*[ \t]*"
    r"(?:[\"'](?P<name>[^\n]*)[\"'])?)"
)
_FENCE = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*\{?[ \t]*(?P<language>[\w+#.-]*)(?P<rest>[^\n]*)")
_TITLE = re.compile(r"\btitle=(?:\"[^\"\n]*\"|'[^'\n]*')|(?<!\S)\[[^\[\]\n]+\]")
_ONLY_A_MACRO = re.compile(r"\s*(?:\{\*[^{}]*\*\}|\{\{[ \t]*#[^{}]*\}\}|\{%[ \t]*include[^{}%]*%\})\s*")
"""What another file is read in by, where it was not read."""

_ANNOTATION = re.compile(r"[ \t]*(?:#|//|--|;|%|/\*|<!--)[ \t]*\(\d{1,3}\)!(?:[ \t]*(?:\*/|-->))?[ \t]*$")
"""A comment that is a number alone, in whose place Material for MkDocs shows a mark to click."""

_PADDING = re.compile(r"(?<=(?<!\\)\|)[ \t]{2,}|[ \t]{2,}(?=\|)")
_DROPPED_BLOCKS = {"comment": "comment", "reference": "link-reference"}
_WITHOUT_MARKUP = frozenset(("comment", "fence", "math", "reference", "rule"))
_HEADING_ID = re.compile(r"\{:?[ \t]*[#.][^{}\n]*\}(?=[ \t]*#*[ \t]*\r?$)")
_TAIL = 400
"""How far from the end of a heading its id may begin."""

_NOTHING = " \t\n\r\f\v!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def find_edits(
    page: Page, blocks: Sequence[Block], props: Sequence[str] = (), syntax: Syntax = ANY, *, quoted: bool = False
) -> list[Edit]:
    """Return everything that the embedded text of a page lacks or has otherwise, in order and without overlap.

    `blocks` are all blocks, with those inside others. Code and formulas stay as they are. Link texts and image
    descriptions stay and their addresses go; so do tags, heading ids, attributes, shortcodes, icons, marks of
    footnotes, data URIs, link references and characters nobody sees. The title of an admonition, else its type, stays
    as words, and so do the words that tags and shortcodes show: labels of tabs, titles of cards, and what the
    attributes `props` hold. A quotation (`quoted`) lacks besides: emphasis and other marks of containers, pictures
    beside words, and what is struck.
    """
    text, references = _without_quote_marks(page, blocks), _references(page, blocks)
    reader = InlineReader(text, syntax, props, references, for_quotes=quoted)
    edits, besides = reader.edits, reader.quoted
    annotated = _annotated(page, blocks) if "annotations" in syntax.inline and "annotate" in page.text else ()
    for block in blocks:
        if block.kind in _EDITS and not (quoted and block.kind == "table"):
            edits += _EDITS[block.kind](page, block)
        if quoted and block.kind in _QUOTED_EDITS:
            besides += _QUOTED_EDITS[block.kind](page, block)
        _read(page, block, reader, is_annotated=block.start in annotated)
    if quoted:
        besides += _indents(page, blocks)
    return _with_hidden(page.text, _without_overlap([*besides, *edits]))


def _references(page: Page, blocks: Sequence[Block]) -> set[str]:
    """Return the labels that the page defines for links."""
    defined = (page.source(block) for block in blocks if block.kind == "reference")
    return {normalizeReference(found["label"]) for source in defined for found in DEFINITION.finditer(source)}


def _read(page: Page, block: Block, reader: InlineReader, *, is_annotated: bool) -> None:
    """Read the markup inside the lines of a block that has such lines of its own."""
    if block.kind == "table":
        _read_cells(page, block, reader)
    elif block.kind == "directive":
        if title := _title_in(_DIRECTIVE.match(page.text, page.starts[block.start])):
            reader.read(*title, is_annotated=is_annotated)
    elif not block.children and not _is_verbatim(page, block):
        reader.read(*page.span(block), is_heading=block.kind == "heading", is_annotated=is_annotated)


def _annotated(page: Page, blocks: Sequence[Block]) -> set[int]:
    """Return the lines of blocks of the class `annotate`: by attributes below them, their kind, or an element."""
    lines: set[int] = set()
    opened = None
    for block in blocks:
        first, last = page.lines[block.start], page.lines[block.end - 1].strip()
        is_element = block.kind == "html"
        if opened is not None and is_element and first.lstrip().startswith("</"):
            lines |= set(range(opened, block.start))
            opened = None
        elif is_element and opened is None and "annotate" in first:
            opened = block.start
        elif _is_annotated(block.kind, first, last):
            lines |= set(range(block.start, block.end))
    return lines


def _is_annotated(kind: str, first: str, last: str) -> bool:
    by_kind = kind == "directive" and "annotate" in first.partition('"')[0].split()
    return by_kind or (last.startswith("{") and ".annotate" in last)


def _padding(page: Page, block: Block) -> Iterator[Edit]:
    """Yield what only draws a table: the line below its head, and the blanks that make its columns stand in line."""
    yield Edit(page.starts[block.start + 1], page.starts[block.start + 2], "", "table-line")
    for found in _PADDING.finditer(page.text, *page.span(block)):
        yield Edit(*found.span(), " ", "padding")


def _without_quote_marks(page: Page, blocks: Sequence[Block]) -> str:
    """Return the page with blanks for the marks of quotes, which stand between the lines of what is quoted."""
    lines = None
    for block in blocks:
        if block.kind == "quote":
            lines = lines or list(page.lines)
            for number, end in _quote_marks(lines, block):
                lines[number] = " " * end + lines[number][end:]
    return "\n".join(lines) if lines else page.text


def _quote_marks(lines: Sequence[str], quote: Block) -> Iterator[tuple[int, int]]:
    """Yield the lines of a quote that begin with its marks, each with where they end."""
    for number in range(quote.start, quote.end):
        line = lines[number]
        end = line.rfind(">", 0, len(line) - len(line.lstrip(" \t>"))) + 1
        if end:
            yield number, end + line.startswith((" ", "\t"), end)


def _is_verbatim(page: Page, block: Block) -> bool:
    is_code = block.kind == "code" and not tag_name(page.lines[block.start].lstrip())
    return is_code or block.kind in _WITHOUT_MARKUP


def _read_cells(page: Page, table: Block, reader: InlineReader) -> None:
    for number in range(table.start, table.end):
        start = page.starts[number]
        end = start + len(page.lines[number])
        if reader.begins(page.text, start, end):
            for cell in (*UNESCAPED_PIPE.finditer(page.text, start, end), None):
                last = cell.start() if cell else end
                reader.read(start, last)
                start = last + 1


def _title_in(found: re.Match[str] | None) -> tuple[int, int] | None:
    """Return where the title of an admonition or a tab stands, None where it has none."""
    groups = ("label", "title", "caption", "name")
    return next((found.span(group) for group in groups if found[group]), None) if found else None


def _without_overlap(edits: list[Edit]) -> list[Edit]:
    """Return edits in order; of two that overlap the one that begins first and is longer."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def clean(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """Return the text from `start` to `end` with the edits that touch it; empty if only punctuation remains.

    Blanks at the ends of lines go: nobody sees them, and a change of them must embed nothing.
    """
    body = edited(text, start, end, edits).rstrip()
    if not body.strip(_NOTHING):
        return ""
    return "\n".join([line.rstrip(" \t\r") for line in body.split("\n")]).lstrip("\n")


def searchable(text: str) -> str:
    """Return text as pages and questions are compared: without characters nobody sees, Arabic forms as letters."""
    others = dict(unseen_characters(text))
    return "".join([others.get(at, sign) for at, sign in enumerate(text)]) if others else text


def edited(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """Return the text from `start` to `end` with the edits that touch it, its blanks as they are."""
    parts: list[str] = []
    at = start
    for number in range(bisect_right(edits, start, key=lambda edit: edit.end), len(edits)):
        edit = edits[number]
        if edit.start >= end:
            break
        parts.append(text[at : max(edit.start, at)])
        if edit.start >= start:
            parts.append(edit.replacement)
        at = min(edit.end, end)
    parts.append(text[at:end])
    return "".join(parts)


def _dropped(page: Page, block: Block) -> Iterator[Edit]:
    yield Edit(*page.span(block), "", _DROPPED_BLOCKS[block.kind])


def _mark_edits(page: Page, footnote: Block) -> Iterator[Edit]:
    start = page.starts[footnote.start]
    if label := NOTE.search(page.lines[footnote.start]):
        yield Edit(start + label.start(), start + label.end(), "", "footnote-mark")


def _id_edits(page: Page, heading: Block) -> Iterator[Edit]:
    """Leave out the id that an author gave a heading, and other attributes."""
    number = max(heading.start, heading.end - 2)  # the line above an underline
    tail = max(len(page.lines[number]) - _TAIL, 0)
    line, at = page.lines[number][tail:], page.starts[number] + tail
    if found := _HEADING_ID.search(line):
        yield Edit(at + found.start(), at + found.end(), "", "heading-id")
    elif "]]" in line and (titled := split_brackets(text := without_closing_marks(line.rstrip()))):
        yield Edit(at + len(titled.text), at + len(text), "", "heading-id")


def _info_edits(page: Page, block: Block) -> Iterator[Edit]:
    """Leave the language and the title of a listing: the rest of its first line, and marks in it, are for a build."""
    start = page.starts[block.start]
    found = _FENCE.search(page.lines[block.start])
    if found and found["rest"].strip():
        title = _TITLE.search(found["rest"])
        info = f"{found['language']} {title[0]}" if title else found["language"]
        yield Edit(start + found.end("run"), start + found.end(), info, "fence-info")
    for number in range(block.start + 1, block.end) if ")!" in page.source(block) else ():
        if mark := _ANNOTATION.search(page.lines[number]):
            yield Edit(page.starts[number] + mark.start(), page.starts[number] + mark.end(), "", "mark")


def _quote_edits(page: Page, quote: Block) -> Iterator[Edit]:
    for number, end in _quote_marks(page.lines, quote):
        yield Edit(page.starts[number], page.starts[number] + end, "", "quote-mark")


def _heading_edits(page: Page, heading: Block) -> Iterator[Edit]:
    start = page.starts[heading.start]
    line = page.lines[heading.start]
    marks = line.lstrip(" \t>")
    rest = marks.lstrip("#")
    words = rest.lstrip(" \t")
    if marks.startswith("#") and words != rest:
        yield Edit(start + len(line) - len(marks), start + len(line) - len(words), "", "heading-mark")


def _listing_edits(page: Page, fence: Block) -> Iterator[Edit]:
    """Leave out a listing that says nothing, and of its first line all but the language."""
    start = page.starts[fence.start]
    opening = _FENCE.search(page.lines[fence.start])
    if _ONLY_A_MACRO.fullmatch("\n".join(page.lines[fence.start + 1 : fence.end - 1])):
        yield Edit(*page.span(fence), "", "shortcode")
    elif opening and opening["rest"].strip():
        yield Edit(start + opening.end("run"), start + opening.end(), opening["language"], "fence-info")


def _indents(page: Page, blocks: Sequence[Block]) -> Iterator[Edit]:
    """Yield the indentation of what stands in containers without a closing line, which would make code of it."""
    depths: dict[int, int] = {}
    for block in blocks:
        if block.kind == "directive" and _closing_marks(page.lines[block.end - 1]) < 0:
            for number in range(block.start + 1, block.end):
                depths[number] = depths.get(number, 0) + 1
    for number, depth in depths.items():
        line = page.lines[number]
        blanks = len(line) - len(line.lstrip(" "))
        if taken := min(4 * depth, blanks):
            yield Edit(page.starts[number], page.starts[number] + taken, "", "indent")


def _directive_edits(page: Page, block: Block) -> Iterator[Edit]:
    if found := _DIRECTIVE.match(page.text, page.starts[block.start]):
        first = found.end("before")
        if title := _title_in(found):
            yield Edit(first, title[0], "", "admonition-mark")
            yield Edit(title[1], found.end(), "", "admonition-mark")
        else:
            kind = found["type"] or found["block"] or (found["kind"] if found["name"] is None else "")
            yield Edit(first, found.end(), kind or "", "admonition-mark")
    last = page.starts[block.end - 1]
    marks = _closing_marks(page.lines[block.end - 1]) if block.end - 1 > block.start else -1
    if marks >= 0:
        yield Edit(last + marks, page.starts[block.end], "", "admonition-mark")


def _closing_marks(line: str) -> int:
    """Return where the marks begin in a line that closes a directive, -1 in any other."""
    at = after_marks(line)
    return at if closing_marks(line[at:]) else -1


_EDITS: Mapping[str, Callable[[Page, Block], Iterator[Edit]]] = {
    "comment": _dropped,
    "directive": _directive_edits,
    "fence": _info_edits,
    "footnote": _mark_edits,
    "heading": _id_edits,
    "reference": _dropped,
    "table": _padding,
}
_QUOTED_EDITS: Mapping[str, Callable[[Page, Block], Iterator[Edit]]] = {
    "fence": _listing_edits,
    "heading": _heading_edits,
    "quote": _quote_edits,
}
"""What a quotation lacks of a block besides."""


def _with_hidden(text: str, edits: list[Edit]) -> list[Edit]:
    """Return the edits, with data URIs and characters nobody sees outside of them."""
    hidden: list[Edit] = []
    if "data:" in text:
        hidden += (Edit(found.start(), found.end(), "", "data-uri") for found in DATA_URI.finditer(text))
    for at, letters in unseen_characters(text):
        hidden.append(Edit(at, at + 1, letters, "arabic-form" if letters else "zero-width"))
    hidden.sort()
    return _merge(hidden, edits)


def _merge(edits: list[Edit], stronger: list[Edit]) -> list[Edit]:
    """Return both, in order; where two overlap, the stronger stays."""
    if not edits or not stronger:
        return edits or stronger
    starts = [edit.start for edit in stronger]
    kept = [*stronger]
    for edit in edits:
        at = bisect_left(starts, edit.end) - 1
        if at < 0 or stronger[at].end <= edit.start:
            kept.append(edit)
    return sorted(kept)
