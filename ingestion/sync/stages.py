"""Chunking, embedding and writing at the same time: groups of files come out embedded, in the order they went in.

Chunking runs ahead on one thread, requests to the embedder on others; the store is touched only here and by the
writer, on the caller's thread. What waits is bounded, so that memory does not grow with the book.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import Embedder
from ingestion.embedding.workers import StartWorkers
from ingestion.errors import LessonError
from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts
from ingestion.sync.embed_scheduler import EmbedRequests, Request
from ingestion.sync.file_groups import ChunkedFile, ChunkGroup, compare_group
from ingestion.sync.known_vectors import KnownVectors, VectorCache
from ingestion.sync.read_ahead import running_ahead
from ingestion.vector_stores.protocol import VectorStore

if TYPE_CHECKING:
    from ingestion.models import Vector

GROUPS_AHEAD = 2
CHUNKS_AHEAD = 4096
"""Chunks that may wait to be written: five full requests of 400 tokens a chunk, or two of the most texts."""


@dataclass(frozen=True, slots=True)
class EmbeddedGroup:
    """Files ready to be written; `refused` holds why a text has no vector, by embed key."""

    files: list[ChunkedFile]
    vectors: Mapping[str, Vector]
    refused: Mapping[str, str]

    @property
    def failures(self) -> list[LessonError]:
        """One for each file with a text that was refused, at the first such text."""
        at_fault = ((file, self._first_refused(file)) for file in self.files)
        return [
            LessonError(file.plan.facts.path, self.refused[chunk.embed_key], chunk.metadata.line_start)
            for file, chunk in at_fault
            if chunk
        ]

    @property
    def embedded(self) -> list[ChunkedFile]:
        """The files whose texts all have vectors."""
        return [file for file in self.files if not self._first_refused(file)]

    def _first_refused(self, file: ChunkedFile) -> DocumentChunk | None:
        return next((chunk for chunk in file.chunks.write if chunk.embed_key in self.refused), None)


@dataclass(frozen=True, slots=True)
class _Waiting:
    files: list[ChunkedFile]
    there: Mapping[str, Vector]
    requests: Mapping[str, Request]

    @property
    def size(self) -> int:
        return sum(len(file.wanted) for file in self.files)

    @property
    def ready(self) -> bool:
        return all(request.done for request in self.requests.values())

    def embedded(self, error: BaseException | None) -> EmbeddedGroup:
        """Raises `error`, the first there was, if a request of the group failed."""
        by_key = self.requests.items()
        if error and any(request.error for _, request in by_key):
            raise error
        vectors = {key: request.vectors[key] for key, request in by_key if key in request.vectors}
        refused = {key: request.refused[key] for key, request in by_key if key in request.refused}
        return EmbeddedGroup(self.files, {**self.there, **vectors}, refused)


@contextmanager
def embedded_groups(
    groups: Iterator[ChunkGroup],
    *,
    store: VectorStore,
    embedder: Embedder,
    cache: VectorCache | None,
    known: KnownVectors,
    counts: ChunkCounts,
    on_reply: Callable[[], None],
    apart: StartWorkers | None = None,
) -> Iterator[Iterator[EmbeddedGroup]]:
    """The groups in order, each as soon as all its texts are embedded; by the next, it must be written.

    The iterator raises the error of the first request that failed for good, after all groups that need none of it.
    `on_reply` is called whenever a request came back; `apart` is EmbedRequests'. Leaving the block ends all that runs
    beside.
    """
    with running_ahead(groups, GROUPS_AHEAD) as chunked, EmbedRequests(embedder, cache, counts, apart) as requests:
        compared = (compare_group(group, store) for group in chunked)
        yield _in_order(compared, known, requests, counts, on_reply)


def _in_order(
    groups: Iterator[list[ChunkedFile]],
    known: KnownVectors,
    requests: EmbedRequests,
    counts: ChunkCounts,
    on_reply: Callable[[], None],
) -> Iterator[EmbeddedGroup]:
    waiting: deque[_Waiting] = deque()
    ahead, more = 0, True
    while more or waiting:
        requests.settle()
        ready = bool(waiting) and waiting[0].ready
        # Writing comes first, unless the embedder would be idle meanwhile: a write outlasts some rounds of requests.
        if more and ahead < CHUNKS_AHEAD and requests.want_more(4 if ready else 8):
            if group := next(groups, None):
                waiting.append(_look_up(group, known, requests, counts))
                ahead += waiting[-1].size
            else:
                more = False
                requests.send()
        elif ready:
            first = waiting.popleft()
            yield first.embedded(requests.error)
            requests.forget(first.requests)
            ahead -= first.size
        elif requests.unfinished:
            requests.settle(wait=True)
            on_reply()
        elif requests.error and not waiting:
            raise requests.error
        else:
            requests.send()


def _look_up(group: list[ChunkedFile], known: KnownVectors, requests: EmbedRequests, counts: ChunkCounts) -> _Waiting:
    """Take the vectors that are there, and ask for the others."""
    chunks = [chunk for file in group for chunk in file.chunks.write]
    there = known.of(chunks)
    new = [chunk for chunk in chunks if chunk.embed_key not in there]
    counts.reused += len(chunks) - len(new)
    return _Waiting(group, there, requests.add(new))
