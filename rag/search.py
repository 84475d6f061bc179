"""Find the passages that answer a question, inside the fences of the query (spec 003 "Search Models")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.embedders import Embedder
from ingestion.errors import UsageError
from ingestion.hierarchy import DEFAULT_MODULES
from ingestion.setting_values import Module
from ingestion.vector_stores import AnyOf, Condition, Equals, Hit, Range, StoredPoint, VectorStore, Where
from ingestion.vector_stores.bm25 import query_vector
from rag.fusion import DEPTH, fuse
from rag.models import SearchQuery, SearchResponse, SearchResult
from rag.one_version import only, settled, whole_versions

if TYPE_CHECKING:
    from ingestion.models import Vector

_SPARE = 4
"""How many candidates are fetched for each result, since twins with the same text collapse."""


def search(
    query: SearchQuery, store: VectorStore, embedder: Embedder, *, modules: Sequence[Module] = ()
) -> SearchResponse:
    """The best passages, each text once; raises UsageError for a module that the book does not have."""
    module = _known_module(query, store, modules)
    where = where_of(query, module)
    question = embedder.embed_query(query.text)
    ranked, points = _candidates(query, store, question, where)
    results = _distinct(ranked, points, question, query.limit)
    return SearchResponse(
        query=query.text,
        results=results,
        total_found=store.count(where),
        hardware_tier_filter=query.hardware_tier_filter,
        module_filter=module,
        book_id=query.book_id,
    )


def _candidates(
    query: SearchQuery, store: VectorStore, question: Vector, where: Where
) -> tuple[list[Hit], dict[str, StoredPoint]]:
    """The ranked chunks, of each lesson one version only.

    A version is shown only if it was whole before the ranking was made: else its own chunks may be missing in it.
    """
    whole_before: dict[str, str] = {}

    def look() -> tuple[list[Hit], dict[str, StoredPoint]] | None:
        nonlocal whole_before
        ranked, points, complete = _ranked_points(query, store, question, where)
        versions = whole_versions(store, points) if complete else None
        if versions is None or (versions != whole_before and versions):
            whole_before = versions or {}
            return None
        return ranked, only(points, versions)

    return settled(look, otherwise=lambda: _ranked_points(query, store, question, where)[:2])


def _ranked_points(
    query: SearchQuery, store: VectorStore, question: Vector, where: Where
) -> tuple[list[Hit], dict[str, StoredPoint], bool]:
    """The ranking, the points of its top, and whether all of them were still there."""
    dense, sparse = store.search(
        dense=question if query.mode != "keyword" else None,
        sparse=query_vector(query.text) if query.mode != "dense" else None,
        where=where,
        limit=DEPTH,
    )
    ranked = fuse(dense, sparse)
    wanted = [hit.id for hit in ranked[: query.limit * _SPARE]]
    points = store.retrieve(wanted, vectors=True)
    return ranked, points, len(points) == len(wanted)


def where_of(query: SearchQuery, module: str | None) -> Where:
    """The query's fences as conditions on the payload."""
    must: list[Condition] = [
        Equals("book_id", query.book_id),
        Range("hardware_tier", lte=query.hardware_tier_filter),
    ]
    equal = {
        "module": module,
        "lesson": query.lesson_filter,
        "layers": query.layer_filter,
        "parent_doc_id": query.parent_doc_id,
        "language": query.language,
    }
    must += [Equals(field, value) for field, value in equal.items() if value is not None]
    if query.chapter_min is not None or query.chapter_max is not None:
        must.append(Range("chapter", gte=query.chapter_min, lte=query.chapter_max))
    if query.proficiency_levels:
        must.append(AnyOf("proficiency_levels", query.proficiency_levels))
    if query.doc_types:
        must.append(AnyOf("doc_type", query.doc_types))
    return Where(tuple(must))


def _known_module(query: SearchQuery, store: VectorStore, modules: Sequence[Module]) -> str | None:
    """The module's own name, aliases resolved."""
    if query.module_filter is None:
        return None
    wanted = query.module_filter.strip().lower()
    for module in modules or DEFAULT_MODULES:
        if wanted in (module.name, *module.aliases):
            wanted = module.name
    indexed = store.values("module", Where((Equals("book_id", query.book_id),)))
    known = sorted({*indexed, *(module.name for module in modules)})
    if wanted not in known:
        raise UsageError(
            f"no module {query.module_filter!r} in {query.book_id}; known are {', '.join(known) or 'none'}"
        )
    return wanted


def _distinct(
    ranked: Sequence[Hit], points: dict[str, StoredPoint], question: Vector, limit: int
) -> tuple[SearchResult, ...]:
    results: list[SearchResult] = []
    texts: set[str] = set()
    for hit in ranked:
        point = points.get(hit.id)
        if point is None or point.payload["content_hash"] in texts:
            continue
        texts.add(point.payload["content_hash"])
        results.append(_result(len(results) + 1, hit, point, question))
        if len(results) == limit:
            break
    return tuple(results)


_FIELDS = tuple(name for name in SearchResult.model_fields if name not in ("id", "rank", "score", "relevance"))


def _result(rank: int, hit: Hit, point: StoredPoint, question: Vector) -> SearchResult:
    cosine = float(point.dense @ question) if point.dense is not None else 0.0
    shown = {name: point.payload.get(name) for name in _FIELDS}
    return SearchResult.model_validate(
        shown | {"id": hit.id, "rank": rank, "score": min(1.0, max(0.0, cosine)), "relevance": min(1.0, hit.score)}
    )
