"""The vector store: one protocol, two adapters (embedded engine, Qdrant server)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ingestion.errors import ConfigurationError, VectorStoreError
from ingestion.qdrant_settings import QdrantSettings
from ingestion.vector_stores.filters import PAYLOAD_INDEXES as PAYLOAD_INDEXES
from ingestion.vector_stores.filters import AnyOf as AnyOf
from ingestion.vector_stores.filters import Condition as Condition
from ingestion.vector_stores.filters import Equals as Equals
from ingestion.vector_stores.filters import HasId as HasId
from ingestion.vector_stores.filters import IndexType as IndexType
from ingestion.vector_stores.filters import Range as Range
from ingestion.vector_stores.filters import Where as Where

if TYPE_CHECKING:
    from pathlib import Path

    from ingestion.models import Vector
    from ingestion.state_store import StateStore

Payload = dict[str, Any]

SCHEMA_FORMAT = 1
REBUILD = "run `bookwise ingest --mode recreate` to build it anew"


@dataclass(frozen=True, slots=True)
class Schema:
    """What all points of a collection share; a change of it needs a new generation.

    `embedding` names model and preparation (for instance `all-MiniLM-L6-v2-int8/1`), `dimensions` is the length
    of its vectors.
    """

    embedding: str
    dimensions: int

    def as_json(self) -> dict[str, Any]:
        """What is stored beside the points."""
        return {"format": SCHEMA_FORMAT, "embedding": self.embedding, "dimensions": self.dimensions}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], place: str) -> Schema:
        """The schema read back from `place`; raises VectorStoreError where this version cannot read it."""
        try:
            if stored["format"] > SCHEMA_FORMAT:
                raise VectorStoreError(f"{place} was written by a newer bookwise; update bookwise to use it")
            return cls(embedding=str(stored["embedding"]), dimensions=int(stored["dimensions"]))
        except (KeyError, TypeError, ValueError) as exc:
            raise VectorStoreError(f"{place} does not say how its vectors were made; {REBUILD}") from exc


@dataclass(frozen=True, slots=True)
class SparseVector:
    """A BM25 vector: term ids, ascending and unique, and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """What is written: a UUID, a dense vector of unit length, a BM25 vector and a payload of JSON types."""

    id: str
    dense: Vector
    sparse: SparseVector
    payload: Payload


class StoredPoint(NamedTuple):
    """What is read back; the vectors only if asked for, `sparse` only where the text has any term."""

    id: str
    payload: Payload
    dense: Vector | None = None
    sparse: SparseVector | None = None


class Hit(NamedTuple):
    """One entry of a ranked list. Dense scores are cosines, sparse scores BM25 weights."""

    id: str
    score: float


class VectorStore(Protocol):
    """One generation of one collection. All calls raise VectorStoreError; writes are acknowledged when they return.

    Batches are bounded by the adapter. After a failed write the store is closed and opened again, and the write
    repeated: every write may be repeated without harm.
    """

    schema: Schema

    def upsert(self, points: Sequence[Point]) -> None:
        """Insert the points, or replace those with the same id, payload included.

        Raises points.PointRefused, before anything is written, for a point that no engine may be given.
        """

    def set_payloads(self, payloads: Mapping[str, Payload]) -> None:
        """Replace the whole payload of points, by id; vectors stay, and an id that is not there is passed over.

        Raises points.PointRefused like `upsert`.
        """

    def delete(self, where: Where) -> None:
        """Delete the matching points; raises ValueError for a filter in which nothing must hold."""

    def scroll(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[StoredPoint]:
        """All matching points in id order, with these payload fields (None: all)."""

    def retrieve(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        """The points that exist among these ids, whole payload."""

    def count(self, where: Where) -> int:
        """Exact number of matching points."""

    def values(self, field: str, where: Where) -> dict[str, int]:
        """The values of an indexed keyword field among matching points, each with its exact number of points."""

    def search(
        self, *, dense: Vector | None, sparse: SparseVector | None, where: Where, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """The two ranked lists, best first, ties by id; a list is empty where its vector is None or empty."""

    def rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        """The IDF by which the store weighs each of these BM25 terms that a matching point has; larger is rarer."""

    def checkpoint(self) -> None:
        """Make everything written so far safe against power loss; called before anything is recorded."""

    def close(self) -> None:
        """Release the store; it is not used afterwards."""


class KeptGeneration(NamedTuple):
    """A physical index; `role` is None for one that is being built, or was given up and goes at the next creation.

    `points` is None where only opening it can tell.
    """

    name: str
    role: str | None
    schema: Schema | None
    points: int | None

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return self._asdict() | {"schema": self.schema and self.schema.as_json()}


class Generations(Protocol):
    """The physical indexes behind one collection name, of which readers see the active one (DESIGN: generation).

    A process killed at any step leaves the active generation as it was. All calls raise VectorStoreError.
    """

    @property
    def look_seconds(self) -> float:
        """How often who keeps the active generation open asks `should_close`."""

    def writer(self, wait: float) -> AbstractContextManager[Callable[[], None]]:
        """Be the one writer of the collection while the block runs.

        The block gets a call to make before each group of writes: it raises Locked where another has taken over.
        Raises Locked if another writer is still there after `wait` seconds.
        """

    def states(self) -> StateStore | None:
        """Where the store itself keeps the records of what is indexed; None where it has no place for them."""

    def active_schema(self) -> Schema | None:
        """The schema of the active generation; None where nothing is indexed yet."""

    def known_count(self, book_id: str) -> int | None:
        """The points of a book in the active generation; None where only opening it can tell."""

    def open_active(self) -> VectorStore | None:
        """The generation readers see, or None; raises IndexInUse where another process holds it."""

    def should_close(self, store: VectorStore) -> bool:
        """Whether who keeps this one, once the active one, open for reading should close it when nobody reads.

        Another process waits for it, or readers are to see another one.
        """

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """To be held while about so many points come into a store of this collection; at its end search is fast."""

    def create(self, schema: Schema) -> VectorStore:
        """A new, empty generation beside the active one, which stays what readers see until `activate`.

        Left-overs of an earlier, killed creation are removed first. Only one process may create at a time.
        """

    def activate(self, store: VectorStore) -> None:
        """Make a created generation the active one in one atomic step; the former one is kept for `rollback`."""

    def rollback(self) -> None:
        """Make the former generation the active one again, and the active one the former.

        Raises VectorStoreError if there is no former one.
        """

    def drop_former(self) -> bool:
        """Remove the former generation; False if there is none."""

    def kept(self) -> list[KeptGeneration]:
        """All generations that take room: the active one, the former one, then the unused."""


def open_generations(
    *,
    url: str | None,
    api_key: str | None,
    collection: str,
    directory: Path,
    wait: float,
    settings: QdrantSettings | None = None,
) -> Generations:
    """The generations of a collection: on the Qdrant server at `url`, or embedded below `directory` without one.

    `wait` is how many seconds to wait for an embedded index that another process has open. Raises
    ConfigurationError for a name or URL that cannot be used, VectorStoreError for a server that cannot be reached.
    """
    if not re.fullmatch(r"\w[\w.-]*", collection):
        raise ConfigurationError(f"collection name {collection!r}: use letters, digits, '_', '-' and '.' only")
    if url is None:
        from ingestion.vector_stores.edge_generations import EdgeGenerations

        return EdgeGenerations(directory / collection, wait)
    from ingestion.vector_stores.server_calls import connect
    from ingestion.vector_stores.server_generations import ServerGenerations

    settings = settings or QdrantSettings()
    return ServerGenerations(connect(url, api_key, settings), collection, settings)
