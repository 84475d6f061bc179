"""Fakes of the protocols: they keep everything in memory, count calls, and fail where a test wants it."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ingestion.embedding.batching import Limits
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, HasId, Range, Where
from ingestion.vector_stores.lease import Lease, LocalLease
from ingestion.vector_stores.types import Active, Hit, Payload, Point, Schema, SearchAnswer, SparseVector, StoredPoint


class Crash(BaseException):
    """Stands for the process dying: nothing in the program may catch it."""


class Faults:
    """Counts outside calls and raises at the n-th (from 1), once."""

    def __init__(self, at: int | None = None, error: type[BaseException] = Crash) -> None:
        self.at = at
        self.error = error
        self.calls = 0

    def tick(self, what: str) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise self.error(f"call {self.calls}: {what}")


TWO_TEXTS = Limits(inputs=2)


class FakeEmbedder:
    """Vectors from hashes: equal texts get equal vectors. Counts what it embeds."""

    def __init__(
        self,
        model: str = "fake/1",
        dimensions: int = 8,
        faults: Faults | None = None,
        limits: Limits = TWO_TEXTS,
    ) -> None:
        self.model = model
        self.limits = limits
        self.dimensions = dimensions
        self.faults = faults or Faults()
        self.texts: list[str] = []
        self.calls = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.faults.tick("embed")
        self.calls += 1
        assert all(text.strip() for text in texts)
        self.texts += texts
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        return self._vector(text)

    def _vector(self, text: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(f"{self.model}{text}".encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return row / np.linalg.norm(row)


class MemoryStore:
    """A vector store in a dict; shares its points with the generation, so reopening finds them."""

    def __init__(
        self, schema: Schema, points: dict[str, Point], faults: Faults, runs: dict[str, str] | None = None
    ) -> None:
        self.schema = schema
        self.run_ids = {} if runs is None else runs
        self.points = points
        self.faults = faults
        self.writes = 0
        self.checkpoints = 0
        self.closed = False

    def upsert(self, points: Sequence[Point]) -> None:
        self._write("upsert")
        self.points.update({point.id: point for point in points})

    def set_payloads(self, payloads: Mapping[str, Payload]) -> None:
        self._write("set_payloads")
        for point_id, payload in payloads.items():
            point = self.points[point_id]
            self.points[point_id] = Point(point.id, point.dense, point.sparse, payload)

    def delete(self, where: Where) -> None:
        if not where.must:
            raise ValueError("a delete without conditions")
        self._write("delete")
        for point_id in [point.id for point in self._matching(where)]:
            del self.points[point_id]

    def scroll(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[StoredPoint]:
        for point in self._matching(where):
            payload = point.payload if fields is None else {name: point.payload.get(name) for name in fields}
            yield _stored(point, dict(payload), vectors=vectors)

    def retrieve(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        found = {point_id: self.points[point_id] for point_id in ids if point_id in self.points}
        return {point_id: _stored(point, dict(point.payload), vectors=vectors) for point_id, point in found.items()}

    def count(self, where: Where) -> int:
        return len(self._matching(where))

    def values(self, field: str, where: Where) -> dict[str, int]:
        held = (point.payload[field] for point in self._matching(where))
        return dict(Counter(each for value in held for each in (value if isinstance(value, list) else [value])))

    recent_values = values

    def only_book(self) -> str | None:
        books = list(self.values("book_id", Where()))
        return books[0] if len(books) == 1 else None

    def search(
        self, *, dense: Any, sparse: SparseVector | None, where: Where, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        points = self._matching(where)
        near = [Hit(point.id, float(point.dense @ dense)) for point in points] if dense is not None else []
        wanted = dict(zip(sparse.indices, sparse.values, strict=True)) if sparse else {}
        words = [Hit(point.id, _overlap(point.sparse, wanted)) for point in points]
        return _ranked(near, limit), _ranked([hit for hit in words if hit.score > 0], limit)

    is_remote = False

    def size(self) -> int:
        return len(self.points)

    def search_with_rarity(
        self,
        *,
        dense: Any,
        sparse: SparseVector,
        keyword: bool,
        where: Where,
        limit: int,
        beside: Where | None = None,
        beside_limit: int = 0,
    ) -> SearchAnswer:
        worded = sparse if keyword else None
        lists = self.search(dense=dense, sparse=worded, where=where, limit=limit)
        others = self.search(dense=dense, sparse=worded, where=beside, limit=beside_limit) if beside else ([], [])
        return SearchAnswer(*lists, self.rarity(sparse.indices, where), others)

    def search_method(self, where: Where) -> str:
        return "looks at every point"

    def rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        """All terms count alike, as in `search`."""
        there = {term for point in self._matching(where) for term in point.sparse.indices}
        return {term: 1.0 for term in terms if term in there}

    def runs(self) -> dict[str, str]:
        return dict(self.run_ids)

    def mark_runs(self, runs: Mapping[str, str]) -> None:
        self._write("mark_runs")
        self.run_ids.update(runs)

    def checkpoint(self) -> None:
        self._write("checkpoint")
        self.checkpoints += 1

    def close(self) -> None:
        self.closed = True

    def _write(self, what: str) -> None:
        assert not self.closed
        self.faults.tick(what)
        self.writes += 1

    def _matching(self, where: Where) -> list[Point]:
        return [point for _, point in sorted(self.points.items()) if matches(point.id, point.payload, where)]


class MemoryGenerations:
    """Generations in memory; `stores` are all that were ever opened."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults()
        self.generations: dict[str, tuple[Schema, dict[str, Point], dict[str, str]]] = {}
        self.active_name: str | None = None
        self.former: str | None = None
        self.stores: list[tuple[str, MemoryStore]] = []
        self._names = (f"g{number}" for number in itertools.count(1))

    @property
    def points(self) -> dict[str, Point]:
        """The points that readers see."""
        return self.generations[self.active_name][1] if self.active_name else {}

    @property
    def writes(self) -> int:
        return sum(store.writes for _, store in self.stores)

    def writer(self, wait: float) -> AbstractContextManager[Lease]:
        return nullcontext(LocalLease())

    def health(self) -> None:
        return None

    def refusals(self, points: int) -> list[str]:
        return []

    def keeping(self) -> AbstractContextManager[MemoryGenerations]:
        return nullcontext(self)

    def states(self) -> None:
        return None

    is_remote = False

    def active(self) -> Active | None:
        if self.active_name is None:
            return None
        schema, _, runs = self.generations[self.active_name]
        return Active(schema, dict(runs))

    def repair(self) -> None:
        return None

    def known_count(self, book_id: str) -> int | None:
        return None

    def open_active(self, lease: Lease | None = None) -> MemoryStore | None:
        return self._open(self.active_name) if self.active_name else None

    def loading(self, store: MemoryStore, points: int) -> AbstractContextManager[None]:
        return nullcontext()

    def create(self, schema: Schema, lease: Lease | None = None) -> MemoryStore:
        self.faults.tick("create")
        kept = {self.active_name, self.former}
        self.generations = {name: each for name, each in self.generations.items() if name in kept}
        name = next(self._names)
        self.generations[name] = (schema, {}, {})
        return self._open(name)

    def activate(self, store: MemoryStore) -> None:
        self.faults.tick("activate")
        name = next(name for name, each in self.stores if each is store)
        self.former, self.active_name = self.active_name, name

    def _open(self, name: str) -> MemoryStore:
        schema, points, runs = self.generations[name]
        store = MemoryStore(schema, points, self.faults, runs)
        self.stores.append((name, store))
        return store


def matches(point_id: str, payload: Payload, where: Where) -> bool:
    """What a filter means, in plain Python."""
    return all(_holds(point_id, payload, each) for each in where.must) and not any(
        _holds(point_id, payload, each) for each in where.must_not
    )


def _holds(point_id: str, payload: Payload, condition: Condition) -> bool:
    if isinstance(condition, HasId):
        return point_id in condition.ids
    value = payload.get(condition.field)
    held = value if isinstance(value, list) else [value]
    if isinstance(condition, Equals):
        return condition.value in held
    if isinstance(condition, AnyOf):
        return any(each in condition.values for each in held)
    assert isinstance(condition, Range)
    low = condition.gte if condition.gte is not None else float("-inf")
    high = condition.lte if condition.lte is not None else float("inf")
    return any(isinstance(each, int | float) and low <= each <= high for each in held)


def _stored(point: Point, payload: Payload, *, vectors: bool) -> StoredPoint:
    return StoredPoint(point.id, payload, point.dense if vectors else None, point.sparse if vectors else None)


def _overlap(sparse: SparseVector, wanted: Mapping[int, float]) -> float:
    return sum(value * wanted.get(index, 0.0) for index, value in zip(sparse.indices, sparse.values, strict=True))


def _ranked(hits: list[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
