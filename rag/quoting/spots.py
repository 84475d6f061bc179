"""The blocks of the found passages and of those beside them, ranked by how near each is to the question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingestion.embedding.protocol import Embedder
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector, stemmer_of
from ingestion.vector_stores.types import SparseVector
from rag.models import SearchResult
from rag.quoting.named_sections import is_title
from rag.quoting.question_kinds import LESS, QuestionKind
from rag.quoting.rendering import ShownBlock, plain_title, rendered_blocks

BLOCK_SHARE = 0.5
"""How much a block's own nearness counts beside the relevance of its passage."""

DENSE_SHARE = 0.6
"""How much meaning counts against words for a block; more than for a chunk, as a block has few words."""

MOST_EMBEDDED = 14
"""How many blocks are looked at by meaning too, the best by words and passage: with 14, 20 or all 54 of them as many
facts are quoted (91 questions over two books), and each costs its embedding."""

MORE = 0.65
"""Share of the best spot's score that another needs to be quoted beside or after it."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A block in its passage (`at` is its number there), rendered, with its score, larger is better.

    `text` is empty where the passage has nothing but headings, pictures or an announcement.
    """

    passage: SearchResult
    at: int
    score: float
    text: str


class Wording:
    """The words of a question, by which texts in the language of the book are compared with it."""

    def __init__(self, question: str, stemmer: str = "english") -> None:
        terms = query_vector(question, stemmer)
        self._weights = dict(zip(terms.indices, terms.values, strict=True))
        self._attainable = MOST_WEIGHT * sum(terms.values)
        self._stemmer = stemmer

    def reached(self, text: str) -> float:
        """Return the share of the attainable BM25 score that a text reaches, 0–1."""
        score = _weighed(document_vector(text, self._stemmer), self._weights)
        return min(1.0, score / self._attainable) if self._attainable else 0.0

    def nearest(self, texts: Sequence[str]) -> int:
        """Return which of the texts says most of it, the first of equal ones: what all of them say tells none apart.

        Of 62 blocks that held a fact, the sentence with the fact was found for 48, by meaning too for 49.
        """
        vectors = [document_vector(text, self._stemmer) for text in texts]
        having = Counter(term for vector in vectors for term in vector.indices)
        rarity = {
            term: weight * math.log(1 + len(texts) / having[term])
            for term, weight in self._weights.items()
            if term in having
        }
        scores = [_weighed(vector, rarity) for vector in vectors]
        return scores.index(max(scores))


def _weighed(vector: SparseVector, weights: Mapping[int, float]) -> float:
    """Return the sum of what the terms of a text weigh."""
    found = zip(vector.indices, vector.values, strict=True)
    return sum(weights.get(term, 0.0) * value for term, value in found)


@dataclass(frozen=True, slots=True)
class Spots:
    """The spots of the passages, best first; `blocks` are those of each passage, rendered, by its id.

    Those beside the passages that were found have blocks too. `is_named` where the best ones are of a section that is
    asked for by its title.
    """

    ranked: tuple[Spot, ...]
    blocks: dict[str, tuple[ShownBlock, ...]]
    wording: Wording
    is_named: bool = False

    def block(self, spot: Spot) -> ShownBlock | None:
        """Return the block of a spot, None for one that says nothing."""
        return self.blocks[spot.passage.id][spot.at] if spot.text else None

    @property
    def quotable(self) -> Iterator[Spot]:
        """Yield those that may be quoted: the best, and what comes near it."""
        least = MORE * self.ranked[0].score if self.ranked else 0.0
        return (spot for spot in self.ranked if spot.text and spot.score >= least)

    @property
    def of_best_section(self) -> Iterator[Spot]:
        """Yield those of them that stand in the section of the best."""
        return (spot for spot in self.quotable if self._section(spot) == self._section(self.ranked[0]))

    @property
    def lead(self) -> float:
        """By how much the best spot is ahead of the best one of another section."""
        if not self.ranked:
            return 0.0
        best = self.ranked[0]
        other = (spot.score for spot in self.ranked if self._section(spot) != self._section(best))
        return best.score - next(other, 0.0)

    def _section(self, spot: Spot) -> tuple[str, str | None]:
        block = self.block(spot)
        return spot.passage.source_file, block.section if block else None


def rank_spots(
    question: str,
    passages: Sequence[SearchResult],
    embedder: Embedder,
    beside: Sequence[SearchResult] = (),
    *,
    section: str | None = None,
) -> Spots:
    """Rank the blocks of the passages, and of those `beside` them, by nearness and the relevance of the passage.

    A passage beside one that was found is as relevant as that one. Its block often is what the question means: a
    fact stands behind the heading that names it. The blocks of a section that is asked for by its title come before
    all others.
    """
    blocks = {passage.id: rendered_blocks(passage) for passage in (*passages, *beside)}
    spots = [spot for passage in passages for spot in _spots_of(passage, blocks[passage.id])]
    spots += [spot for passage in beside for spot in _spots_of(passage, blocks[passage.id]) if spot.text]
    wording, kind = Wording(question, stemmer_of_passages(passages)), QuestionKind(question)
    named = {(spot.passage.id, spot.at): _with_section(spot, blocks) for spot in spots}
    pages = {passage.id: plain_title(passage.page_title) for passage in (*passages, *beside)}
    reached = {key: wording.reached(f"{pages[key[0]]}\n{text}") for key, text in named.items()}

    def scored(spot: Spot, cosine: float = 0.0) -> Spot:
        near = DENSE_SHARE * max(0.0, cosine) + (1 - DENSE_SHARE) * reached[spot.passage.id, spot.at]
        return replace(spot, score=_score(spot, near, blocks[spot.passage.id], kind))

    def is_asked_for(spot: Spot) -> bool:
        title = blocks[spot.passage.id][spot.at].section if spot.text else None
        return section is not None and is_title(section, title)

    def order(spot: Spot) -> tuple[bool, float, int, int, int]:
        return not is_asked_for(spot), -spot.score, spot.passage.rank, spot.passage.chunk_index, spot.at

    likely = sorted(map(scored, spots), key=order)[:MOST_EMBEDDED]
    if not likely:
        return Spots((), blocks, wording)
    vectors = embedder.embed_documents([named[spot.passage.id, spot.at] for spot in likely])
    cosines = map(float, vectors @ embedder.embed_query(question))
    ranked = sorted(map(scored, likely, cosines), key=order)
    return Spots(tuple(ranked), blocks, wording, is_asked_for(ranked[0]))


def defines(kind: QuestionKind, passage: SearchResult) -> bool:
    """Return whether a block of the passage defines what a question asks the meaning of."""
    return any(kind.is_defined_by(block.text, block.kind) for block in rendered_blocks(passage))


def stemmer_of_passages(passages: Sequence[SearchResult]) -> str:
    """Return the stemmer of the language that most of the passages are in."""
    counts = Counter(stemmer_of(passage.language) for passage in passages)
    return counts.most_common(1)[0][0] if counts else "english"


def _spots_of(passage: SearchResult, blocks: Sequence[ShownBlock]) -> list[Spot]:
    if not blocks or passage.doc_type == "stub":
        return [Spot(passage, 0, 0.0, "")]
    return [Spot(passage, at, 0.0, block.text) for at, block in enumerate(blocks)]


def _with_section(spot: Spot, blocks: dict[str, tuple[ShownBlock, ...]]) -> str:
    """Return a block below the name of its section, else of its page: what it is about is often said there alone."""
    section = blocks[spot.passage.id][spot.at].section if spot.text else None
    return f"{section or spot.passage.section_title or plain_title(spot.passage.page_title)}\n{spot.text}"


def _score(spot: Spot, near: float, blocks: Sequence[ShownBlock], kind: QuestionKind) -> float:
    score = BLOCK_SHARE * near + (1 - BLOCK_SHARE) * spot.passage.relevance
    if not spot.text:
        return score
    block = blocks[spot.at]
    opens = spot.at == 0 or blocks[spot.at - 1].section != block.section
    weight = kind.weight(block.text, block.kind, section=block.section, opens_section=opens)
    return score * min(weight, LESS if block.is_aside else weight)
