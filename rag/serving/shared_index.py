"""The server's shared index: open until another process wants it, and writable by a run in the meantime.

Only one process at a time can open the embedded engine. All requests of the server share one opening, a run inside
the server writes through it too, and another process that waits gets its turn when nobody reads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from ingestion.books import book_to_read
from ingestion.embedding.protocol import Embedder
from ingestion.errors import ConfigurationError, UsageError, VectorStoreError
from ingestion.factory import embedder_of, generations_of, kind_of, open_index, remedy_of, settle_embedder
from ingestion.settings import Settings, override
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import Generations, OpenGenerations, PointReader, VectorStore
from ingestion.vector_stores.types import Schema, require_schema
from rag.filters import EVERYTHING, Filters
from rag.retrieval.page_table import PageTables
from rag.retrieval.rerankers import build_reranker
from rag.retrieval.retriever import Retriever
from rag.serving.embedders import SharedEmbedder


class SharedIndex:
    """One open index for all requests; used from one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = PageTables()
        self._embedder: Embedder | None = None
        self._making = threading.Lock()
        self._opening: asyncio.Task[VectorStore] | None = None
        self._books: dict[str | None, str] = {}
        self._users = 0
        self._one_at_a_time = asyncio.Lock()
        self._is_wanted = False
        self._looking: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def books(self) -> list[str]:
        """Return the ids of the books in the index; raises like `opened`."""
        async with self.opened() as store:
            return sorted(await asyncio.to_thread(store.values, "book_id", Where()))

    @asynccontextmanager
    async def embedder(self) -> AsyncIterator[Embedder]:
        """Yield the embedder of the index; raises like `opened`."""
        async with self.opened():
            assert self._embedder is not None
            yield self._embedder

    def embeds_here(self) -> bool:
        """Return whether questions are embedded by a model on this machine, not by a service."""
        return kind_of(settle_embedder(self.settings)) != "openai"

    @asynccontextmanager
    async def retriever(self, book_id: str | None, scope: Filters = EVERYTHING) -> AsyncIterator[Retriever]:
        """Yield a retriever on this book, or on the only one, for a caller who may see `scope`.

        Raises like `open_retriever`.
        """
        async with self.opened() as store:
            if book_id not in self._books:
                self._books[book_id] = await asyncio.to_thread(self._book_of, book_id, store)
            assert self._embedder is not None
            reranker = build_reranker(self.settings)
            yield Retriever(self.settings, store, self._embedder, self._books[book_id], reranker, scope)

    def _book_of(self, book_id: str | None, store: PointReader) -> str:
        if book_id is None:
            return book_to_read(self.settings, store)
        try:
            return book_to_read(override(self.settings, {"book.id": book_id}), store)
        except UsageError:
            # Not every caller may see the names of other books.
            raise UsageError(f"no book {book_id!r}") from None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[VectorStore]:
        """Return the open index; raises ConfigurationError if nothing is indexed, IndexInUse if it is locked.

        All waiting requests share one opening and its failure. Cancelling one of them does not stop it.
        """
        self._users += 1
        try:
            if self._opening is None:
                self._opening = asyncio.create_task(self._open())
                self._opening.add_done_callback(self._forget_failure)
            yield await asyncio.shield(self._opening)
        finally:
            self._users -= 1
            if self._is_wanted and not self._users:
                self._closing = asyncio.create_task(self.close())

    async def close(self) -> None:
        """Close the index, unless it is in use."""
        async with self._one_at_a_time:
            opening = self._opening
            if opening and opening.done() and not opening.exception() and not self._users:
                self._opening = None
                self._is_wanted = False
                self._books.clear()
                if self._looking:
                    self._looking.cancel()
                await asyncio.to_thread(opening.result().close)

    @asynccontextmanager
    async def for_writing(self) -> AsyncIterator[Generations]:
        """Return the generations for a run in this process, which writes to the index that readers have open."""
        generations = generations_of(self.settings)
        if await asyncio.to_thread(generations.active) is None:
            yield generations
            return
        async with self.opened() as store:
            try:
                yield generations.sharing(store)
            finally:
                # Closing saves its counts, compacts what has grown, and picks up a new generation.
                self._is_wanted = True
        await self.close()

    async def _open(self) -> VectorStore:
        async with self._one_at_a_time:
            generations = await asyncio.to_thread(generations_of, self.settings)
            store = await asyncio.to_thread(self._open_now, generations)
            self._looking = asyncio.create_task(self._look(generations, store))
            return store

    async def _look(self, generations: OpenGenerations, store: VectorStore) -> None:
        """Watch for a writer that waits for the index; the last reader then closes it."""
        while not self._is_wanted:
            await asyncio.sleep(generations.look_seconds)
            with suppress(VectorStoreError):  # as long as it can be read, there is no reason to close it
                self._is_wanted = await asyncio.to_thread(generations.should_close, store)
        if not self._users:
            self._closing = asyncio.create_task(self.close())

    def _forget_failure(self, opening: asyncio.Task[VectorStore]) -> None:
        if (opening.cancelled() or opening.exception()) and self._opening is opening:
            self._opening = None

    def _embedder_now(self) -> Embedder:
        with self._making:
            if self._embedder is None:
                self._embedder = SharedEmbedder(embedder_of(settle_embedder(self.settings)))
            return self._embedder

    def _open_now(self, generations: OpenGenerations) -> VectorStore:
        embedder = self._embedder_now()
        store = open_index(self.settings, generations)
        try:
            remedy = remedy_of(self.settings, store.schema.embedding)
            require_schema(store.schema, Schema(embedder.model, embedder.dimensions), remedy=remedy)
        except ConfigurationError:
            store.close()
            raise
        return store
