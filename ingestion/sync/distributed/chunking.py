"""Chunk files on a cluster: this machine reads and sends them, so that no worker needs the book's folder."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ingestion.embedding.workers import handle_record
from ingestion.errors import LessonError, WorkerLost
from ingestion.settings import Settings, without_secrets
from ingestion.sync.chunked_files import ChunkedFile, ChunkJob, chunk_text, read_planned
from ingestion.sync.distributed.pool import WorkerPool
from ingestion.sync.distributed.worker import ChunkSetup, Reply

if TYPE_CHECKING:
    from ingestion.source.reader import SourceText

FILES_PER_BATCH = 16
BYTES_PER_BATCH = 1 << 18

Read = tuple[ChunkJob, "SourceText | LessonError"]


class ClusterChunker:
    """Chunks the files of one run, at most `batches_ahead` batches at a time; `share` puts the setup at hand once."""

    def __init__(
        self,
        pool: WorkerPool,
        share: Callable[[ChunkSetup], Any],
        settings: Settings,
        embedding: str,
        *,
        batches_ahead: int,
    ) -> None:
        self._pool = pool
        self._share = share
        self._settings = settings
        self._embedding = embedding
        self._batches_ahead = batches_ahead
        self._setup: Any = None

    def run(self, jobs: Iterable[ChunkJob]) -> Iterator[ChunkedFile | LessonError]:
        """Yield the files in order, chunked; as ChunkFiles says."""
        sent: deque[tuple[list[Read], Future[Reply]]] = deque()
        for batch in _batches(jobs):
            sent.append((batch, self._send(batch)))
            if len(sent) > self._batches_ahead:
                yield from self._results(*sent.popleft())
        while sent:
            yield from self._results(*sent.popleft())

    def _send(self, batch: Sequence[Read]) -> Future[Reply]:
        if self._setup is None:
            site = batch[0][0].file.site
            self._setup = self._share(ChunkSetup(without_secrets(self._settings), self._embedding, site))
        texts = [(job.plan, replace(text, site=None)) for job, text in batch if not isinstance(text, LessonError)]
        return self._pool.submit("chunk", self._setup, texts)

    def _results(self, batch: Sequence[Read], future: Future[Reply]) -> Iterator[ChunkedFile | LessonError]:
        try:
            reply = future.result()
        except WorkerLost as lost:
            if len(batch) == 1:
                yield LessonError(batch[0][0].plan.facts.path, f"cannot be chunked: {lost}")
            else:
                for one in batch:
                    yield from self._results([one], self._send([one]))
            return
        for record in reply.records:
            handle_record(record)
        chunked = iter(reply.value)
        for job, text in batch:
            yield text if isinstance(text, LessonError) else self._or_here(job, text, next(chunked))

    def _or_here(
        self, job: ChunkJob, text: SourceText, chunked: ChunkedFile | LessonError | None
    ) -> ChunkedFile | LessonError:
        """Chunk here what the worker could not: a page that includes files of the book's folder."""
        return chunked or chunk_text(job.plan, text, self._settings, self._embedding)


def _batches(jobs: Iterable[ChunkJob]) -> Iterator[list[Read]]:
    """Yield the files as they are read, in batches of bounded size."""
    batch: list[Read] = []
    size = 0
    for job in jobs:
        text = read_planned(job)
        batch.append((job, text))
        size += 0 if isinstance(text, LessonError) else len(text.data)
        if len(batch) == FILES_PER_BATCH or size >= BYTES_PER_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
