"""What a search tells about whether its passages answer the question at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import Embedder
from ingestion.vector_stores.types import Hit, SparseVector, StoredPoint
from rag.models import Evidence, SearchResult
from rag.retrieval.abandonment import stop_if_left
from rag.retrieval.mmr import diversity
from rag.retrieval.query_terms import Question, without_each_word

if TYPE_CHECKING:
    from ingestion.models import Vector

FIELD = 9
"""With how many of the next best passages the best one is compared."""

NAMING = 5
"""In how many of the best passages the question's names are looked for, however many are shown."""

MOST_LACKED = 0.12
"""By how much a passage comes nearer at most without a word that it lacks; .114 was seen of 353 words, see
`heeded_by`."""

MOST_HELD = 0.08
"""The same for a word that the passage has; .080 was seen of 477 words, .042 of 98 % of them."""

IsSettled = Callable[[float, float], bool]
"""Whether it does not matter which of two values, and those between them, is the right one."""


def weigh_evidence(
    question: Question,
    vector: Vector | None,
    dense: Sequence[Hit],
    points: Mapping[str, StoredPoint],
    best_ids: Sequence[str],
    shown: Sequence[str],
) -> Evidence:
    """Weigh the best passages; only those with the ids `shown` are results, and count for their diversity.

    Without a dense list their own cosines stand for its beginning.
    """
    vectors = {point_id: point.dense for point_id, point in points.items() if point.dense is not None}
    best, *others = ([hit.score for hit in dense] or _cosines(vector, vectors.values()) or [0.0])[: FIELD + 1]
    sparse = [each for point_id in best_ids[:NAMING] if (each := points[point_id].sparse)]
    return Evidence(
        best=_unit(best),
        gap=_unit(best - fmean(others or [best])),
        known=_unit(question.known),
        named=_unit(question.named_in(chain.from_iterable(map(attrgetter("indices"), sparse)))),
        length=question.length,
        reached=_reached(question, sparse),
        diversity=diversity([vectors[passage_id] for passage_id in filter(vectors.__contains__, shown)]),
    )


def _reached(question: Question, sparse: Sequence[SparseVector]) -> float:
    """Return the share of the question's words that the best of some passages reaches; 1 if it has none."""
    if not question.rarity:
        return 1.0
    return _unit(max((question.reached_by(weights) for weights in sparse), default=0.0))


def _cosines(vector: Vector | None, others: Iterable[Vector]) -> list[float]:
    """Return those of a question's vector with the others, the highest first; none without a vector."""
    return [] if vector is None else sorted((float(other @ vector) for other in others), reverse=True)


def heeded_by(passage: SearchResult, question: str, embedder: Embedder, is_settled: IsSettled) -> float:
    """Return 1 less by how much a passage comes nearer when one word of the question is left out.

    A passage on the subject that says nothing about what is asked of it ("timeout" of a mutex) is nearer to the
    question without that word. It costs one short text to embed per word, those that the passage lacks first, and
    ends where `is_settled` says that what the other words can still change does not matter.
    """
    read = passage.read_along
    if read.vector is None:  # its point has just been deleted
        return 1.0
    rise = 0.0
    for shorter, terms in sorted(without_each_word(question), key=lambda each: read.terms.issuperset(each[1])):
        most = max(rise, MOST_HELD if read.terms.issuperset(terms) else MOST_LACKED)
        if is_settled(1.0 - rise, 1.0 - most):
            break
        stop_if_left()
        nearer = float(embedder.embed_documents([shorter])[0] @ read.vector)
        rise = max(rise, _unit(nearer - passage.score))
    return 1.0 - rise


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
