"""`bookwise ingest --ray`: the stages that touch no index run on a Ray cluster; this process does the rest."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol

from ingestion.embedding.protocol import Embedder, EmbedderKind
from ingestion.errors import BookwiseError, ClusterError, ConfigurationError, LessonError
from ingestion.settings import Settings
from ingestion.sync.chunked_files import ChunkedFile, ChunkJob
from ingestion.sync.distributed.chunking import ClusterChunker
from ingestion.sync.distributed.embedding import ClusterWorkers
from ingestion.sync.distributed.layout import WorkerLayout, limits_of, plan_layout
from ingestion.sync.distributed.pool import RemoteCall, WorkerPool
from ingestion.sync.distributed.worker import EmbedSetup, code_versions

if TYPE_CHECKING:
    from ingestion.embedding.batching import Limits
    from ingestion.embedding.workers import CallResult

logger = logging.getLogger(__name__)

WORKER_SECONDS = 120.0
"""How long the first worker may take: its machine imports bookwise, and may be busy with other work before."""

_IS_MISSING = "No module named 'ingestion"


class Connection(Protocol):
    """What starts workers; RayConnection is the one there is."""

    def open(self) -> None:
        """Connect; raises ClusterError where that fails or takes too long."""

    def close(self) -> None:
        """Disconnect, which ends the workers."""

    def resources(self) -> Mapping[str, float]:
        """Return what the cluster has in all, such as `CPU`."""

    def start_worker(self, layout: WorkerLayout) -> RemoteCall:
        """Ask for one more LessonWorker, and return how its methods are called."""

    def share(self, value: Any) -> Any:
        """Put a value at hand for all workers, and return what stands for it in calls."""

    def is_loss(self, error: BaseException) -> bool:
        """Return whether an error of a call means that its worker has died."""


class StageCluster:
    """The workers of one command, which chunk and embed; nothing is connected before `connect`.

    `arguments` are those of `build_embedder`, which make `embedder`; `workers` is how many the user asked for.
    """

    def __init__(
        self,
        connection: Connection,
        workers: int | None,
        *,
        kind: EmbedderKind,
        embedder: Embedder,
        arguments: Mapping[str, Any],
    ) -> None:
        self._connection = connection
        self._workers = workers
        self._kind = kind
        self._embedder = embedder
        self._arguments = arguments
        self._layout: WorkerLayout | None = None
        self._pool: WorkerPool | None = None
        self._failure: BookwiseError | None = None

    def connect(self) -> None:
        """Connect and start the workers, unless that is done; raises ClusterError or ConfigurationError."""
        if self._pool:
            return
        self._connection.open()
        self._layout = layout = plan_layout(
            self._kind,
            threads=self._arguments["threads"],
            in_flight=self._embedder.limits.in_flight,
            resources=self._connection.resources(),
            wanted=self._workers,
        )
        self._pool = pool = WorkerPool(layout.calls_per_worker, self._connection.is_loss)
        for _ in range(layout.workers):
            worker = self._connection.start_worker(layout)
            worker("versions").add_done_callback(partial(self._admit, pool, worker))
        if not pool.has_worker.wait(WORKER_SECONDS):
            raise ClusterError(f"no worker started within {WORKER_SECONDS:.0f} s; is a core of the Ray cluster free?")
        if self._failure:
            raise self._failure

    @property
    def limits(self) -> Limits:
        """Return how much one call gets, and how many calls keep all workers busy."""
        assert self._layout
        return limits_of(self._kind, self._embedder.limits, self._layout)

    def chunk_files(
        self, jobs: Iterable[ChunkJob], settings: Settings, embedding: str
    ) -> Iterator[ChunkedFile | LessonError]:
        """Chunk files on the cluster, as ChunkFiles says."""
        assert self._pool and self._layout
        calls, share = self._layout.calls, self._connection.share
        return ClusterChunker(self._pool, share, settings, embedding, batches_ahead=calls).run(jobs)

    def start_workers(self, finished: SimpleQueue[CallResult]) -> ClusterWorkers:
        """Start workers that put results into the queue."""
        assert self._pool and self._layout
        share = {
            name: max(1, limit // self._layout.workers)
            for name in ("requests_per_minute", "tokens_per_minute")
            if (limit := self._arguments[name]) is not None
        }
        arguments = {**self._arguments, **share, "threads": self._layout.cpus}
        return ClusterWorkers(self._pool, EmbedSetup(arguments, self._embedder.model), finished)

    def close(self) -> None:
        """Abandon what is under way and disconnect."""
        if self._pool:
            self._pool.stop()
        self._connection.close()

    def _admit(self, pool: WorkerPool, worker: RemoteCall, answered: Future[dict[str, str]]) -> None:
        """Give work to a worker that runs the same code as this process."""
        error = answered.exception()
        if error is None and answered.result() == code_versions():
            pool.add(worker)
            return
        refusal = _refusal(error, {} if error else answered.result())
        if not pool.has_worker.is_set():
            self._failure = refusal
            pool.has_worker.set()
        elif not self._failure:
            logger.warning("a worker is not used: %s", refusal)


def _refusal(error: BaseException | None, versions: Mapping[str, str]) -> BookwiseError:
    if error is None:
        pairs = [(name, versions.get(name), value) for name, value in code_versions().items()]
        differ = ", ".join(f"{name} {there}, here {here}" for name, there, here in pairs if there != here)
        return ConfigurationError(
            f"the Ray cluster runs a different version of bookwise ({differ}); install the same version there"
        )
    reason = " ".join(str(error).split())
    if _IS_MISSING in reason:
        return ConfigurationError(
            "this version of bookwise is not installed on the Ray cluster; install it on its machines"
        )
    return ClusterError(f"cannot start a worker on the Ray cluster: {reason[-300:]}")
