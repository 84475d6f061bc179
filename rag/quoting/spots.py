"""The blocks of the found passages as a reader sees them, ranked by how near each is to the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.embedding.protocol import Embedder
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector, stemmer_of
from ingestion.vector_stores.types import Hit, SparseVector
from rag.models import SearchResult
from rag.quoting.named_sections import is_title
from rag.quoting.question_kinds import LESS, QuestionKind
from rag.quoting.rendering import ShownBlock, rendered_blocks
from rag.retrieval.fusion import fuse

BLOCK_SHARE = 0.5
"""How much a block's own nearness counts beside the relevance of its passage."""

DENSE_SHARE = 0.6
"""How much meaning counts against words for a block; more than for a chunk, as a block has few words."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A block in its passage (`at` is its number there), rendered, with its score, larger is better.

    `text` is empty where the passage has nothing but headings, pictures or an announcement.
    """

    passage: SearchResult
    at: int
    score: float
    text: str


@dataclass(frozen=True, slots=True)
class Spots:
    """The spots of the passages, best first; `blocks` are those of each passage, rendered, by its id."""

    ranked: tuple[Spot, ...]
    blocks: dict[str, tuple[ShownBlock, ...]]


def rank_spots(
    question: str, passages: Sequence[SearchResult], embedder: Embedder, *, section: str | None = None
) -> Spots:
    """Rank every block of the passages by its own nearness and the relevance of its passage.

    The blocks of a section that is asked for by its title come before all others.
    """
    blocks = {passage.id: rendered_blocks(passage) for passage in passages}
    spots = [spot for passage in passages for spot in _spots_of(passage, blocks[passage.id])]
    if not spots:
        return Spots((), blocks)
    sections = [blocks[spot.passage.id][spot.at].section if spot.text else None for spot in spots]
    texts = [
        f"{section or _place_name(spot.passage)}\n{spot.text}" for spot, section in zip(spots, sections, strict=True)
    ]
    asked = Nearness(question, embedder, stemmer_of_passages(passages))
    nearness = asked.scores(texts)
    kind = QuestionKind(question)
    scored = [
        replace(spot, score=_score(spot, near, blocks[spot.passage.id], kind))
        for spot, near in zip(spots, nearness, strict=True)
    ]
    first = [section is not None and is_title(section, each) for each in sections]
    ranked = sorted(zip(first, scored, strict=True), key=lambda each: _order(*each))
    return Spots(tuple(spot for _, spot in ranked), blocks)


def _order(is_asked_for: bool, spot: Spot) -> tuple[bool, float, int, int]:
    return not is_asked_for, -spot.score, spot.passage.rank, spot.at


def defines(kind: QuestionKind, passage: SearchResult) -> bool:
    """Return whether a block of the passage defines what a question asks the meaning of."""
    return any(kind.is_defined_by(block.text, block.kind) for block in rendered_blocks(passage))


def stemmer_of_passages(passages: Sequence[SearchResult]) -> str:
    """Return the stemmer of the language that most of the passages are in."""
    counts = Counter(stemmer_of(passage.language) for passage in passages)
    return counts.most_common(1)[0][0] if counts else "english"


class Nearness:
    """How near texts are to a question, which is embedded once; `stemmer` is that of the texts' language."""

    def __init__(self, question: str, embedder: Embedder, stemmer: str = "english") -> None:
        self._stemmer = stemmer
        self._terms = query_vector(question, stemmer)
        self._vector = embedder.embed_query(question)
        self._embedder = embedder

    def scores(self, texts: Sequence[str]) -> list[float]:
        """Return for each text its nearness by meaning and words."""
        if not texts:
            return []
        cosines = [float(cosine) for cosine in self._embedder.embed_documents(texts) @ self._vector]
        dense = [Hit(f"{index:04}", cosine) for index, cosine in enumerate(cosines)]
        vectors = (document_vector(text, self._stemmer) for text in texts)
        sparse = [Hit(f"{index:04}", _overlap(self._terms, vector)) for index, vector in enumerate(vectors)]
        attainable = MOST_WEIGHT * sum(self._terms.values)
        mixed = fuse(dense, sparse, attainable=attainable, weight=DENSE_SHARE)
        return [hit.score for hit in sorted(mixed, key=lambda hit: hit.id)]


def _spots_of(passage: SearchResult, blocks: Sequence[ShownBlock]) -> list[Spot]:
    if not blocks or passage.doc_type == "stub":
        return [Spot(passage, 0, 0.0, "")]
    return [Spot(passage, at, 0.0, block.text) for at, block in enumerate(blocks)]


def _place_name(passage: SearchResult) -> str:
    return " › ".join(dict.fromkeys(filter(None, (passage.page_title, *passage.heading_path, passage.section_title))))


def _score(spot: Spot, near: float, blocks: Sequence[ShownBlock], kind: QuestionKind) -> float:
    score = BLOCK_SHARE * near + (1 - BLOCK_SHARE) * spot.passage.relevance
    if not spot.text:
        return score
    block = blocks[spot.at]
    opens = spot.at == 0 or blocks[spot.at - 1].section != block.section
    weight = kind.weight(block.text, block.kind, section=block.section, opens_section=opens)
    return score * min(weight, LESS if block.is_aside else weight)


def _overlap(query: SparseVector, document: SparseVector) -> float:
    weights = dict(zip(document.indices, document.values, strict=True))
    return sum(value * weights.get(term, 0.0) for term, value in zip(query.indices, query.values, strict=True))
