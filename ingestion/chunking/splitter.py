"""Cuts a lesson's markdown into chunks: by sections, then blocks, never inside a block that fits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from ingestion.chunking.merging import attach_tiny, boundary_key, join
from ingestion.chunking.sizes import Scale
from ingestion.chunking.units import Unit, UnitBuilder
from ingestion.markdown.anchors import PLAIN, HeadingIds
from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.cleaner import clean, edited, find_edits
from ingestion.markdown.fences import opening_run
from ingestion.markdown.headings import Heading, Outline
from ingestion.markdown.inline_markup import Edit
from ingestion.markdown.links import is_links_alone
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import ANY, Syntax
from ingestion.tokens import count_tokens

TINY_TOKENS = 20
"""A chunk below this says too little alone, and is attached to a neighbour if that has room under the limit."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A chunk of a page.

    `text` is what is stored and shown: the source from offset `start` to `end`, after the first `repeated_before`
    characters and before the last `repeated_after`, which repeat the opening line of a fence or the head of a table,
    and close a fence. Between one slice's `end` and the next one's `start` there are only blank lines.

    `embed_body` is the cleaned text for embedding, without a breadcrumb; it is empty where only dropped things
    remain. Lines count from 1 and are inclusive. `heading_path` holds the cleaned titles from the page's first level
    down to the section that contains the whole chunk; levels may skip. `section_title` and `anchor` are those of the
    path's last section, `headings` those that begin inside the chunk. `is_navigation` where its sections hold links
    alone. `token_count` is the exact cl100k_base count
    of `text`.
    """

    text: str
    embed_body: str
    line_start: int
    line_end: int
    heading_path: tuple[str, ...]
    section_title: str | None
    anchor: str | None
    token_count: int
    start: int
    end: int
    headings: tuple[Heading, ...] = ()
    repeated_before: int = 0
    repeated_after: int = 0
    is_navigation: bool = False


def split_markdown(
    text: str,
    *,
    target: int = 400,
    limit: int = 512,
    syntax: Syntax = ANY,
    ids: HeadingIds = PLAIN,
    props: Sequence[str] = (),
    anchors: Sequence[str] | None = None,
) -> list[Slice]:
    """Return the chunks of a page (no byte-order mark, no front matter), in order.

    A chunk embeds about `target` tokens where its blocks allow, and never more than `limit`, except for a single
    grapheme that alone has more; it stores at most twice as many. `syntax` says how the page is read, `ids` how its
    site names headings, `props` which attributes of components hold words for readers, `anchors` those of its
    headings where the text alone does not tell them. Linear in time and memory.
    """
    page, blocks = parse_page(text, syntax)
    if not blocks:
        return []
    everything = walk(blocks)
    edits = find_edits(page, everything, props, syntax)
    builder = UnitBuilder(Scale(page, edits), target, limit)
    navigation = _navigation(page, blocks, edits)
    stretches = [*_fill(text, builder.build(blocks, len(text)), target, limit, navigation)]
    if blocks[-1].kind == "fence" and not blocks[-1].closed:
        stretches[-1] = _close_fence(stretches[-1], opening_run(page.lines[blocks[-1].start]), limit)
    repeats = {each.prefix: embedded_repeat(each.prefix, syntax, props) for each in stretches if each.prefix}
    return _make_slices(page, Outline(page, blocks, everything, ids, anchors), edits, stretches, repeats)


def embedded_repeat(prefix: str, syntax: Syntax, props: Sequence[str]) -> str:
    """Return what is embedded of the lines that a chunk repeats at its beginning."""
    page, blocks = parse_page(prefix, syntax)
    return edited(prefix, 0, len(prefix), find_edits(page, walk(blocks), props, syntax))


def _navigation(page: Page, blocks: Sequence[Block], edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return where the sections of links alone are, without their headings, in order."""
    spans: list[tuple[int, int]] = []
    for is_heading, group in groupby(blocks, key=lambda block: block.kind == "heading"):
        section = [*group]
        span = page.starts[section[0].start], page.starts[section[-1].end]
        least = 1 if section[-1].kind == "list" else 2
        if not is_heading and is_links_alone(page, *span, edits, at_least=least):
            spans.append(span)
    return spans


def _fill(
    text: str, units: Sequence[Unit], target: int, limit: int, navigation: Sequence[tuple[int, int]]
) -> Iterator[_Stretch]:
    # Two neighbours that are a little too large together are nearer to the target than two that are far too small.
    size = target + (limit - target) // 2
    sizes = [unit.size for unit in units]
    ranks = [unit.rank for unit in units]
    keys = [boundary_key(text, unit.start) for unit in units]
    # A heading stands before what it is bound to, so that the end of a unit tells in which section it is.
    ends = [unit.start + len(text[unit.start : unit.end].rstrip()) for unit in units]
    is_navigation = [any(start < end <= stop for start, stop in _nearest(navigation, end)) for end in ends]
    walls = {at for at, (before, after) in enumerate(pairwise(is_navigation), 1) if before != after}
    # Without the blank lines after it the last token of a chunk may be another: one token of room for that.
    groups = join(sizes, ranks, keys, size=min(size, limit - 1), limit=limit - 1, walls=walls)
    for first, last in attach_tiny(groups, sizes, ranks, tiny=TINY_TOKENS, limit=limit - 1, walls=walls):
        head, tail = units[first], units[last]
        total = sum(sizes[first : last + 1])
        yield _Stretch(head.start, tail.end, head.end, total, head.prefix, tail.suffix, is_navigation[first])


def _nearest(spans: Sequence[tuple[int, int]], end: int) -> Sequence[tuple[int, int]]:
    """Return the last of the spans that begin before `end`, if any does."""
    at = bisect_left(spans, (end,))
    return spans[max(at - 1, 0) : at]


class _Stretch(NamedTuple):
    """A chunk before its text is made.

    `settled` is the offset from which its first section is known.
    """

    start: int
    end: int
    settled: int
    size: int
    prefix: str
    suffix: str
    is_navigation: bool

    @property
    def closing(self) -> str:
        """Return the line that ends it and does not stand on the page, or ""."""
        return f"\n{self.suffix}" if self.suffix else ""


def _close_fence(stretch: _Stretch, run: str, limit: int) -> _Stretch:
    """Return the last chunk of a page whose last fence is never closed, with a closing line if there is room."""
    size = stretch.size + count_tokens([run])[0]
    return stretch._replace(size=size, suffix=run) if size < limit else stretch


def _make_slices(
    page: Page,
    outline: Outline,
    edits: Sequence[Edit],
    stretches: Sequence[_Stretch],
    repeats: Mapping[str, str],
) -> list[Slice]:
    ends = [stretch.start + len(page.text[stretch.start : stretch.end].rstrip()) for stretch in stretches]
    texts = [
        f"{stretch.prefix}{page.text[stretch.start : end]}{stretch.closing}"
        for stretch, end in zip(stretches, ends, strict=True)
    ]
    slices = []
    for stretch, end, text, tokens in zip(stretches, ends, texts, count_tokens(texts), strict=True):
        if end == stretch.start:  # a piece of a run of blanks too long for one chunk
            continue
        path = outline.path_of(stretch.settled, end)
        body = clean(page.text, stretch.start, end, edits)
        slices.append(
            Slice(
                text=text,
                embed_body=body and f"{repeats.get(stretch.prefix, '')}{body}{stretch.closing}",
                line_start=bisect_right(page.starts, stretch.start),
                line_end=bisect_left(page.starts, end),
                heading_path=tuple(heading.title for heading in path),
                section_title=path[-1].title if path else None,
                anchor=outline.anchor_of(stretch.start, stretch.settled, end) or None,
                token_count=tokens,
                start=stretch.start,
                end=end,
                headings=outline.between(stretch.start, end),
                repeated_before=len(stretch.prefix),
                repeated_after=len(stretch.closing),
                is_navigation=stretch.is_navigation,
            )
        )
    return slices
