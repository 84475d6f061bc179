"""Requests to the embedder: texts packed in order, several requests at once, beside the thread that writes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

from ingestion.embedders import Embedder
from ingestion.embedders.packing import Packer
from ingestion.errors import EmbeddingError, InputsRefused
from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts
from ingestion.tokens import count_tokens
from ingestion.vectors import VectorCache

if TYPE_CHECKING:
    from ingestion.models import Vector

SECONDS_TO_FINISH = 0.25
"""How long the requests under way are waited for when a run is stopped: what is paid for goes to the cache."""

REFUSED_IN_A_ROW = 8
"""So many texts refused one by one, and none accepted, are the service's fault and not theirs."""


@dataclass(slots=True, eq=False)
class Request:
    """Texts that are embedded in one call. `vectors` and `refused` (the reason) are by embed key, once `done`.

    `tokens` is what each text has, by embed key.
    """

    chunks: list[DocumentChunk] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    error: BaseException | None = None
    done: bool = False


class EmbedRequests:
    """Sends each text once, in as few requests as the embedder's limits allow, at most `in_flight` at a time.

    All methods are for one thread. Vectors go to the cache when they are taken in. After the first request that
    failed for good no other is sent: all that wait fail too, and `error` is the first one's. `unfinished` counts
    the requests that were sent and did not come back.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache | None, counts: ChunkCounts) -> None:
        self._limits = embedder.limits
        self.unfinished = 0
        self.error: BaseException | None = None
        self._embedder = embedder
        self._cache = cache
        self._counts = counts
        self._packer: Packer[DocumentChunk] = Packer(self._limits)
        self._filling = Request()
        self._by_key: dict[str, Request] = {}
        self._waiting: SimpleQueue[Request | None] = SimpleQueue()
        self._finished: SimpleQueue[Request] = SimpleQueue()
        self._stopped = Event()
        self._threads: list[Thread] = []

    def __enter__(self) -> EmbedRequests:
        return self

    def __exit__(self, *exc: object) -> None:
        """Drop what was not sent, give what is under way a moment, and count what came back."""
        self._stopped.set()
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + SECONDS_TO_FINISH
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.settle()

    def want_more(self, rounds: int) -> bool:
        """Whether fewer requests are under way or waiting than keep the embedder busy for so many rounds."""
        return self.error is None and self.unfinished < rounds * self._limits.in_flight

    def add(self, chunks: Iterable[DocumentChunk]) -> dict[str, Request]:
        """The requests that embed these chunks, by embed key; a text that is already in one is not added again."""
        asked = list(chunks)
        for chunk, tokens in zip(asked, count_tokens([chunk.embed_text for chunk in asked]), strict=True):
            if chunk.embed_key in self._by_key:
                self._counts.reused += 1
            else:
                self._by_key[chunk.embed_key] = self._pack(chunk, tokens)
        return {chunk.embed_key: self._by_key[chunk.embed_key] for chunk in asked}

    def forget(self, keys: Iterable[str]) -> None:
        """These texts are in the index now; whoever needs them again finds them there."""
        for key in keys:
            self._by_key.pop(key, None)

    def send(self) -> None:
        """Send what is packed, full or not."""
        if self._packer.rest():
            self._send()

    def settle(self, *, wait: bool = False) -> None:
        """Take in the requests that are finished; with `wait`, until there is at least one."""
        made: dict[str, Vector] = {}
        while self.unfinished:
            try:
                request = self._finished.get(block=wait)
            except Empty:
                break
            wait = False
            request.done = True
            self.unfinished -= 1
            self.error = self.error or request.error
            self._counts.embedded += len(request.vectors)
            self._counts.tokens += sum(request.tokens[key] for key in request.vectors)
            made |= request.vectors
        if made and self._cache:
            self._cache.put(made)

    def _pack(self, chunk: DocumentChunk, tokens: int) -> Request:
        """Put the chunk into the request that is being filled, after sending that if it is full."""
        if reason := self._limits.refuse(tokens):
            return Request([chunk], refused={chunk.embed_key: reason}, done=True)
        if self._packer.add(chunk, tokens):
            self._send()
        self._filling.chunks.append(chunk)
        self._filling.tokens[chunk.embed_key] = tokens
        return self._filling

    def _send(self) -> None:
        request, self._filling = self._filling, Request()
        self.unfinished += 1
        self._waiting.put(request)
        if len(self._threads) < min(self._limits.in_flight, self.unfinished):
            # Daemons: a request may wait for minutes, and an interrupted program does not.
            self._threads.append(Thread(target=self._work, name="embed", daemon=True))
            self._threads[-1].start()

    def _work(self) -> None:
        while (request := self._waiting.get()) is not None:
            try:
                if self._stopped.is_set():
                    raise EmbeddingError("not sent, as an earlier request failed")
                _embed(request, self._embedder)
            except BaseException as error:
                request.error = error
                self._stopped.set()
            self._finished.put(request)


def _embed(request: Request, embedder: Embedder) -> None:
    """Fill the request with vectors; texts that are refused are found by halving it again and again."""
    parts: list[Sequence[DocumentChunk]] = [request.chunks]
    while parts:
        part = parts.pop()
        try:
            rows = embedder.embed_documents([chunk.embed_text for chunk in part])
        except InputsRefused as refused:
            if len(part) > 1:
                half = len(part) // 2
                parts += [part[half:], part[:half]]
                continue
            request.refused[part[0].embed_key] = str(refused)
            if len(request.refused) == REFUSED_IN_A_ROW and not request.vectors:
                raise EmbeddingError(f"every text is refused, so the request must be wrong: {refused}") from refused
        else:
            request.vectors |= {chunk.embed_key: row for chunk, row in zip(part, rows, strict=True)}
