"""Turns blocks into units: the stretches of a page between which a chunk may begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ingestion.chunking import oversize
from ingestion.chunking.merging import BLOCK, CUT, GLUED, INNER
from ingestion.chunking.sizes import Scale
from ingestion.markdown.blocks import Block
from ingestion.markdown.tags import CLOSING_NAMES, is_opening_tag

_BINDING = frozenset(("heading", "rule", "html", "jsx"))
_SHOWN = frozenset(("fence", "code", "math"))
"""What the text before it announces, with or without a colon."""


class Unit(NamedTuple):
    """A stretch of the page that stays together, with the text repeated before and after it.

    `start` and `end` are offsets into the page; `size` counts the repeated text too, and the blank lines up to
    `end`, so that the sizes of neighbours add up. `rank` is that of the boundary before the unit.
    """

    start: int
    end: int
    rank: int
    size: int
    prefix: str = ""
    suffix: str = ""


class UnitBuilder:
    """Makes the units of a page for chunks of about `size` and never more than `limit`, by the scale."""

    def __init__(self, scale: Scale, size: int, limit: int) -> None:
        self._scale = scale
        self._page = scale.page
        self._size = size
        self._limit = limit

    def build(self, blocks: Sequence[Block], end: int) -> list[Unit]:
        """Return the units of top-level blocks, in order, without a gap from the first block to `end`."""
        return self._build(blocks, self._page.starts[blocks[0].start], end, None, 0)

    def _build(self, blocks: Sequence[Block], start: int, end: int, outer_rank: int | None, lead: int) -> list[Unit]:
        """Return units of blocks in a row; inside a block, whose rank is `outer_rank`, headings do not count.

        `lead` is the size of what will stand before the first unit.
        """
        starts, small = self._page.starts, self._limit // 4
        cuts = [start, *[starts[block.start] for block in blocks[1:]], end]
        sizes = self._scale.sizes(list(pairwise(cuts)))
        units: list[Unit] = []
        run_start, run_size, run_rank = start, 0, GLUED
        for at, (block, n, rank) in enumerate(zip(blocks, sizes, self._ranks(blocks, outer_rank), strict=True)):
            if rank < run_rank:
                run_rank = rank
            if block.kind in _BINDING and n <= small and self._binds_to_next(blocks, at, in_run=run_size > 0):
                if run_size and lead + run_size + n > 2 * small:
                    units.append(Unit(run_start, cuts[at], run_rank, run_size))
                    run_start, run_size, run_rank, lead = cuts[at], 0, rank, 0
                run_size += n
                continue
            if n + run_size + lead <= self._size:
                units.append(Unit(run_start, cuts[at + 1], run_rank, n + run_size))
            else:
                units += self._expand(block, (run_start, cuts[at], cuts[at + 1]), n, run_rank, (lead, run_size))
            run_start, run_size, run_rank, lead = cuts[at + 1], 0, GLUED, 0
        return units

    def _ranks(self, blocks: Sequence[Block], outer_rank: int | None) -> list[int]:
        """Return how strong the boundary before each block is."""
        usual = BLOCK if outer_rank is None else INNER
        ranks = []
        is_text = is_introduced = False
        for block in blocks:
            kind = block.kind
            is_introduced |= is_text and kind in _SHOWN
            if kind == "heading" and outer_rank is None:
                ranks.append(block.level)
            else:
                ranks.append(GLUED if is_introduced or self._belongs_above(block) else usual)
            is_text = kind == "paragraph"
            is_introduced = is_text and self._introduces(block)
        ranks[0] = min(ranks[0], BLOCK) if outer_rank is None else outer_rank
        return ranks

    def _introduces(self, block: Block) -> bool:
        return self._page.lines[block.end - 1].rstrip().endswith((":", "："))

    def _binds_to_next(self, blocks: Sequence[Block], at: int, *, in_run: bool) -> bool:
        """Return whether a block is kept with the next one: a heading that has content, an opening tag."""
        if at + 1 == len(blocks):
            return False
        block, follower = blocks[at], blocks[at + 1]
        if block.kind == "heading":
            return follower.kind != "heading" or follower.level > block.level
        if block.kind == "rule":
            return in_run and follower.kind != "heading"
        return is_opening_tag(self._page.source(block))

    def _belongs_above(self, block: Block) -> bool:
        """Return whether a block is a rule, or closing tags alone."""
        return block.kind == "rule" or self._is_closing_tag(block)

    def _is_closing_tag(self, block: Block) -> bool:
        return block.kind == "html" and not CLOSING_NAMES.sub("", self._page.source(block)).strip()

    def _expand(
        self, block: Block, span: tuple[int, int, int], size: int, rank: int, before: tuple[int, int]
    ) -> list[Unit]:
        """Return a block larger than the target: one unit if it fits the limit and is not a list, else its parts.

        `span` is where what is bound to the block begins, where the block does, and where it ends; `before` has
        the sizes of what will stand before the unit, and of what is bound.
        """
        start, block_start, end = span
        lead, bound = before
        total = size + bound + lead
        if block.kind != "list" and self._fits(block_start, end, total, size):
            return [Unit(start, end, rank, size + bound)]
        if block.children:
            parts = self._build(block.children, block_start, end, rank, lead + bound)
        else:
            pieces = oversize.cut(self._scale, block, (block_start, end), lead + bound, self._size, self._limit)
            parts = [
                Unit(piece.start, piece.end, CUT if at else rank, piece.size, piece.prefix, piece.suffix)
                for at, piece in enumerate(pieces)
            ]
        return [parts[0]._replace(start=start, size=parts[0].size + bound), *parts[1:]]

    def _fits(self, start: int, end: int, total: int, size: int) -> bool:
        if total < self._limit:
            return True
        # The blank lines after a block are not stored, and without them the last token may be another.
        bare = start + len(self._page.text[start:end].rstrip())
        return total <= self._limit + 4 and total - size + self._scale.sizes([(start, bare)])[0] <= self._limit
