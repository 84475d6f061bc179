"""The protocols that both vector stores implement, split by who uses them.

An open generation is read (PointReader), searched (PointSearcher) and written (PointWriter). The generations of a
collection are opened (OpenGenerations), built by a run (BuiltGenerations), kept and gone back to (KeptGenerations);
who writes them is WriterAccess'. A function takes the narrowest that it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.health import Health
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.types import (
    Active,
    Hit,
    KeptGeneration,
    Payload,
    Point,
    Schema,
    SearchAnswer,
    SparseVector,
    StoredPoint,
)

if TYPE_CHECKING:
    from ingestion.models import Vector
    from ingestion.state.state_file import StateStore


class PointReader(Protocol):
    """The points of one generation of one collection, as they are read. All calls raise VectorStoreError."""

    schema: Schema

    @property
    def is_remote(self) -> bool:
        """Return whether each call is a request to a server, so that fewer calls with more in them are faster."""

    def size(self) -> int:
        """Return about how many points there are, without asking a server."""

    def scroll(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[StoredPoint]:
        """Return all matching points in id order, with these payload fields (None: all)."""

    def retrieve(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, StoredPoint]:
        """Return the points that exist among these ids, whole payload."""

    def count(self, where: Where) -> int:
        """Return the exact number of matching points."""

    def values(self, field: str, where: Where) -> dict[str, int]:
        """Return the values of an indexed keyword field among matching points, each with its exact number of
        points.
        """

    def runs(self) -> dict[str, str]:
        """Return the id of the run that last wrote each book, beside the points; a book without one is left out."""


class PointSearcher(PointReader, Protocol):
    """Points that are searched too."""

    def only_book(self) -> str | None:
        """Return the one book that there is; None where there are several, none, or it is not known without asking.

        A server takes the word of the runs that marked the points. The first search sees that no other book is there,
        and raises UsageError where one is.
        """

    def recent_values(self, field: str, where: Where) -> dict[str, int]:
        """Return what `values` returns, on a server as of some seconds ago: what a search may know late."""

    def search(
        self, *, dense: Vector | None, sparse: SparseVector | None, where: Where, limit: int
    ) -> tuple[list[Hit], list[Hit]]:
        """Return the two ranked lists, best first, ties by id; a list is empty where its vector is None or empty."""

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
        """Return what `search` returns, without the second list unless `keyword`, and the `rarity` of its terms.

        With `beside` the same is searched for inside that filter too. On a server all of it is one request.
        """

    def search_method(self, where: Where) -> str:
        """Return how `search` finds the nearest vectors under this filter, for people."""

    def rarity(self, terms: Sequence[int], where: Where) -> dict[int, float]:
        """Return the IDF by which the store weighs each of these BM25 terms that a matching point has; larger is
        rarer.
        """


class PointWriter(PointReader, Protocol):
    """Points that are written too; writes are acknowledged when they return.

    Batches are bounded by the adapter. After a failed write the store is closed and opened again, and the write
    repeated: every write may be repeated without harm.
    """

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

    def mark_runs(self, runs: Mapping[str, str]) -> None:
        """Note the ids of runs, by book, before they write; those of other books stay.

        Where a server forbids it, it is logged, and the next run finds no id.
        """

    def checkpoint(self) -> None:
        """Make everything written so far safe against power loss; called before anything is recorded."""


class VectorStore(PointSearcher, PointWriter, Protocol):
    """An open generation with all that can be done to it: what opens one closes it, and hands on what others need."""

    def close(self) -> None:
        """Release the store; it is not used afterwards."""


class WriterAccess(Protocol):
    """Who may write a collection, and where the records of what is indexed lie."""

    @property
    def is_remote(self) -> bool:
        """Return whether the lease of a writer costs requests to a server, so that it is taken only to write."""

    def writer(self, wait: float) -> AbstractContextManager[Lease]:
        """Acquire the lease of the one writer of the collection, and hold it while the block runs.

        The block calls it before each group of writes, and passes it to what opens a generation to write it. Raises
        IndexLocked if another writer still has it after `wait` seconds.
        """

    def states(self) -> StateStore | None:
        """Return where the store itself keeps the records of what is indexed; None where it has no place for them."""


class OpenGenerations(Protocol):
    """The generation that readers see: what is known of it, and opening it."""

    def active(self) -> Active | None:
        """Return what is known of the active generation, None where nothing is indexed yet."""

    def known_count(self, book_id: str) -> int | None:
        """Return the points of a book in the active generation; None where only opening it can tell."""

    def open_active(self, lease: Lease | None = None) -> VectorStore | None:
        """Open the generation that readers see, or return None; raises IndexInUse where another process holds it.

        Who opens it to write passes the lease, which every deletion then confirms first; what a killed run left is
        mended, and it is logged where the settings are not those of the index.
        """

    @property
    def look_seconds(self) -> float:
        """How often who keeps the active generation open asks `should_close`."""

    def should_close(self, store: VectorStore) -> bool:
        """Return whether who keeps this one, once the active one, open for reading should close it when nobody reads.

        Another process waits for it, or readers are to see another one.
        """


class BuiltGenerations(OpenGenerations, Protocol):
    """Generations of which a run writes one, the active one or one that is made beside it.

    A process killed at any step leaves the active generation as it was.
    """

    def repair(self) -> None:
        """Mend what says which generation is active, if it is damaged and the generations are there."""

    def refusals(self, points: int) -> list[str]:
        """Return why the active generation cannot hold so many points, a sentence each; empty where it can."""

    def create(self, schema: Schema, lease: Lease | None = None) -> VectorStore:
        """Create an empty generation beside the active one, which stays what readers see until `activate`.

        Left-overs of an earlier, killed creation are removed first. Only one process may create at a time.
        """

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """Hold this while about so many points come into a store of this collection; at its end search is fast."""

    def activate(self, store: VectorStore) -> None:
        """Make a created generation the active one in one atomic step; the former one is kept for `rollback`."""


class KeptGenerations(Protocol):
    """The generations that take room: they are listed, gone back to and removed."""

    def kept(self) -> list[KeptGeneration]:
        """Return all generations that take room: the active one, the former one, then the unused."""

    def rollback(self, lease: Lease | None = None) -> None:
        """Make the former generation the active one again, and the active one the former.

        Raises VectorStoreError if there is no former one.
        """

    def drop_former(self, lease: Lease | None = None) -> bool:
        """Remove the former generation; False if there is none."""


class Generations(WriterAccess, BuiltGenerations, KeptGenerations, Protocol):
    """The physical indexes behind one collection name, of which readers see the active one.

    All calls raise VectorStoreError.
    """

    def health(self) -> Health | None:
        """Return the health of the server or cluster; None for an embedded index, which has none."""

    def sharing(self, store: VectorStore) -> Generations:
        """Return these generations for a run of this process, which writes the `store` that readers have open."""

    def keeping(self) -> AbstractContextManager[Generations]:
        """Return these generations for several runs in a row, between which the active one may stay open.

        It is closed at the end, and before the next run where another process waits for it. Who holds it holds the
        lock of the writer too: others take that first.
        """
