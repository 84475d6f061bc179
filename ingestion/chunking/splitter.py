"""Cuts a lesson's markdown into chunks: by sections, then blocks, never inside a block that fits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingestion.chunking.merging import attach_tiny, boundary_key, join
from ingestion.chunking.oversize import fence_run
from ingestion.chunking.units import Unit, UnitBuilder
from ingestion.markdown.anchors import PLAIN, HeadingIds
from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.headings import Heading, Outline
from ingestion.markdown.inline_markup import Edit
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
    path's last section, `headings` those that begin inside the chunk. `token_count` is the exact cl100k_base count
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

    A chunk has about `target` tokens where its blocks allow, and never more than `limit`, except for a single
    grapheme that alone has more. `syntax` says how the page is read, `ids` how its
    site names headings, `props` which attributes of components hold words for readers, `anchors` those of its
    headings where the text alone does not tell them. Linear in time and memory.
    """
    page, blocks = parse_page(text, syntax)
    builder = UnitBuilder(page, target, limit)
    stretches = [*_fill(text, builder.build(blocks, len(text)), target, limit)] if blocks else []
    if blocks and blocks[-1].kind == "fence" and not blocks[-1].closed:
        stretches[-1] = _close_fence(stretches[-1], fence_run(page.lines[blocks[-1].start]), limit)
    everything = walk(blocks)
    outline = Outline(page, blocks, everything, ids, anchors)
    return _make_slices(page, outline, find_edits(page, everything, props, syntax), stretches)


def _fill(text: str, units: Sequence[Unit], target: int, limit: int) -> Iterator[_Stretch]:
    # Two neighbours that are a little too large together are nearer to the target than two that are far too small.
    size = target + (limit - target) // 2
    sizes = [unit.tokens for unit in units]
    ranks = [unit.rank for unit in units]
    keys = [boundary_key(text, unit.start) for unit in units]
    # Without the blank lines after it the last token of a chunk may be another: one token of room for that.
    groups = join(sizes, ranks, keys, size=min(size, limit - 1), limit=limit - 1)
    for first, last in attach_tiny(groups, sizes, ranks, tiny=TINY_TOKENS, limit=limit - 1):
        head, tail = units[first], units[last]
        yield _Stretch(head.start, tail.end, head.end, sum(sizes[first : last + 1]), head.prefix, tail.suffix)


class _Stretch(NamedTuple):
    """A chunk before its text is made.

    `settled` is the offset from which its first section is known; `tokens` counts the blank lines up to `end` too.
    """

    start: int
    end: int
    settled: int
    tokens: int
    prefix: str
    suffix: str


def _close_fence(stretch: _Stretch, run: str, limit: int) -> _Stretch:
    """Return the last chunk of a page whose last fence is never closed, with a closing line if there is room."""
    tokens = stretch.tokens + count_tokens([run])[0]
    return stretch._replace(tokens=tokens, suffix=run) if tokens < limit else stretch


def _make_slices(page: Page, outline: Outline, edits: Sequence[Edit], stretches: Sequence[_Stretch]) -> list[Slice]:
    ends = [stretch.start + len(page.text[stretch.start : stretch.end].rstrip()) for stretch in stretches]
    slices = []
    for stretch, end, tokens in zip(stretches, ends, _count_exactly(page, stretches, ends), strict=True):
        if end == stretch.start:  # a piece of a run of blanks too long for one chunk
            continue
        path = outline.path_of(stretch.settled, end)
        body = clean(page.text, stretch.start, end, edits)
        closing = f"\n{stretch.suffix}" if stretch.suffix else ""
        slices.append(
            Slice(
                text=f"{stretch.prefix}{page.text[stretch.start : end]}{closing}",
                embed_body=body and f"{stretch.prefix}{body}{closing}",
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
                repeated_after=len(closing),
            )
        )
    return slices


def _count_exactly(page: Page, stretches: Sequence[_Stretch], ends: Sequence[int]) -> list[int]:
    """Return the stretches' tokens without the blank lines after them: only the last words of each are counted
    again.
    """
    last_words = []
    for stretch, end in zip(stretches, ends, strict=True):
        start = max(_token_start(page.text, end), stretch.start)
        last_words.append(page.text[start : stretch.end])
        last_words.append(page.text[start:end] + ("\n" if stretch.suffix else ""))
    counts = count_tokens(last_words)
    return [
        stretch.tokens - with_blanks + bare
        for stretch, with_blanks, bare in zip(stretches, counts[::2], counts[1::2], strict=True)
    ]


def _token_start(text: str, end: int) -> int:
    """Return a place before `end`, in the same line, where a token begins whatever stands around it.

    cl100k_base never joins the first character of a line that is not blank to what stands before it, nor a space
    between two letters. So counts on both sides add up.
    """
    line = text.rfind("\n", 0, end) + 1
    space = text.rfind(" ", line, end - 1)
    return space if space > line and text[space - 1].isalpha() and text[space + 1].isalpha() else line
