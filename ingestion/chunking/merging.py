"""Joins small neighbours until they fill a chunk, so that an edit moves only the boundaries near it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from zlib import crc32

BLOCK, INNER, GLUED, CUT = 7, 8, 9, 10
"""Ranks of the boundary before a unit, after those of headings (their levels 1 to 6): a block, a part of a block, a
unit that belongs to the one before it, and the next piece of a block that was cut and has text repeated. A lower rank
is a stronger boundary, but a CUT never goes."""


def boundary_key(text: str, start: int) -> int:
    """Return a number that only the first characters after a boundary decide, so that an edit further on changes
    nothing.
    """
    return crc32(text[start : start + 24].encode("utf-8", "replace"))


def join(
    sizes: Sequence[int],
    ranks: Sequence[int],
    keys: Sequence[int],
    *,
    size: int,
    limit: int,
    walls: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return groups of neighbours as (first, last) indices: none is larger than `size`, except as said below.

    Boundaries go weakest first while what they part fits together: the deepest rank first, and within a rank in
    the order of a key of the text that follows (`boundary_key`), which is the same wherever on the page it stands.
    So whether a boundary falls depends on its surroundings only, and an edit cannot shift the boundaries of the
    rest of the page as filling from the top would. In the end no two neighbours of one section fit together.

    A boundary at a heading goes only if both sides are whole sections under the same parent. A whole section, a
    whole page and a unit with what is `GLUED` to it may be as large as `limit`. The boundary before a unit in `walls`
    stays.
    """
    count = len(sizes)
    first = list(range(count))
    last, total = first[:], list(sizes)
    for at in sorted(first[1:], key=lambda at: (CUT - ranks[at] << 32) + keys[at]):
        left, right, rank = first[at - 1], last[at], ranks[at]
        below = ranks[right + 1] if right + 1 < count else 0
        above = 0 if left == 0 and (below == 0 or ranks[0] >= BLOCK) else ranks[left]
        joined = total[left] + total[at]
        if rank == CUT or joined > limit or at in walls:
            continue
        is_too_large = joined > size and rank != GLUED and not (below <= above < min(rank, BLOCK))
        if is_too_large or (rank < BLOCK and max(above, below) > rank):
            continue
        total[left], first[right], last[left] = joined, left, right
    groups, at = [], 0
    while at < count:
        groups.append((at, last[at]))
        at = last[at] + 1
    return groups


def attach_tiny(
    groups: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    ranks: Sequence[int],
    *,
    tiny: int,
    limit: int,
    walls: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return the groups; those of less than `tiny` join a neighbour that has room, the one across the weaker
    boundary.
    """
    ranks = [CUT if at in walls else rank for at, rank in enumerate(ranks)]
    result: list[tuple[int, int]] = []
    totals: list[int] = []
    group_sizes = [sum(sizes[first : last + 1]) for first, last in groups]
    carried, carried_size = -1, 0
    for at, ((first, last), size) in enumerate(zip(groups, group_sizes, strict=True)):
        start = first
        if carried >= 0:
            start, size, carried = carried, size + carried_size, -1
        if size < tiny:
            before = ranks[start] if result and totals[-1] + size <= limit else CUT
            is_last = at + 1 == len(groups)
            after = ranks[last + 1] if not is_last and group_sizes[at + 1] + size <= limit else CUT
            if before != CUT and (after == CUT or before >= after):
                result[-1] = (result[-1][0], last)
                totals[-1] += size
                continue
            if after != CUT:
                carried, carried_size = start, size
                continue
        result.append((start, last))
        totals.append(size)
    return result
