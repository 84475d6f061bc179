"""Requests to the embedder: texts packed in order, several requests at once, beside the thread that writes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from ingestion.embedding.batching import Batcher, Limits
from ingestion.embedding.protocol import Embedder
from ingestion.embedding.workers import Call, CallResult, StartWorkers, ThreadWorkers, Workers
from ingestion.models import DocumentChunk, utc_now
from ingestion.report import ChunkCounts
from ingestion.sync.known_vectors import VectorCache
from ingestion.tokens import count_tokens

if TYPE_CHECKING:
    from ingestion.models import Vector

logger = logging.getLogger(__name__)

SLOW_SECONDS = 10.0
"""After which a run that waits says so, once."""


@dataclass(slots=True, eq=False)
class Request:
    """Texts that are embedded in one call. `vectors` and `refused` (the reason) are by embed key, once `done`.

    `tokens` is what each text has, by embed key. `embedded_at` is when the vectors came.
    """

    chunks: list[DocumentChunk] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    embedded_at: str = ""
    error: BaseException | None = None
    done: bool = False

    def take(self, done: CallResult) -> None:
        """Take in what came of the call."""
        keys = [chunk.embed_key for chunk in self.chunks]
        rows = (row for piece in done.pieces for row in piece)
        self.vectors = {keys[position]: row for position, row in zip(done.accepted, rows, strict=True)}
        self.refused = {keys[position]: reason for position, reason in done.refused.items()}
        self.embedded_at = utc_now()
        self.error = done.error
        self.done = True


class EmbedRequests:
    """Sends each text once, in as few requests as the `limits` (the embedder's) allow, `in_flight` at a time.

    All methods are for one thread. Vectors go to the cache when they are taken in. After the first request that
    failed for good no other is sent: all that wait fail too, and `error` is the first one's. `unfinished` counts
    the requests that were sent and did not come back. `elsewhere` starts workers on other machines, once
    there is more than one request: for a single one, that takes longer than it saves.
    """

    def __init__(
        self,
        embedder: Embedder,
        cache: VectorCache | None,
        elsewhere: StartWorkers | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._limits = limits or embedder.limits
        self.unfinished = 0
        self.error: BaseException | None = None
        self.model = embedder.model
        self._embedder = embedder
        self._elsewhere = elsewhere
        self._cache = cache
        self._embedded = 0
        self._reused = 0
        self._tokens = 0
        self._is_told = False
        self._batcher: Batcher[DocumentChunk] = Batcher(self._limits)
        self._filling = Request()
        self._by_key: dict[str, Request] = {}
        self._calls = 0
        self._sent: dict[int, Request] = {}
        self._finished: SimpleQueue[CallResult] = SimpleQueue()
        self._workers: Workers | None = None

    def __enter__(self) -> EmbedRequests:
        return self

    def __exit__(self, *exc: object) -> None:
        """Drop what was not sent, give what is under way a moment, and count what came back."""
        if self._workers:
            self._workers.stop()
        self.settle()

    @property
    def counts(self) -> ChunkCounts:
        """Return the texts embedded so far, their tokens, and how often one was asked for again."""
        return ChunkCounts(embedded=self._embedded, reused=self._reused, tokens=self._tokens)

    def want_more(self, rounds: int) -> bool:
        """Return whether fewer requests are under way or waiting than keep the embedder busy for so many rounds."""
        return self.error is None and self.unfinished < rounds * self._limits.in_flight

    def add(self, chunks: Iterable[DocumentChunk]) -> dict[str, Request]:
        """Return the requests that embed these chunks, by embed key; a text that is already in one is not added
        again.
        """
        asked = list(chunks)
        for chunk, tokens in zip(asked, count_tokens([chunk.embed_text for chunk in asked]), strict=True):
            if chunk.embed_key in self._by_key:
                self._reused += 1
            else:
                self._by_key[chunk.embed_key] = self._pack(chunk, tokens)
        return {chunk.embed_key: self._by_key[chunk.embed_key] for chunk in asked}

    def forget(self, keys: Iterable[str]) -> None:
        """Forget texts that are in the index now: whoever needs them again finds them there."""
        for key in keys:
            self._by_key.pop(key, None)

    def send(self) -> None:
        """Send what is packed, full or not."""
        if self._batcher.rest():
            self._send()

    def settle(self, *, wait: bool = False) -> None:
        """Take in the requests that are finished; with `wait`, until there is at least one."""
        made: dict[str, Vector] = {}
        while self.unfinished:
            try:
                done = self._finished.get(block=wait, timeout=None if self._is_told else SLOW_SECONDS)
            except Empty:
                if not wait:
                    break
                self._is_told = True
                logger.warning("no response from the embedder for %.0f s; still waiting", SLOW_SECONDS)
                continue
            wait = False
            request = self._sent.pop(done.number)
            request.take(done)
            self.unfinished -= 1
            self.error = self.error or request.error
            self._embedded += len(request.vectors)
            self._tokens += sum(request.tokens[key] for key in request.vectors)
            made |= request.vectors
        if made and self._cache:
            self._cache.put(made)

    def _pack(self, chunk: DocumentChunk, tokens: int) -> Request:
        """Put the chunk into the request that is being filled, after sending that if it is full."""
        if reason := self._limits.refuse(tokens):
            return Request([chunk], refused={chunk.embed_key: reason}, done=True)
        if self._batcher.add(chunk, tokens):
            if self._elsewhere and not self._workers:
                self._workers = self._elsewhere(self._finished)
            self._send()
        self._filling.chunks.append(chunk)
        self._filling.tokens[chunk.embed_key] = tokens
        return self._filling

    def _send(self) -> None:
        self._workers = self._workers or ThreadWorkers(self._embedder, self._finished)
        request, self._filling = self._filling, Request()
        self._calls += 1
        self._sent[self._calls] = request
        self.unfinished += 1
        self._workers.send(Call(self._calls, [chunk.embed_text for chunk in request.chunks]))
