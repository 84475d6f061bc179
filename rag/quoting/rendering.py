"""The blocks of a passage as a reader sees them: without markup, directives, shortcodes and addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.placeholders import says_something
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.models import SearchResult

_ASIDE = re.compile(
    r"(?:exercises?|(?:\w+[- ]){0,2}quiz(?:zes)?|assignments?|challenges?|homework|practice|review questions|"
    r"knowledge check|rubrics?|(?:review (?:and|&) )?self[- ]study|(?:\w+ ){1,2}prompts?(?=\W*$)|"
    r"release notes|changelog|what'?s new|contributors|sponsors|acknowledge?ments|credits|further reading|"
    r"references(?=\W*$)|(?:table of )?contents|toc|"
    r"learning (?:objectives|goals)|what you(?:'|’)?(?: wi)?ll learn)\b",
    re.IGNORECASE,
)
"""How a section is called that asks or lists instead of telling."""

_ASIDE_PAGE = re.compile(
    r"\W*(?:release notes|releases|changelog|change log|what'?s new|contributors|sponsors|acknowledge?ments)\W*"
    r"|.*\bquiz\b.*",
    re.IGNORECASE,
)
"""How a page is called that lists instead of telling, whatever its sections are called."""

_ASIDE_FILE = re.compile(r"(?:.*/)?(?:[\d._-]*)(?:assignments?|quiz(?:zes)?|exercises?|homework|challenges?)\.\w+")
_PICTURES = re.compile(r"(?:\s*\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+")
_HEADING_ID = re.compile(r"\s*\{\s*[#.:][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_OPTIONS = re.compile(r"\s*(?:[-*+][ \t]+)?(?:\[[ xX]?\]|\(?[aA1][.)])[ \t]")
_ASKS = re.compile(r"[?？؟][\s*_`\"”)]*\Z")
"""A list with such an item behind a block that asks has the options of a quiz."""


_TITLE_MARKS = re.compile(r"^[\W\d_]+")


@dataclass(frozen=True, slots=True)
class ShownBlock(PassageBlock):
    """A block as a reader sees it; `is_aside` where it asks or lists links instead of telling."""

    is_aside: bool = False


def rendered_blocks(passage: SearchResult) -> tuple[ShownBlock, ...]:
    """Return the blocks of a passage that say something, as a reader sees them.

    What a picture shows is said only where there is nothing else: beside the text it reads like a part of it.
    """
    said: list[tuple[PassageBlock, ShownBlock]] = []
    for block in blocks_of(passage):
        shown = _shown(block)
        if said and _are_options(block, said[-1][0]):
            shown = replace(shown, is_aside=True)
        if says_something(shown.text):
            said.append((block, shown))
    texts = tuple(shown for block, shown in said if not _PICTURES.fullmatch(block.text))
    return texts or tuple(shown for _, shown in said)


def _are_options(block: PassageBlock, before: PassageBlock) -> bool:
    is_listed = block.kind in ("list", "paragraph") and _OPTIONS.match(block.text)
    return bool(is_listed and _ASKS.search(before.text))


def _shown(block: PassageBlock) -> ShownBlock:
    section = plain_title(block.section)
    is_aside = (
        _ASIDE.match(_TITLE_MARKS.sub("", section or "")) is not None
        or _ASIDE_FILE.fullmatch(block.passage.source_file) is not None
        or _ASIDE_PAGE.fullmatch(plain_title(block.passage.page_title) or "") is not None
        or _is_link_list(block)
    )
    return ShownBlock(
        passage=block.passage,
        kind=block.kind,
        section=section,
        anchor=block.anchor,
        text=render(block),
        line_start=block.line_start,
        line_end=block.line_end,
        is_aside=is_aside,
    )


def render(block: PassageBlock) -> str:
    """Return a block without markup, directives, shortcodes and addresses; code and formulas stay as they are."""
    page, syntax = Page(block.text), block.passage.page_syntax
    parsed = walk(parse_blocks(page.lines, syntax))
    shown = clean(page.text, 0, len(page.text), find_edits(page, parsed, (), syntax, quoted=True))
    shown = re.sub(r"\n{3,}", "\n\n", shown).strip("\n")
    return shown.strip() if block.kind in ("paragraph", "html") else shown


def plain_title(title: str | None) -> str | None:
    """Return a heading without the id that some sites write behind it."""
    return _HEADING_ID.sub("", title) if title else title


def _is_link_list(block: PassageBlock) -> bool:
    """Return whether a block says nothing beside what it links to, as tables of contents and navigation do."""
    links = list(_LINK.finditer(block.text)) if block.kind in ("paragraph", "list", "table") else []
    if not links:
        return False
    rest = re.sub(r"[\W\d_]+", "", _LINK.sub("", block.text))
    # Of prose only the words of a link count, or a long address would make a pointer of any sentence.
    return len(rest) < 0.25 * sum(len(link[1] if block.kind == "paragraph" else link[0]) for link in links)
