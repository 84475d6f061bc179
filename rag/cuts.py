"""Parts of a quoted block of prose: what was not quoted yet, and the sentences that matter to the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rag.passage_blocks import PassageBlock
from rag.sentences import sentence_spans

CLOSE = 0.5
"""Share of the best sentence's score from which another one of its block belongs to the answer."""

_LEANS = re.compile(
    r"\W*(?:it|its|they|them|their|this|that|these|those|he|she|his|her|such|so|but|and|or|however|therefore|thus|then|"
    r"for example|for instance|otherwise|instead|also|both|each|the (?:first|second|third|former|latter|other))\b",
    re.IGNORECASE,
)
"""How a sentence begins that is not understood without the one before it."""


def untold(block: PassageBlock, told: str) -> list[PassageBlock]:
    """What of a block `told` does not hold: of prose the sentences in a row, of anything else all or nothing."""
    if not told:
        return [block]
    if block.kind != "paragraph":
        return [] if block.text in told else [block]
    spans = sentence_spans(block.text)
    runs = groupby(spans, key=lambda span: block.text[span[0] : span[1]] in told)
    return [part_of(block, list(run)) for is_told, run in runs if not is_told]


def part_of(block: PassageBlock, spans: Sequence[tuple[int, int]]) -> PassageBlock:
    """The block from the first of these spans to the last, with the lines that it has then."""
    start, end = spans[0][0], spans[-1][1]
    before, text = block.text[:start].count("\n"), block.text[start:end]
    first = min(block.line_start + before, block.line_end)
    return replace(block, text=text, line_start=first, line_end=min(first + text.count("\n"), block.line_end))


def to_the_point(block: PassageBlock, spans: Sequence[tuple[int, int]], scores: Sequence[float]) -> PassageBlock:
    """The sentences of a block of prose from the first that matters to the last; `scores` say how much each does.

    A sentence that leans on the one before it takes that one along.
    """
    least = CLOSE * max(scores)
    matter = [at for at, score in enumerate(scores) if score >= least]
    first = matter[0]
    while first > 0 and _LEANS.match(block.text[spans[first][0] : spans[first][1]]):
        first -= 1
    return part_of(block, spans[first : matter[-1] + 1])
