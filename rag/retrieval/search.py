"""Find the passages that answer a question, inside its filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ingestion.embedding.protocol import Embedder
from ingestion.errors import TooShort
from ingestion.markdown.cleaner import searchable
from ingestion.settings.validators import Module
from ingestion.vector_stores.bm25 import merged, query_vector
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointReader, PointSearcher
from ingestion.vector_stores.types import Hit, StoredPoint
from rag.filters import EVERYTHING, Filters
from rag.models import ReadAlong, SearchQuery, SearchResponse, SearchResult
from rag.query_text import TOO_SHORT, compared_part, is_long_enough
from rag.retrieval.abandonment import stop_if_left
from rag.retrieval.consistency import only, settled, whole_versions
from rag.retrieval.deduplication import distinct_texts, one_version_each
from rag.retrieval.evidence import weigh_evidence
from rag.retrieval.expansion import expand
from rag.retrieval.filters import check_values, is_other_version, module_of, shown_version, where_of
from rag.retrieval.fusion import DEPTH, fuse
from rag.retrieval.hidden import LOOKED_AT, best_hidden, hidden_passages, hidden_where
from rag.retrieval.mmr import diverse
from rag.retrieval.query_terms import Question, question_of, stemmers_of
from rag.retrieval.rerankers import Reranker
from rag.retrieval.spelling import correct_typos
from rag.tracing import span

if TYPE_CHECKING:
    from ingestion.models import Vector

CANDIDATES = 20
"""How many of the best chunks are looked at, at least: repeats collapse, and some kinds of page count less."""

RERANKER_SHARE = 0.5
"""How much a reranker counts beside the mix: alone it makes the first hit worse (.81 to .76), blended .84."""

KIND_WEIGHTS = {"quiz": 0.8, "assignment": 0.8, "readme": 0.8, "stub": 0.8, "navigation": 0.8}
"""Pages and sections that ask or only list what lessons tell count less than those that tell it; which figure hardly
matters."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The two lists, their mix, and the points of its top; `complete` where all of those were still there.

    The points come without vectors where only the shown ones' are needed, which are read later. `hidden` are the best
    passages that the reader's tier hides, whose points are `hidden_points`.
    """

    question: Question
    dense: list[Hit]
    keyword: list[Hit]
    mixed: list[Hit]
    points: dict[str, StoredPoint]
    complete: bool = True
    hidden: Sequence[Hit] = ()
    hidden_points: Mapping[str, StoredPoint] = field(default_factory=dict)


def search(
    query: SearchQuery,
    store: PointSearcher,
    embedder: Embedder | None,
    *,
    modules: Sequence[Module] = (),
    reranker: Reranker | None = None,
    scope: Filters = EVERYTHING,
) -> SearchResponse:
    """Return the best passages; raises UsageError for a value no page in `scope` has. Words need no embedder."""
    asked, filters = query.text, query.filters
    query = query.model_copy(update={"text": (compared := compared_part(asked))})
    where = where_of(query.book_id, filters, modules)
    whole = where_of(query.book_id, filters.with_tier(scope.hardware_tier), modules)
    scan = _scan_of(query, store, where, hidden_where(query, whole))
    _check_term(compared, scan)
    query, vector, ranking = _ranked(query, embedder, scan)
    if not ranking.mixed:
        check_values(query.book_id, filters, store, modules, scope)
    read = _without_repeats(query, ranking, store, where)
    scores = _rerank(query, ranking, read, reranker)
    hits = _chosen(query, ranking, read, scores)
    ranking = ranking if vector is None else _with_vectors(ranking, hits, store)
    results = tuple(each for each in _results(hits, ranking, vector, scores) if each.score >= query.min_score)
    further = _results(_without(read[:CANDIDATES], hits), ranking, vector, scores, first=len(hits) + 1)
    ids = [hit.id for hit in hits], [result.id for result in results]
    evidence = weigh_evidence(ranking.question, vector, ranking.dense, ranking.points, *ids)
    response = SearchResponse(
        query=asked,
        results=_expanded(results, query, store),
        total_found=scan.found,
        is_book_indexed=scan.found > 0 or store.count(where_of(query.book_id, scope, modules)) > 0,
        hardware_tier_filter=query.hardware_tier_filter,
        module_filter=module_of(filters, modules),
        book_id=query.book_id,
        evidence=evidence,
        searched_for=query.text if query.text != compared else None,
        hidden=hidden_passages(ranking.hidden, ranking.hidden_points, hits),
    )
    return response.with_further(further)


def _check_term(text: str, scan: _Scan) -> None:
    """Raise TooShort for a text that is too short, unless it is a term of the index."""
    if is_long_enough(text):
        return
    terms = merged([query_vector(text, stemmer) for stemmer in scan.stemmers]).indices
    if not terms or not scan.store.rarity(terms, scan.where):
        raise TooShort(f"a question should have {TOO_SHORT}, or be a word that the book has")


def _expanded(results: tuple[SearchResult, ...], query: SearchQuery, store: PointReader) -> tuple[SearchResult, ...]:
    if not (query.expand or query.whole_lesson):
        return results
    return expand(results, store, None if query.whole_lesson else query.expand)


@dataclass(frozen=True, slots=True)
class _Scan:
    """Where to look: the store, the filter, the filter for what the tier hides, and how the question is stemmed.

    `found` is how many chunks the filter lets through. `any_version` tells that all versions of a page may be shown.
    """

    store: PointSearcher
    where: Where
    hidden: Where | None
    stemmers: Sequence[str]
    found: int
    any_version: bool = False


def _scan_of(query: SearchQuery, store: PointSearcher, where: Where, hidden: Where | None) -> _Scan:
    """Count the chunks and their languages inside the filter in one request: each chunk has one language."""
    languages = store.recent_values("language", where)
    found = sum(languages.values()) or store.count(where)
    # A caller who names a page or a version sees it, whichever it is.
    any_version = query.all_versions or query.docs_version is not None or query.parent_doc_id is not None
    return _Scan(store, where, hidden, stemmers_of(languages, query.text), found, any_version)


def _ranked(
    query: SearchQuery, embedder: Embedder | None, scan: _Scan
) -> tuple[SearchQuery, Vector | None, _Ranking]:
    """Return the query with its typos corrected, its vector and what it finds."""
    stop_if_left()
    vector = _embedded(searchable(query.text), embedder)
    ranking = _settled_ranking(query, vector, scan)
    corrected = correct_typos(query.text, ranking.question, scan.store, scan.where)
    if corrected is None:
        return query, vector, ranking
    query = query.model_copy(update={"text": corrected})
    vector = _embedded(corrected, embedder)
    return query, vector, _settled_ranking(query, vector, scan)


def _embedded(text: str, embedder: Embedder | None) -> Vector | None:
    if embedder is None:
        return None
    with span(
        f"embeddings {embedder.model}",
        {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": embedder.model},
    ):
        return embedder.embed_query(text)


def _settled_ranking(query: SearchQuery, vector: Vector | None, scan: _Scan) -> _Ranking:
    """Return the ranked chunks, of each lesson one version only.

    A version is shown only if it was whole before the ranking was made: else its own chunks may be missing in it.
    """
    whole_before: dict[str, str] = {}

    def look() -> _Ranking | None:
        nonlocal whole_before
        ranking = _rank(query, vector, scan)
        versions = whole_versions(scan.store, ranking.points) if ranking.complete else None
        if versions is None or (versions != whole_before and versions):
            whole_before = versions or {}
            return None
        return replace(ranking, points=only(ranking.points, versions))

    return settled(look, otherwise=lambda: _rank(query, vector, scan))


def _rank(query: SearchQuery, vector: Vector | None, scan: _Scan) -> _Ranking:
    stop_if_left()
    store = scan.store
    dense, keyword, rarity, beside = store.search_with_rarity(
        dense=vector if query.mode != "keyword" else None,
        sparse=merged([query_vector(query.text, stemmer) for stemmer in scan.stemmers]),
        keyword=query.mode != "dense",
        where=scan.where,
        limit=DEPTH,
        beside=scan.hidden,
        beside_limit=LOOKED_AT,
    )
    question = question_of(query.text, rarity, store.size(), scan.stemmers)
    mixed = fuse(dense, keyword, attainable=question.attainable)
    wanted = list(map(_id, mixed[: max(CANDIDATES, 2 * query.limit)]))
    hits = best_hidden(beside, question)
    wants_vectors = query.diverse or not dense or store.is_remote
    read = store.retrieve([*wanted, *map(_id, hits)], vectors=wants_vectors and vector is not None)
    if _has_other_versions(read, scan):
        return _rank(query, vector, _of_shown_version(scan))
    points = {point_id: read[point_id] for point_id in wanted if point_id in read}
    return _Ranking(question, dense, keyword, mixed, points, len(points) == len(wanted), hits, read)


_id = attrgetter("id")


def _has_other_versions(read: Mapping[str, StoredPoint], scan: _Scan) -> bool:
    """Return whether points were read of versions of a page that are not to be shown."""
    return not scan.any_version and any(is_other_version(point.payload) for point in read.values())


def _of_shown_version(scan: _Scan) -> _Scan:
    """Return the scan without other versions. Indexes without versions, old ones among them, are never asked for
    them.
    """
    hidden = scan.hidden and shown_version(scan.hidden)
    return replace(scan, where=shown_version(scan.where), hidden=hidden, any_version=True)


def _without_repeats(query: SearchQuery, ranking: _Ranking, store: PointReader, where: Where) -> list[Hit]:
    """Return the hits that may be shown, best first."""
    points = ranking.points
    weighed = [
        Hit(hit.id, hit.score * KIND_WEIGHTS.get(kind, 1.0))
        for hit in ranking.mixed
        if hit.id in points and not ((kind := _kind(points[hit.id].payload)) == "navigation" and query.to_answer)
    ]
    hits = sorted(weighed, key=lambda hit: (-hit.score, hit.id))
    if not query.all_versions:
        # First: of two equal texts the one that is kept must not be the one whose page goes.
        hits = one_version_each(hits, points, dict(ranking.keyword), store, where)
    return distinct_texts(hits, points)


def _kind(payload: Mapping[str, Any]) -> str:
    return "navigation" if payload.get("is_navigation") else str(payload["doc_type"])


def _rerank(
    query: SearchQuery, ranking: _Ranking, hits: Sequence[Hit], reranker: Reranker | None
) -> dict[str, float]:
    """Return the reranker's scores by id; none without a reranker."""
    if reranker is None:
        return {}
    stop_if_left()
    payloads = [ranking.points[hit.id].payload for hit in hits]
    paths = (" › ".join(dict.fromkeys((payload["page_title"], *payload["heading_path"]))) for payload in payloads)
    texts = [f"{path}\n\n{each['text']}" for path, each in zip(paths, payloads, strict=True)]
    return dict(zip((hit.id for hit in hits), reranker.rerank(query.text, texts), strict=True))


def _chosen(query: SearchQuery, ranking: _Ranking, hits: Sequence[Hit], scores: Mapping[str, float]) -> list[Hit]:
    """Return the hits to show, by the reranker's scores blended with the mix where there are any."""
    if scores:
        low, spread = min(scores.values()), (max(scores.values()) - min(scores.values())) or 1.0
        most = max((hit.score for hit in hits), default=1.0) or 1.0
        hits = [
            Hit(hit.id, RERANKER_SHARE * (scores[hit.id] - low) / spread + (1 - RERANKER_SHARE) * hit.score / most)
            for hit in hits
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.id))
    if query.diverse:
        vectors = {hit.id: vector for hit in hits if (vector := ranking.points[hit.id].dense) is not None}
        return diverse(hits, vectors, query.limit)
    return list(hits[: query.limit])


def _with_vectors(ranking: _Ranking, hits: Sequence[Hit], store: PointReader) -> _Ranking:
    """Return the ranking with the vectors of these hits; one whose point a run has just deleted goes without."""
    lacking = [hit.id for hit in hits if ranking.points[hit.id].dense is None]
    read = store.retrieve(lacking, vectors=True) if lacking else {}
    vectors = {each: point._replace(payload=ranking.points[each].payload) for each, point in read.items()}
    return replace(ranking, points=ranking.points | vectors)


_MADE = frozenset(
    ("id", "rank", "score", "relevance", "dense_rank", "keyword_rank", "keyword_score", "rerank_score", "is_widened")
)
_FIELDS = tuple(name for name in SearchResult.model_fields if name not in _MADE)


def _without(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    known = {hit.id for hit in others}
    return [hit for hit in hits if hit.id not in known]


def _results(
    hits: Sequence[Hit], ranking: _Ranking, vector: Vector | None, scores: Mapping[str, float], *, first: int = 1
) -> tuple[SearchResult, ...]:
    payloads = {point_id: point.payload for point_id, point in ranking.points.items()}
    ranked = (_result(rank, hit, ranking, vector, scores.get(hit.id)) for rank, hit in enumerate(hits, first))
    return tuple(result.with_read_along(_read_along(ranking.points[result.id], payloads)) for result in ranked)


def _read_along(point: StoredPoint, payloads: Mapping[str, Mapping[str, Any]]) -> ReadAlong:
    return ReadAlong(point.dense, frozenset(point.sparse.indices if point.sparse else ()), payloads)


def _result(
    rank: int, hit: Hit, ranking: _Ranking, vector: Vector | None, rerank_score: float | None
) -> SearchResult:
    point = ranking.points[hit.id]
    dense_rank, keyword_rank = _place(hit.id, ranking.dense), _place(hit.id, ranking.keyword)
    cosine = ranking.dense[dense_rank - 1].score if dense_rank else 0.0
    if point.dense is not None and vector is not None:
        cosine = float(point.dense @ vector)
    shown = {name: point.payload.get(name) for name in _FIELDS}
    return SearchResult.model_validate(
        shown
        | {
            "id": hit.id,
            "rank": rank,
            "score": min(1.0, max(0.0, cosine)),
            "relevance": min(1.0, hit.score),
            "dense_rank": dense_rank,
            "keyword_rank": keyword_rank,
            "keyword_score": ranking.keyword[keyword_rank - 1].score if keyword_rank else None,
            "rerank_score": rerank_score,
        }
    )


def _place(point_id: str, hits: Sequence[Hit]) -> int | None:
    return next((at for at, hit in enumerate(hits, 1) if hit.id == point_id), None)
