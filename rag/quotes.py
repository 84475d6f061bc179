"""The parts of the found passages that answer best, quoted word for word."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.embedders import Embedder
from ingestion.vector_stores import Hit, SparseVector
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector
from rag.fusion import fuse
from rag.models import SearchResult
from rag.passage_blocks import PassageBlock, blocks_of

MAX_CHARS = 1_000
"""How long the quotes of one answer are together, the first one excepted."""

NEAR = 0.6
"""Share of the best quote's rank score that a further one needs."""

MIN_CHARS = 20


def best_quotes(
    question: str, passages: Sequence[SearchResult], embedder: Embedder, *, limit: int = 3
) -> list[PassageBlock]:
    """The quotes nearest to the question by meaning and by words, best first; one at least if there are passages."""
    quotes = [block for each in passages for block in blocks_of(each) if len(block.text.strip()) >= MIN_CHARS]
    if not quotes:
        return []
    chosen: list[PassageBlock] = []
    ranked = _ranked(question, quotes, embedder)
    for hit in (each for each in ranked if each.score >= NEAR * ranked[0].score):
        quote = quotes[int(hit.id)]
        if not chosen or sum(len(each.text) for each in (*chosen, quote)) <= MAX_CHARS:
            chosen.append(quote)
        if len(chosen) == limit:
            break
    return chosen


def _ranked(question: str, quotes: Sequence[PassageBlock], embedder: Embedder) -> list[Hit]:
    texts = [f"{quote.section or quote.passage.page_title}\n{quote.text}" for quote in quotes]
    nearness = embedder.embed_documents(texts) @ embedder.embed_query(question)
    wanted = query_vector(question)
    dense = [Hit(f"{index:04}", float(score)) for index, score in enumerate(nearness)]
    sparse = [Hit(f"{index:04}", _overlap(wanted, document_vector(text))) for index, text in enumerate(texts)]
    return fuse(dense, sparse, attainable=MOST_WEIGHT * sum(wanted.values))


def _overlap(query: SparseVector, document: SparseVector) -> float:
    weights = dict(zip(document.indices, document.values, strict=True))
    return sum(value * weights.get(term, 0.0) for term, value in zip(query.indices, query.values, strict=True))
