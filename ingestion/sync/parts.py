"""What a run works with, built once by the factory."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from ingestion.embedding.prices import price_of
from ingestion.embedding.protocol import Embedder
from ingestion.embedding.recipient import Recipient
from ingestion.settings import Settings
from ingestion.state.job_ledger import JobLedger
from ingestion.state.state_file import StateStore
from ingestion.state.writer_lock import writer_lock
from ingestion.sync.known_vectors import VectorCache
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.types import Schema

if TYPE_CHECKING:
    from ingestion.embedding.batching import Limits
    from ingestion.embedding.workers import CallResult, Workers
    from ingestion.errors import LessonError
    from ingestion.sync.chunked_files import ChunkedFile, ChunkJob
    from ingestion.sync.vector_check import VectorCheck


class Cluster(Protocol):
    """Other machines that chunk and embed; they are used between `connect` and `close`."""

    def connect(self) -> None:
        """Make it ready, unless it is; raises ClusterError where it does not answer."""

    @property
    def limits(self) -> Limits:
        """Return how much one call gets, and how many calls keep all machines busy."""

    def chunk_files(
        self, jobs: Iterable[ChunkJob], settings: Settings, embedding: str
    ) -> Iterator[ChunkedFile | LessonError]:
        """Chunk files in order; a lesson that fails is a LessonError in its place."""

    def start_workers(self, finished: SimpleQueue[CallResult]) -> Workers:
        """Start workers that put results into the queue."""

    def close(self) -> None:
        """Abandon what is under way and disconnect."""


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with.

    The embedder does not load its model before it embeds. A `cluster` has other machines chunk and embed. `recipient`
    gets the texts, None where they stay here, and `tell` says what the user did not choose. The `lock` is None while
    the caller holds it over several runs. With `vectors` a run compares those too. A `recreate` takes other books
    into the new generation itself, unless the caller does (`takes_others`).
    """

    settings: Settings
    embedder: Embedder
    generations: Generations
    states: StateStore
    cache: VectorCache | None
    lock: Path | None
    jobs: JobLedger | None = None
    cluster: Cluster | None = None
    recipient: Recipient | None = None
    tell: Callable[[str], None] = logger.warning
    vectors: VectorCheck | None = None
    takes_others: bool = True

    def close(self) -> None:
        """Release the cluster, the cache and the ledger; the stores are released by each run."""
        for part in (self.cluster, self.cache, self.jobs):
            if part:
                part.close()

    @contextmanager
    def as_writer(self, *, wait: float | None = None) -> Iterator[Lease]:
        """Acquire the exclusive writer lock, on this machine and on a shared server; see Generations.writer.

        Waits for both together as many seconds as `wait`, or `index.wait`, says.
        """
        with self.alone_in_folder(wait=wait) as left, self.generations.writer(left) as lease:
            yield lease

    @contextmanager
    def alone_in_folder(self, *, wait: float | None = None) -> Iterator[float]:
        """Keep other runs out of the folder of the index; gives what is left of the seconds to wait."""
        wait = self.settings.index.wait if wait is None else wait
        began = time.monotonic()
        with writer_lock(self.lock, wait) if self.lock else nullcontext():
            yield max(0.0, wait - (time.monotonic() - began))

    @property
    def embedding(self) -> str:
        """Return the name of the embedding, which is part of each embed key."""
        return f"{self.embedder.model}/{self.embedder.dimensions}"

    @property
    def price(self) -> float | None:
        """Return dollars per million tokens: as set, else as published, None if neither is known."""
        return price_of(self.embedder.model, self.settings.embedding.price)

    @property
    def schema(self) -> Schema:
        """Return the schema of the index that these settings make."""
        return Schema(self.embedder.model, self.embedder.dimensions)
