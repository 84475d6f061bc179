"""The vector store on a Qdrant server: the same promises as the embedded one, over the network."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from qdrant_client import models as rest

from ingestion.errors import PointRefused, RequestFailed, UsageError, WriteNotApplied
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.batching import batches, deletions, do_all, payload_bytes, sized_batches
from ingestion.vector_stores.engine_answers import rarities, stored_point
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, HasId, Range, Where
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.ranking import DENSE, SPARSE, ListQuery, Scored, list_queries, ranked_lists
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.collection import rescored, runs_of, with_runs
from ingestion.vector_stores.server.limits import Limits
from ingestion.vector_stores.server.search_params import dense_params, described, exact_points
from ingestion.vector_stores.types import Hit, Payload, Point, Schema, SearchAnswer, SparseVector, StoredPoint
from ingestion.vector_stores.validation import validate_payload, validate_points

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from ingestion.models import Vector

logger = logging.getLogger(__name__)

T = TypeVar("T")

IN_FLIGHT = 2
"""Write requests at a time."""

BYTES_PER_REQUEST = 30 << 20
"""A server takes bodies of 32 MiB unless told otherwise; the rest is room for what surrounds the points."""

DECIMALS = 10
"""Of a number of a unit vector: as exact as 32 bits, and half as long in JSON as all digits of their 64-bit form."""

COUNTS_KEPT = 1000
"""How many counts of filters are kept; a count decides how a search is made, and need not be of this moment."""

RECENT_SECONDS = 30.0
"""How old a count of a search may be: an exact facet takes 41 to 95 ms at a million points, the search itself 6."""

_BYTES_PER_NUMBER = 24
_BYTES_PER_TERM = 36
_BYTES_PER_POINT = 256
"""No number, term or frame of a point is longer in JSON."""


EVERYTHING = Where()
NO_LIMITS = Limits()


class ServerStore:
    """A VectorStore over a collection, or over an alias of one; the client stays open for other stores.

    `points` is how many the collection had when it was opened, `marked` the books that runs marked there. With a
    `lease` every deletion reads it first. Requests keep the `limits` that the collection sets.
    """

    def __init__(
        self,
        server: Server,
        collection: str,
        schema: Schema,
        settings: QdrantSettings | None = None,
        *,
        lease: Lease | None = None,
        points: int = 0,
        marked: Collection[str] = (),
        limits: Limits = NO_LIMITS,
        request_bytes: int = BYTES_PER_REQUEST,
    ) -> None:
        self.collection = collection
        self.schema = schema
        self.lease = lease
        self._points = points
        self._marked = tuple(marked)
        self._presumed: str | None = None
        self._counts: dict[Where, int] = {}
        self._recent: dict[tuple[str, Where], tuple[float, dict[str, int]]] = {}
        self._server = server
        self._request_bytes = request_bytes
        self._quantization = rescored(settings or QdrantSettings(), limits.oversampling)
        self.limits = limits

    is_remote = True

    def size(self) -> int:
        """See VectorStore; as many as there were when the collection was opened."""
        return self._points

    def upsert(self, points: Sequence[Point]) -> None:
        """See VectorStore; so is a point that is too large for a request, or that the server refuses."""
        validate_points(points, self.schema.dimensions)
        sized = [(point, self._size(point.id, point.payload, _vector_bytes(point))) for point in points]
        cut = sized_batches(sized, max_items=self.limits.write, max_bytes=self._request_bytes)
        do_all(cut, lambda batch: self._upsert([_to_struct(point) for point in batch]), workers=IN_FLIGHT)

    def set_payloads(self, payloads: Mapping[str, Payload]) -> None:
        """See VectorStore."""
        for point_id, payload in payloads.items():
            validate_payload(point_id, payload)
        sized = [(item, self._size(*item)) for item in payloads.items()]
        cut = sized_batches(sized, max_items=self.limits.write, max_bytes=self._request_bytes)
        do_all(cut, lambda batch: self._overwrite([_to_overwrite(*item) for item in batch]), workers=IN_FLIGHT)

    def delete(self, where: Where) -> None:
        """See VectorStore."""
        if _matches_nothing(where):
            return
        for part in deletions(where, min(self.limits.page, self.limits.values)):
            if self.lease:
                self.lease.confirm()
            self._delete(rest.FilterSelector(filter=self._filter(part)))

    def scroll(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[StoredPoint]:
        """See VectorStore."""
        if _matches_nothing(where):
            return
        matching = self._filter(where)
        offset: Any = None
        while True:
            records, offset = self._page(matching, offset, True if fields is None else list(fields) or False, vectors)
            yield from map(stored_point, records)
            if offset is None:
                return

    def retrieve(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        """See VectorStore."""
        found: dict[str, StoredPoint] = {}
        for batch in batches(list(ids), self.limits.page):
            found |= {point.id: point for point in map(stored_point, self._retrieve(batch, vectors))}
        return found

    def count(self, where: Where) -> int:
        """See VectorStore."""
        if _matches_nothing(where):
            return 0
        if not self.limits.exact:
            return sum(1 for _ in self.scroll(where, fields=()))
        matching = self._filter(where)
        return self._call("counting", lambda client: client.count(self.collection, matching, exact=True).count)

    def values(self, field: str, where: Where) -> dict[str, int]:
        """See VectorStore."""
        if _matches_nothing(where):
            return {}
        found = self._facet(field, where) if self.limits.exact else None
        return dict(sorted((self._counted(field, where) if found is None else found).items()))

    def only_book(self) -> str | None:
        """See VectorStore; a key that may not change the collection leaves no mark, so that searches must look."""
        self._presumed = self._marked[0] if len(self._marked) == 1 else None
        return self._presumed

    def recent_values(self, field: str, where: Where) -> dict[str, int]:
        """See VectorStore; at most RECENT_SECONDS ago. That there is nothing is asked each time."""
        counted = self._recent.get((field, where))
        if counted and time.monotonic() - counted[0] < RECENT_SECONDS:
            return counted[1]
        found = self.values(field, where)
        if found:
            self._recent = {
                **(self._recent if len(self._recent) < COUNTS_KEPT else {}),
                (field, where): (time.monotonic(), found),
            }
        return found

    def search(
        self, *, dense: Vector | None, sparse: SparseVector | None, where: Where, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """See VectorStore."""
        (near, worded), _ = self._lists(list_queries(dense, sparse, where, limit))
        return near, worded

    def search_with_rarity(
        self,
        *,
        dense: Vector | None,
        sparse: SparseVector,
        keyword: bool,
        where: Where,
        limit: int,
        beside: Where | None = None,
        beside_limit: int = 0,
    ) -> SearchAnswer:
        """See VectorStore."""
        worded = sparse if keyword else None
        others = list_queries(dense, worded, beside, beside_limit) if beside else (None, None)
        lists, rarity = self._lists([*list_queries(dense, worded, where, limit), *others], sparse.indices, where)
        return SearchAnswer(lists[0], lists[1], rarity, (lists[2], lists[3]))

    def rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        """See VectorStore."""
        if not terms or _matches_nothing(where):
            return {}
        requests = [_rarity_request(term, self._filter(where)) for term in terms]
        return rarities(terms, [answer.points for answer in self._query(requests)])

    def runs(self) -> dict[str, str]:
        """See VectorStore."""
        return runs_of(self._call("reading the run", lambda client: client.get_collection(self.collection)))

    def mark_runs(self, runs: Mapping[str, str]) -> None:
        """See VectorStore."""
        info = self._call("reading the run", lambda client: client.get_collection(self.collection))
        try:
            self._call(
                "marking the run",
                lambda client: client.update_collection(self.collection, metadata=with_runs(info, runs)),
            )
        except RequestFailed as error:
            if error.status != 403:
                raise
            logger.warning(
                "this key may not change collection %s, so that each run compares every lesson with its points; a "
                "key that may manage the collection spares that",
                self.collection,
            )

    def _lists(
        self, queries: Sequence[ListQuery | None], terms: Sequence[int] = (), where: Where = EVERYTHING
    ) -> tuple[list[list[Hit]], dict[int, float]]:
        """Return the ranked lists and the rarity of terms, which the first request asks for along with them."""
        queries = [None if query is None or _matches_nothing(query.where) else query for query in queries]
        rarity: dict[int, float] | None = {} if _matches_nothing(where) else None

        def ask(lists: Sequence[ListQuery]) -> Sequence[Sequence[Scored]]:
            nonlocal rarity
            requests = [self._list_request(query) for query in lists]
            along = terms if rarity is None else ()
            requests += [_rarity_request(term, self._filter(where)) for term in along]
            others = [self._other_books(self._presumed)] if self._presumed else []
            answers = [answer.points for answer in self._query([*requests, *others])]
            if any(answers[len(requests) :]):
                raise UsageError("the index has several books; choose one with --book")
            self._presumed = None  # seen once: a further search need not look again
            if rarity is None:
                rarity = rarities(along, answers[len(lists) : len(requests)])
            return answers[: len(lists)]

        found = ranked_lists(ask, queries)
        return found, self.rarity(terms, where) if rarity is None else rarity

    def _list_request(self, query: ListQuery) -> rest.QueryRequest:
        return rest.QueryRequest(
            query=_to_query(query.vector),
            using=query.name,
            filter=self._filter(query.where),
            limit=min(query.limit, self.limits.results),
            params=self._dense_params(query.where) if query.name == DENSE else None,
        )

    def _other_books(self, book_id: str) -> rest.QueryRequest:
        """Return the request for one point of any other book."""
        others = Where(must_not=(Equals("book_id", book_id),))
        return rest.QueryRequest(filter=self._filter(others), limit=1, with_payload=False)

    def _query(self, requests: list[rest.QueryRequest]) -> list[rest.QueryResponse]:
        return [answer for batch in batches(requests, self.limits.searches) for answer in self._query_batch(batch)]

    def _query_batch(self, requests: Sequence[rest.QueryRequest]) -> list[rest.QueryResponse]:
        return self._call("searching", lambda client: client.query_batch_points(self.collection, requests))

    def search_method(self, where: Where) -> str:
        """See VectorStore."""
        return described(self._dense_params(where), self._matching(where))

    def checkpoint(self) -> None:
        """See VectorStore; a server has made each write safe before it acknowledged it."""

    def close(self) -> None:
        """See VectorStore; the connection belongs to the generations."""

    def _dense_params(self, where: Where) -> rest.SearchParams | None:
        return dense_params(
            self._matching(where),
            self.schema.dimensions,
            filtered=where != Where(),
            quantization=self._quantization,
            may_be_exact=self.limits.exact,
        )

    def _matching(self, where: Where) -> int:
        """Return about how many points match; asked once for each filter, and only of a large collection."""
        if where == Where() or self._points <= exact_points(self.schema.dimensions):
            return self._points
        if where not in self._counts:
            if len(self._counts) >= COUNTS_KEPT:
                self._counts = {}
            self._counts[where] = self._about(where)
        return self._counts[where]

    def _about(self, where: Where) -> int:
        """Return about how many points match: at a million points an estimate takes a tenth of the time."""
        matching = self._filter(where)
        return self._call("counting", lambda client: client.count(self.collection, matching, exact=False).count)

    def _facet(self, field: str, where: Where) -> dict[str, int] | None:
        """Return what `values` returns by one request, None where there are more values than it may tell."""
        matching, most = self._filter(where), self.limits.results
        hits = self._call(
            "counting", lambda client: client.facet(self.collection, field, matching, limit=most, exact=True).hits
        )
        return {str(hit.value): hit.count for hit in hits} if len(hits) < most else None

    def _counted(self, field: str, where: Where) -> dict[str, int]:
        """Return what `values` returns by reading every matching point, page by page."""
        counts: Counter[str] = Counter()
        for point in self.scroll(where, fields=[field]):
            value = point.payload.get(field)
            counts.update(
                {str(each) for each in value} if isinstance(value, list) else () if value is None else (str(value),)
            )
        return counts

    def _filter(self, where: Where) -> rest.Filter:
        return _to_filter(where, self.limits.values)

    def _size(self, point_id: str, payload: Payload, vector_bytes: int = 0) -> int:
        """Return the bytes of a point in a request, rather too many; refuses one that no request holds."""
        size = _BYTES_PER_POINT + payload_bytes(payload) + vector_bytes
        if size > self._request_bytes:
            most = self._request_bytes >> 20
            raise PointRefused(point_id, payload, f"it takes {size >> 20} MiB, a request holds {most} MiB")
        return size

    def _upsert(self, structs: list[rest.PointStruct]) -> None:
        """Write the points; where the server refuses them, in halves, until the one that it refuses is found."""
        try:
            self._write(lambda client: [client.upsert(self.collection, structs, wait=True)])
        except RequestFailed as error:
            if error.status not in (400, 422):
                raise
            if len(structs) == 1:
                raise PointRefused(str(structs[0].id), structs[0].payload or {}, str(error)) from error
            half = len(structs) // 2
            self._upsert(structs[:half])
            self._upsert(structs[half:])

    def _overwrite(self, operations: list[rest.UpdateOperation]) -> None:
        self._write(lambda client: client.batch_update_points(self.collection, operations, wait=True))

    def _delete(self, selector: rest.FilterSelector) -> None:
        self._write(lambda client: [client.delete(self.collection, selector, wait=True)])

    def _page(
        self, matching: rest.Filter, offset: Any, fields: bool | list[str], vectors: bool
    ) -> tuple[list[rest.Record], Any]:
        return self._call(
            "reading",
            lambda client: client.scroll(
                self.collection,
                scroll_filter=matching,
                limit=self.limits.page,
                offset=offset,
                with_payload=fields,
                with_vectors=vectors,
            ),
        )

    def _retrieve(self, ids: Sequence[str], vectors: bool) -> list[rest.Record]:
        return self._call(
            "reading",
            lambda client: client.retrieve(self.collection, list(ids), with_payload=True, with_vectors=vectors),
        )

    def _write(self, request: Callable[[QdrantClient], Sequence[rest.UpdateResult]]) -> None:
        def applied(client: QdrantClient) -> None:
            for result in request(client):
                if result.status != rest.UpdateStatus.COMPLETED:
                    raise WriteNotApplied(f"the server answered {result.status}")

        self._call("writing", applied)

    def _call(self, doing: str, request: Callable[[QdrantClient], T]) -> T:
        return self._server.call(f"{doing} in collection {self.collection!r}", request)


def _rarity_request(term: int, matching: rest.Filter) -> rest.QueryRequest:
    """Return the search for one point that has a term, whose score for the term alone tells its IDF."""
    query = rest.SparseVector(indices=[term], values=[1.0])
    return rest.QueryRequest(query=query, using=SPARSE, filter=matching, limit=1, with_vector=[SPARSE])


def _vector_bytes(point: Point) -> int:
    return _BYTES_PER_NUMBER * len(point.dense) + _BYTES_PER_TERM * len(point.sparse.indices)


def _to_struct(point: Point) -> rest.PointStruct:
    vectors: dict[str, Any] = {DENSE: _to_query(point.dense)}
    if point.sparse.indices:
        vectors[SPARSE] = _to_query(point.sparse)
    return rest.PointStruct(id=point.id, vector=vectors, payload=point.payload)


def _to_overwrite(point_id: str, payload: Payload) -> rest.OverwritePayloadOperation:
    # By filter: named by id, a point that is not there is an error for the whole batch.
    only = rest.Filter(must=[rest.HasIdCondition(has_id=[point_id])])
    return rest.OverwritePayloadOperation(overwrite_payload=rest.SetPayload(payload=payload, filter=only))


def _to_query(vector: Vector | SparseVector) -> list[float] | rest.SparseVector:
    if isinstance(vector, SparseVector):
        return rest.SparseVector(indices=list(vector.indices), values=list(vector.values))
    numbers: list[float] = vector.astype("float64").round(DECIMALS).tolist()
    return numbers


def _matches_nothing(where: Where) -> bool:
    """Return whether a condition must hold and must not; a server drops the second."""
    return any(condition in where.must for condition in where.must_not)


def _to_filter(where: Where, max_values: int) -> rest.Filter:
    must = [_to_condition(condition, max_values) for condition in where.must]
    return rest.Filter(must=must, must_not=[_to_condition(condition, max_values) for condition in where.must_not])


def _to_condition(condition: Condition, max_values: int) -> rest.Condition:
    """Return the client's condition; one with more values than a server takes becomes any of several."""
    match condition:
        case HasId(ids):
            return _any(ids, max_values, lambda part: rest.HasIdCondition(has_id=list(part)))
        case Equals(field, value):
            return rest.FieldCondition(key=field, match=rest.MatchValue(value=value))
        case AnyOf(field, values):
            return _any(
                values, max_values, lambda part: rest.FieldCondition(key=field, match=rest.MatchAny(any=[*part]))
            )
        case Range(field, gte, lte):
            return rest.FieldCondition(key=field, range=rest.Range(gte=gte, lte=lte))


def _any(values: Sequence[Any], max_values: int, made: Callable[[Sequence[Any]], rest.Condition]) -> rest.Condition:
    if len(values) <= max_values:
        return made(values)
    return rest.Filter(should=[made(part) for part in batches(values, max_values)])
