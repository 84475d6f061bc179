"""Answer once at start, so that the first question takes no longer than the second."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from rag.agent.agent import Agent
from rag.retrieval.abandonment import in_thread
from rag.serving.shared_index import SharedIndex

QUESTION = "What does this book say of its subject?"


async def rehearse(index: SharedIndex) -> None:
    """Open the index and make one answer that nobody sees; raises BookwiseErrors.

    Makes no call to an embedding service: then the book is searched by words only.
    """
    books = await index.books()
    wanted = index.settings.book.id
    # Any book will do: they share model, store and code.
    for book_id in [wanted] if wanted in books else books[:1]:
        async with index.retriever(book_id) as retriever:
            if not await asyncio.to_thread(index.embeds_here):
                await in_thread(retriever.search_words, QUESTION, limit=1)
                continue
            async with aclosing(Agent(retriever, None).run(QUESTION)) as events:
                async for _ in events:
                    pass
