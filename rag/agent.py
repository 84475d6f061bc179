"""Answer a question from one book, as a stream of events, with a language model or without one.

    agent = build_agent(reader)
    async for event in agent.run("How do nodes talk?", history, {"hardware_tier_filter": 2}):
        match event:
            case Searched(query, passages): ...    # once for each search, at least once
            case Token(text): ...                  # the answer as it comes
            case Done(response): ...               # last: the whole answer, its sources, times and confidence

A refusal comes as Token and Done too, with state `no_results`. Failures are raised as BookwiseErrors, also after
Tokens: UsageError for a question or fence that cannot be used, ChatModelError, EmbeddingError, VectorStoreError.
To stop early, close the iterator (`aclose`) or cancel the task: the call to the model ends with it.
`history` are messages with `role` and `content`, oldest first, without the question.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from rag.events import Done, Event, Searched, Token
from rag.extract import quote
from rag.finding import Finder
from rag.history import PastMessage, last_question
from rag.reader import Reader


class Agent:
    """Answers from one book; one agent may run any number of questions at once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def run(
        self,
        question: str,
        history: Sequence[PastMessage] = (),
        fences: Mapping[str, Any] | None = None,
        *,
        top_k: int | None = None,
        min_score: float | None = None,
    ) -> AsyncGenerator[Event]:
        """Answer `question`. `fences` are fields of SearchQuery, which the model neither sees nor can widen.

        `top_k` (1–20) and `min_score` (0–1) are the caller's instead of the settings'.
        """
        started = time.perf_counter()
        settings = self._reader.settings
        finder = Finder(
            self._reader,
            fences or {},
            settings.agent_top_k if top_k is None else top_k,
            settings.agent_score_threshold if min_score is None else min_score,
        )
        finding = await asyncio.to_thread(finder.find_for, question, last_question(history))
        yield Searched(finding.response.query, finding.response.results)
        response = await asyncio.to_thread(quote, question, finding, self._reader.embedder, started=started)
        yield Token(response.answer)
        yield Done(response)


def build_agent(reader: Reader, *, with_model: bool | None = None) -> Agent:
    """An agent with the settings' language model if there is a key or service for it; `with_model` chooses itself."""
    return Agent(reader)
