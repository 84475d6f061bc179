"""The parts of the found passages that answer best, quoted word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ingestion.embedding.protocol import Embedder
from ingestion.markdown.cleaner import clean_inline
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector
from ingestion.vector_stores.types import Hit, SparseVector
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.grounding.sentences import sentence_spans
from rag.models import SearchResult
from rag.retrieval.fusion import fuse

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


MAX_CHARS = 1_000
"""How long the quotes of one answer are together, the first one excepted."""

NEAR = 0.6
"""Share of the best quote's rank score that a further one needs."""

MIN_CHARS = 20

SPARE = 2
"""How many more quotes are made ready than wanted, as one may be too long."""

SHORT = 2
"""Of so many sentences a block of prose is quoted whole."""


def best_quotes(
    question: str, passages: Sequence[SearchResult], embedder: Embedder, *, limit: int = 3, told: str = ""
) -> list[PassageBlock]:
    """The quotes nearest to the question by meaning and by words, best first, prose without what leads away from it.

    One at least if there are passages; but none where everything as near as that is quoted in `told` already.
    """
    blocks = [block for each in passages for block in blocks_of(each) if _says_something(block)]
    if not blocks:
        return []
    asked = _Asked(question, embedder)
    ranked = asked.rank([_with_heading(block) for block in blocks])
    near = [blocks[int(hit.id)] for hit in ranked if hit.score >= NEAR * ranked[0].score]
    parts = [part for block in near for part in untold(block, told) if len(part.text) >= MIN_CHARS]
    chosen: list[PassageBlock] = []
    for quote in _cut(asked, parts[: limit + SPARE]):
        if not chosen or sum(len(each.text) for each in (*chosen, quote)) <= MAX_CHARS:
            chosen.append(quote)
    return chosen[:limit]


def _cut(asked: _Asked, blocks: Sequence[PassageBlock]) -> list[PassageBlock]:
    """Blocks of prose cut to the sentences that matter; anything else, and what is short, as it is."""
    spans = [sentence_spans(block.text) if block.kind == "paragraph" else [] for block in blocks]
    spans = [each if len(each) > SHORT else [] for each in spans]
    texts = [block.text[start:end] for block, some in zip(blocks, spans, strict=True) for start, end in some]
    scores = iter(asked.scores(texts))
    return [
        to_the_point(block, some, [next(scores) for _ in some]) if some else block
        for block, some in zip(blocks, spans, strict=True)
    ]


def _says_something(block: PassageBlock) -> bool:
    """Whether there is text beside the tags; code is all text."""
    plain = block.text if block.kind in ("fence", "code") else clean_inline(block.text)
    return len(plain.strip()) >= MIN_CHARS


def _with_heading(block: PassageBlock) -> str:
    return f"{block.section or block.passage.page_title}\n{block.text}"


class _Asked:
    """A question, embedded once."""

    def __init__(self, question: str, embedder: Embedder) -> None:
        self._terms = query_vector(question)
        self._vector = embedder.embed_query(question)
        self._embedder = embedder

    def rank(self, texts: Sequence[str]) -> list[Hit]:
        """The texts by their number, the nearest by meaning and by words first."""
        nearness = self._embedder.embed_documents(texts) @ self._vector
        dense = [Hit(f"{index:04}", float(score)) for index, score in enumerate(nearness)]
        sparse = [
            Hit(f"{index:04}", _overlap(self._terms, document_vector(text))) for index, text in enumerate(texts)
        ]
        return fuse(dense, sparse, attainable=MOST_WEIGHT * sum(self._terms.values))

    def scores(self, texts: Sequence[str]) -> list[float]:
        """How near each text is, in their own order."""
        return [hit.score for hit in sorted(self.rank(texts), key=lambda hit: hit.id)] if texts else []


def _overlap(query: SparseVector, document: SparseVector) -> float:
    weights = dict(zip(document.indices, document.values, strict=True))
    return sum(value * weights.get(term, 0.0) for term, value in zip(query.indices, query.values, strict=True))
