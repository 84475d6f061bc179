"""What a reader of the index should know about a page's markdown: broken constructs, and text left out of search."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.cleaner import find_edits
from ingestion.markdown.hidden import Hidden
from ingestion.markdown.inline_markup import Edit
from ingestion.markdown.links import Link, find_links, heading_texts, own_ids
from ingestion.markdown.parser import parse_page
from ingestion.markdown.shown import shown_text
from ingestion.markdown.syntax import ANY, Syntax

_FENCE_LINE = re.compile(r"(?P<indent>[ \t>]*)(?P<run>`{3,}|~{3,})(?P<info>[^`]*)$")
_SHOWS_MARKDOWN = re.compile(r"[`~]+[ \t]*(?:md|mdx|markdown)\b", re.I)
_BROKEN = {
    "fence": ("unclosed-fence", "this code fence is never closed: everything below it is read as code"),
    "comment": ("unclosed-comment", "this comment is never closed: everything below it is hidden"),
    "html": ("unclosed-html", "this HTML block is never closed: everything below it is read as HTML"),
    "paragraph": ("unclosed-directive", "this ::: block is never closed: its line is read as text"),
}


class Notice(NamedTuple):
    """One finding: its line in the text, counted from 1, the rule, and what it means.

    A rule that begins with `dropped-` names text that is not searched; the others name mistakes.
    """

    line: int
    rule: str
    message: str


class LintedPage(NamedTuple):
    """What a page's markdown tells the linter of a book.

    `headings` are level and inline markdown of each, `ids` those that the page writes out itself.
    """

    notices: list[Notice]
    links: tuple[Link, ...]
    headings: tuple[tuple[int, str], ...]
    ids: frozenset[str]


def lint_page(text: str, syntax: Syntax = ANY, *, dropped: bool = True) -> LintedPage:
    """Return mistakes in a page's markdown, where it links to, and with `dropped` everything that cleaning drops.

    `text` is the whole page, with what it hides.
    """
    page, top = parse_page(text, syntax)
    blocks = walk(top)
    shown = shown_text(text, syntax)
    seen, seen_top = parse_page(shown.text, syntax)
    edits = find_edits(seen, walk(seen_top), (), syntax)
    notices = {*_mistakes(page, blocks), *_unclosed(page, shown.hidden)}
    if dropped:
        hidden = [Edit(each.start, each.end, "", each.rule) for each in shown.hidden]
        notices |= {*_dropped(page, hidden), *(_moved(notice, shown.lines) for notice in _dropped(seen, edits))}
    links = tuple(_moved(link, shown.lines) for link in find_links(seen, edits))
    return LintedPage(sorted(notices), links, tuple(heading_texts(page, blocks)), own_ids(text))


def is_api_page(line: str) -> bool:
    """Return whether documentation tools put the description of a function here: no block, so nothing closes it."""
    mark, *names = line.split()[:3] or [""]
    return mark == ":::" and len(names) == 1 and "." in names[0] and all(map(str.isidentifier, names[0].split(".")))


Lined = TypeVar("Lined", Notice, Link)


def _moved(found: Lined, lines: Sequence[int]) -> Lined:
    """Return what was found in the shown text with its line in the whole page."""
    return found._replace(line=lines[found.line - 1]) if lines else found


def _unclosed(page: Page, hidden: Sequence[Hidden]) -> Iterator[Notice]:
    for stretch in hidden:
        if not stretch.closed:
            kind = "html" if stretch.rule == "hidden-element" else "comment"
            yield Notice(bisect_right(page.starts, stretch.start), *_BROKEN[kind])


def _mistakes(page: Page, blocks: list[Block]) -> Iterator[Notice]:
    fences = [block for block in blocks if block.kind == "fence"]
    unclosed = max((block.start for block in fences if not block.closed), default=-1)
    for block in blocks:
        if not block.closed and block.kind in _BROKEN and not is_api_page(page.lines[block.start]):
            yield Notice(block.start + 1, *_BROKEN[block.kind])
    for block in fences:
        yield from _nested_fences(page, block, breaks_page=unclosed >= block.start)


def _nested_fences(page: Page, block: Block, *, breaks_page: bool) -> Iterator[Notice]:
    """Yield fences that open inside one no longer than itself, where the first closing line ends the outer one.

    A fence may show such a line, and is closed where it should be: a mistake is only what leaves a later fence open
    (`breaks_page`), or what stands in a fence that shows markdown.
    """
    opening = re.search(r"`{3,}|~{3,}", page.lines[block.start])
    assert opening is not None
    indent = len(page.lines[block.start][: opening.start()].expandtabs(4))
    if not breaks_page and not _SHOWS_MARKDOWN.match(page.lines[block.start], opening.start()):
        return
    for number in range(block.start + 1, block.end):
        found = _FENCE_LINE.match(page.lines[number].rstrip("\r"))
        if not found or not found["info"].strip() or not found["run"].startswith(opening[0]):
            continue
        if len(found["indent"].expandtabs(4)) - indent < 4:  # with more it neither opens nor closes anything
            message = f"a fence opens inside the fence of line {block.start + 1}: give the outer one a longer marker"
            yield Notice(number + 1, "nested-fence", message)


def _dropped(page: Page, edits: Sequence[Edit]) -> Iterator[Notice]:
    for edit in edits:
        if edit.rule in ("entity", "arabic-form", "escape", "table-line"):  # which are shown as what they mean
            continue
        source = page.text[edit.start : edit.end].strip()
        if source.strip("![") and source != edit.replacement:
            excerpt = source if len(source) <= 60 else f"{source[:57]}..."
            yield Notice(bisect_right(page.starts, edit.start), f"dropped-{edit.rule}", excerpt.replace("\n", " "))
