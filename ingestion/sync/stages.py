"""Embed groups of files while others are written: they come out in the order they went in.

Requests to the embedder run on threads or on other machines; the store is touched only here and by the writer, on
the caller's thread. What waits is bounded, so that memory does not grow with the book.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ingestion.errors import LessonError
from ingestion.models import DocumentChunk, EmbeddedChunk
from ingestion.report import ChunkCounts
from ingestion.sync.embed_scheduler import EmbedRequests, Request
from ingestion.sync.file_groups import ComparedFile, ComparedGroup
from ingestion.sync.known_vectors import KnownVector, KnownVectors

CHUNKS_AHEAD = 4096
"""Chunks that may wait to be written: five full requests of 400 tokens a chunk, or two of the most texts."""


@dataclass(frozen=True, slots=True)
class EmbeddedGroup:
    """Files ready to be written: their embedded chunks by id, and why a text has no vector by embed key."""

    group: ComparedGroup
    chunks: Mapping[str, EmbeddedChunk]
    refused: Mapping[str, str]

    @property
    def failures(self) -> list[LessonError]:
        """Return the group's failures, and one for each file with a text that was refused, at the first such text."""
        at_fault = ((file, self._first_refused(file)) for file in self.group.files)
        return [
            *self.group.failures,
            *(
                LessonError(file.path, self.refused[chunk.embed_key], chunk.metadata.line_start)
                for file, chunk in at_fault
                if chunk
            ),
        ]

    @property
    def embedded(self) -> list[ComparedFile]:
        """Return the files whose texts all have vectors."""
        return [file for file in self.group.files if not self._first_refused(file)]

    def _first_refused(self, file: ComparedFile) -> DocumentChunk | None:
        return next((chunk for chunk in file.diff.write if chunk.embed_key in self.refused), None)


@dataclass(frozen=True, slots=True)
class _Waiting:
    group: ComparedGroup
    known: Mapping[str, KnownVector]
    requests: Mapping[str, Request]

    @property
    def size(self) -> int:
        return sum(len(file.chunks) for file in self.group.files)

    @property
    def ready(self) -> bool:
        return all(request.done for request in self.requests.values())

    def embedded(self, error: BaseException | None, model: str) -> EmbeddedGroup:
        """Raise `error`, the first there was, if a request of the group failed."""
        if error and any(request.error for request in self.requests.values()):
            raise error
        vectors, refused = dict(self.known), dict[str, str]()
        for key, request in self.requests.items():
            if key in request.vectors:
                vectors[key] = KnownVector(request.vectors[key], request.embedded_at)
            elif key in request.refused:
                refused[key] = request.refused[key]
        chunks = {
            chunk.id: EmbeddedChunk(
                chunk=chunk, embedding=known.vector, embedding_model=model, embedded_at=known.embedded_at
            )
            for chunk in self.group.to_write
            if (known := vectors.get(chunk.embed_key))
        }
        return EmbeddedGroup(self.group, chunks, refused)


class EmbeddingStage:
    """Embeds groups and yields each in order, as soon as all its texts have vectors; by the next, it must be written.

    `on_reply` is called whenever a request came back.
    """

    def __init__(self, requests: EmbedRequests, known: KnownVectors, on_reply: Callable[[], None]) -> None:
        self._requests = requests
        self._known = known
        self._on_reply = on_reply
        self._reused = 0

    @property
    def counts(self) -> ChunkCounts:
        """Return what was embedded and reused so far."""
        return self._requests.counts + ChunkCounts(reused=self._reused)

    def run(self, groups: Iterator[ComparedGroup]) -> Iterator[EmbeddedGroup]:
        """Yield the groups embedded.

        Raises the error of the first request that failed for good, after all groups that need none of it.
        """
        requests = self._requests
        waiting: deque[_Waiting] = deque()
        ahead, more = 0, True
        while more or waiting:
            requests.settle()
            ready = bool(waiting) and waiting[0].ready
            if more and self._has_room(ahead, ready):
                if group := next(groups, None):
                    waiting.append(self._look_up(group))
                    ahead += waiting[-1].size
                else:
                    more = False
                    requests.send()
            elif ready:
                first = waiting.popleft()
                yield first.embedded(requests.error, requests.model)
                requests.forget(first.requests)
                ahead -= first.size
            else:
                self._go_on(is_last=not waiting)

    def _has_room(self, ahead: int, ready: bool) -> bool:
        """Return whether to look up a group: writing comes first, unless the embedder would be idle meanwhile."""
        return ahead < CHUNKS_AHEAD and self._requests.want_more(4 if ready else 8)

    def _go_on(self, is_last: bool) -> None:
        """Wait for a reply, or send what has not been sent; raises the error of a request once nothing else waits."""
        requests = self._requests
        if requests.unfinished:
            requests.settle(wait=True)
            self._on_reply()
        elif requests.error and is_last:
            raise requests.error
        else:
            requests.send()

    def _look_up(self, group: ComparedGroup) -> _Waiting:
        """Take the vectors that are known, and ask for the others."""
        chunks = group.to_write
        known = self._known.of(chunks)
        new = [chunk for chunk in chunks if chunk.embed_key not in known]
        self._reused += len(chunks) - len(new)
        return _Waiting(group, known, self._requests.add(new))
