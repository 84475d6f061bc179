"""The embedded vector store: Qdrant's engine in this process, one directory a generation."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import qdrant_edge as qe

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.batching import batches, deletions
from ingestion.vector_stores.edge import compaction
from ingestion.vector_stores.edge.count_cache import forget_counts, remember_counts
from ingestion.vector_stores.edge.run_ids import read_runs, write_runs
from ingestion.vector_stores.edge.shard import check_space, engine_errors, load_shard, open_points
from ingestion.vector_stores.engine_answers import rarities, stored_point
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, HasId, Range, Where
from ingestion.vector_stores.ranking import DENSE, SPARSE, ListQuery, Scored, list_queries, ranked_lists
from ingestion.vector_stores.types import Hit, Payload, Point, Schema, SearchAnswer, SparseVector, StoredPoint
from ingestion.vector_stores.validation import validate_payload, validate_points

if TYPE_CHECKING:
    from ingestion.models import Vector

POINTS_PER_WRITE = 256
POINTS_PER_PAGE = 1024
FEWEST_VALUES = 1000
WEIGHED = 300
"""How many of the nearest by their codes are weighed in full at least: of 100,000 points it misses none of the best
hundred in ten thousand, not even of vectors at random, whose distances differ least."""
MOST_KEPT = 1000
"""How many counts, and how many rarities of terms, are kept at most."""


class EdgeStore:
    """A VectorStore over one open shard; `release` gives back the lock that keeps other processes out."""

    def __init__(self, directory: Path, schema: Schema, shard: qe.EdgeShard, release: Callable[[], None]) -> None:
        self.directory = directory
        self.schema = schema
        self._shard = shard
        self._release = release
        self._process = os.getpid()
        self._failed = False
        self._users = 1
        self._counting_users = threading.Lock()
        self._one_at_a_time = threading.RLock()
        self._written = False
        # Kept until the next write, which only this store can make: to count a book, or to look for a frequent word,
        # takes longer than to search it.
        self._counts: dict[Where, int] = {}
        self._rarities: dict[tuple[int, Where], float | None] = {}
        self._values: dict[tuple[str, Where], dict[str, int]] = {}

    is_remote = False

    def share(self) -> EdgeStore:
        """Return the store for one more user, who closes it as well."""
        with self._counting_users:
            if self._users <= 0:
                raise VectorStoreError(f"the index in {self.directory} is closed; open it again")
            self._users += 1
        return self

    def size(self) -> int:
        """See VectorStore."""
        return self.count(Where())

    def upsert(self, points: Sequence[Point]) -> None:
        """See VectorStore."""
        validate_points(points, self.schema.dimensions)
        for batch in batches(points, POINTS_PER_WRITE):
            self._update(qe.UpdateOperation.upsert_points([_to_point(point) for point in batch]))

    def set_payloads(self, payloads: Mapping[str, Payload]) -> None:
        """See VectorStore."""
        for point_id, payload in payloads.items():
            validate_payload(point_id, payload)
        for point_id, payload in payloads.items():
            # By filter: named by id, a point that is not there is an error, but only after it is in the log.
            only = qe.Filter(must=[qe.HasIdCondition({point_id})])
            self._update(qe.UpdateOperation.overwrite_payload_by_filter(only, payload))

    def delete(self, where: Where) -> None:
        """See VectorStore."""
        for part in deletions(where, POINTS_PER_WRITE):
            self._update(qe.UpdateOperation.delete_points_by_filter(_to_filter(part)))

    def scroll(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[StoredPoint]:
        """See VectorStore."""
        matching = _to_filter(where)
        offset: qe.PointId | None = None
        while True:
            request = qe.ScrollRequest(
                offset=offset,
                limit=POINTS_PER_PAGE,
                filter=matching,
                with_payload=True if fields is None else list(fields),
                with_vector=[DENSE, SPARSE] if vectors else False,
            )
            with self._engine("read"):
                records, offset = self._shard.scroll(request)
            yield from map(stored_point, records)
            if offset is None:
                return

    def retrieve(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        """See VectorStore."""
        found: dict[str, StoredPoint] = {}
        for batch in batches(list(ids), POINTS_PER_PAGE):
            with self._engine("read"):
                records = self._shard.retrieve(list(batch), True, [DENSE, SPARSE] if vectors else False)
            found |= {point.id: point for point in map(stored_point, records)}
        return found

    def count(self, where: Where) -> int:
        """See VectorStore."""
        if len(self._counts) >= MOST_KEPT:
            self._counts = {}
        known = self._counts
        if where not in known:
            with self._engine("count"):
                known[where] = self._shard.count(qe.CountRequest(filter=_to_filter(where)))
        return known[where]

    def values(self, field: str, where: Where) -> dict[str, int]:
        """See VectorStore."""
        if len(self._values) >= MOST_KEPT:
            self._values = {}
        known = self._values
        if (field, where) not in known:
            # A field has at most as many values as there are points, but for lists, whose values are few.
            most = max(FEWEST_VALUES, self.size())
            request = qe.FacetRequest(field, limit=most, exact=True, filter=_to_filter(where))
            with self._engine("count"):
                hits = self._shard.facet(request).hits
            known[field, where] = dict(sorted((str(hit.value), hit.count) for hit in hits))
        return dict(known[field, where])

    def recent_values(self, field: str, where: Where) -> dict[str, int]:
        """See VectorStore; what was counted is kept until the next write."""
        return self.values(field, where)

    def search(
        self, *, dense: Vector | None, sparse: SparseVector | None, where: Where, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """See VectorStore."""
        near, worded = ranked_lists(self._ask, list_queries(dense, sparse, self._without_needless(where), limit))
        return near, worded

    def only_book(self) -> str | None:
        """See VectorStore."""
        books = list(self.values("book_id", Where()))
        return books[0] if len(books) == 1 else None

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
        lists = self.search(dense=dense, sparse=worded, where=where, limit=limit)
        others = self.search(dense=dense, sparse=worded, where=beside, limit=beside_limit) if beside else ([], [])
        return SearchAnswer(*lists, self.rarity(sparse.indices, where), others)

    def _ask(self, lists: Sequence[ListQuery]) -> Sequence[Sequence[Scored]]:
        batch = [
            qe.QueryRequest(
                limit=query.limit,
                query=qe.Query.Nearest(_to_query(query.vector), using=query.name),
                filter=_narrowing(query.where),
                params=qe.SearchParams(
                    quantization=qe.QuantizationSearchParams(
                        rescore=True, oversampling=max(2.0, WEIGHED / query.limit)
                    )
                ),
            )
            for query in lists
        ]
        with self._engine("search"):
            return self._shard.query_batch(qe.QueryBatchRequest(batch))

    def search_method(self, where: Where) -> str:
        """See VectorStore."""
        return f"scan of the 4-bit codes of {self.count(where):,} points, the best {WEIGHED} rescored"

    def rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        """See VectorStore."""
        where = self._without_needless(where)
        if len(self._rarities) >= MOST_KEPT:
            self._rarities = {}
        known = self._rarities
        if unknown := [term for term in terms if (term, where) not in known]:
            found = self._asked_rarity(unknown, where)
            known |= {(term, where): found.get(term) for term in unknown}
        return {term: rarity for term in terms if (rarity := known[term, where]) is not None}

    def _asked_rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        matching = _narrowing(where)
        batch = [
            qe.QueryRequest(
                limit=1,
                query=qe.Query.Nearest(qe.SparseVector([term], [1.0]), using=SPARSE),
                filter=matching,
                with_vector=[SPARSE],
            )
            for term in terms
        ]
        with self._engine("search"):
            answers = self._shard.query_batch(qe.QueryBatchRequest(batch))
        return rarities(terms, answers)

    def runs(self) -> dict[str, str]:
        """See VectorStore."""
        return read_runs(self.directory)

    def mark_runs(self, runs: Mapping[str, str]) -> None:
        """See VectorStore."""
        try:
            write_runs(self.directory, runs)
        except OSError as error:
            raise VectorStoreError(f"cannot use {self.directory}: {error}") from error

    def checkpoint(self) -> None:
        """See VectorStore; it would end the log that a shard in doubt is repaired from, so then there is none."""
        self._refuse_if_in_doubt()
        with self._engine("write"):
            self._shard.flush()
            if self._users == 1 and self._written and open_points(self._shard) >= compaction.OPEN_POINTS:
                self._seal()

    def _seal(self) -> None:
        """Seal the open segment and open the index again, which takes a minute for 100,000 points."""
        self._shard.close()
        try:
            compaction.run_compaction(self.directory, self.schema.dimensions)
        finally:
            self._shard = load_shard(self.directory / "shard")

    def close(self) -> None:
        """See VectorStore; the last who shares it closes it."""
        with self._counting_users:
            self._users -= 1
            if self._users != 0:
                return
        try:
            books = None if self._failed else self.values("book_id", Where())
            with self._engine("close"):
                unsealed = open_points(self._shard) if books is not None else 0
                self._shard.close()
            if books is not None:
                if self._written and (
                    compaction.has_grown(self.directory) or unsealed >= compaction.OPEN_POINTS_AT_END
                ):
                    compaction.run_compaction(self.directory, self.schema.dimensions)
                remember_counts(self.directory, books)
        finally:
            self._release()

    def _without_needless(self, where: Where) -> Where:
        """Return the filter without conditions that every point meets, such as the only book's id: half of a
        search's time.
        """
        total = self.count(Where())
        return Where(
            tuple(condition for condition in where.must if self.count(Where((condition,))) < total), where.must_not
        )

    def _update(self, operation: qe.UpdateOperation) -> None:
        """Apply one write; after a failed one the shard is in doubt, and takes no other."""
        self._refuse_if_in_doubt()
        check_space(self.directory)
        self._failed = True
        if not self._written:
            forget_counts(self.directory)
        with self._engine("write"):
            self._shard.update(operation)
        # What was asked before the write goes into the dictionary it began with.
        self._counts, self._rarities, self._values = {}, {}, {}
        self._failed = False
        self._written = True

    def _refuse_if_in_doubt(self) -> None:
        if self._failed:
            raise VectorStoreError(f"the index in {self.directory} failed an earlier write; open it again and repeat")

    @contextmanager
    def _engine(self, doing: str) -> Iterator[None]:
        if os.getpid() != self._process:
            raise VectorStoreError(f"the index in {self.directory} was opened before a fork; open it after")
        # The engine lets no other thread run anyway; the lock keeps them out while the index is sealed.
        with self._one_at_a_time, engine_errors(f"cannot {doing} the index in {self.directory}"):
            yield


def _to_point(point: Point) -> qe.Point:
    # A list for this one call: the engine reads it in a third of the time that it takes to read an array.
    vectors: dict[str, Any] = {DENSE: point.dense.tolist()}
    if point.sparse.indices:
        vectors[SPARSE] = _to_query(point.sparse)
    return qe.Point(point.id, vectors, point.payload)


def _to_query(vector: Vector | SparseVector) -> Any:
    """Typed by hand: the engine takes arrays as they are, which its stubs do not say."""
    if isinstance(vector, SparseVector):
        return qe.SparseVector(list(vector.indices), list(vector.values))
    return vector


def _narrowing(where: Where) -> qe.Filter | None:
    """Return the filter, None where everything matches: an empty filter would take a sixth of a search."""
    return _to_filter(where) if where.must or where.must_not else None


@engine_errors("this filter cannot be used")
def _to_filter(where: Where) -> qe.Filter:
    return qe.Filter(must=[*map(_to_condition, where.must)], must_not=[*map(_to_condition, where.must_not)])


def _to_condition(condition: Condition) -> qe.ConditionType:
    match condition:
        case HasId(ids):
            return qe.HasIdCondition(set(ids))
        case Equals(field, value):
            return qe.FieldCondition(field, match=qe.MatchValue(value))
        case AnyOf(field, values):
            return qe.FieldCondition(field, match=qe.MatchAny([*values]))
        case Range(field, gte, lte):
            return qe.FieldCondition(field, range=qe.RangeFloat(gte=gte, lte=lte))
