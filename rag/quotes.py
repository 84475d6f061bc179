"""The parts of the found passages that answer best, quoted word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingestion.blocks import Block, parse_blocks
from ingestion.embedders import Embedder
from ingestion.page import Page
from ingestion.vector_stores import Hit, SparseVector
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector
from rag.fusion import fuse
from rag.models import SearchResult

MAX_CHARS = 1_000
"""How long the quotes of one answer are together, the first one excepted."""

NEAR = 0.6
"""Share of the best quote's rank score that a further one needs."""

MIN_CHARS = 20
_NOT_QUOTED = ("heading", "rule", "import", "comment", "reference")


@dataclass(frozen=True, slots=True)
class Quote:
    """A block of a passage, or a block with the sentence that introduces it.

    `section` and `anchor` are of the heading above it, the lines are the file's, as exact as the passage tells.
    """

    passage: SearchResult
    section: str | None
    anchor: str | None
    text: str
    line_start: int
    line_end: int


def best_quotes(
    question: str, passages: Sequence[SearchResult], embedder: Embedder, *, limit: int = 3
) -> list[Quote]:
    """The quotes nearest to the question by meaning and by words, best first; one at least if there are passages."""
    quotes = [quote for passage in passages for quote in _quotes_in(passage)]
    if not quotes:
        return []
    chosen: list[Quote] = []
    ranked = _ranked(question, quotes, embedder)
    for hit in (each for each in ranked if each.score >= NEAR * ranked[0].score):
        quote = quotes[int(hit.id)]
        if not chosen or sum(len(each.text) for each in (*chosen, quote)) <= MAX_CHARS:
            chosen.append(quote)
        if len(chosen) == limit:
            break
    return chosen


def _ranked(question: str, quotes: Sequence[Quote], embedder: Embedder) -> list[Hit]:
    texts = [f"{quote.section or quote.passage.page_title}\n{quote.text}" for quote in quotes]
    nearness = embedder.embed_documents(texts) @ embedder.embed_query(question)
    wanted = query_vector(question)
    dense = [Hit(f"{index:04}", float(score)) for index, score in enumerate(nearness)]
    sparse = [Hit(f"{index:04}", _overlap(wanted, document_vector(text))) for index, text in enumerate(texts)]
    return fuse(dense, sparse, attainable=MOST_WEIGHT * sum(wanted.values))


def _overlap(query: SparseVector, document: SparseVector) -> float:
    weights = dict(zip(document.indices, document.values, strict=True))
    return sum(value * weights.get(term, 0.0) for term, value in zip(query.indices, query.values, strict=True))


def _quotes_in(passage: SearchResult) -> Iterator[Quote]:
    page = Page(passage.text)
    sections = zip(passage.section_titles, passage.section_anchors, strict=True)
    section, anchor = passage.section_title, passage.anchor
    begin: int | None = None
    for block in parse_blocks(page.lines):
        if block.kind == "heading":
            section, anchor = next(sections, (section, anchor))
        if block.kind in _NOT_QUOTED:
            begin = None
            continue
        start = block.start if begin is None else begin
        text = page.text[page.starts[start] : page.starts[block.end]].strip("\n")
        if _introduces(block, text):
            begin = start
            continue
        begin = None
        if len(text.strip()) >= MIN_CHARS:
            first, last = (min(passage.line_start + line, passage.line_end) for line in (start, block.end - 1))
            yield Quote(passage, section, anchor, text, first, last)


def _introduces(block: Block, text: str) -> bool:
    """A sentence that ends in a colon says nothing without what follows."""
    return block.kind == "paragraph" and text.rstrip().endswith(":")
