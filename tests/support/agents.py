"""Agents over a few passages, with the scripted chat server behind the real SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from ingestion.embedding.minilm import MiniLm
from ingestion.embedding.protocol import Embedder
from ingestion.errors import UsageError
from ingestion.settings.loader import load_settings
from rag.agent.agent import Agent, FailureTeller, build_agent
from rag.agent.events import Done, Event, Replaced, Searched, Token
from rag.filters import Filters, SearchMode
from rag.models import AgentResponse, SearchResponse, SearchResult
from rag.query_text import TOO_SHORT, is_long_enough
from rag.retrieval.evidence import IsSettled
from tests.support.openai_chat import ChatServer, cites
from tests.support.passages import passage, response

MINILM = MiniLm(1)
"""The real one: what holds a sentence is decided by meaning too."""

PUMP = passage("The pump runs for five seconds.", rank=1, source_file="docs/a.md", page_title="Setup")
WAIT = passage(
    "Wait twenty seconds before the next reading.", rank=2, source_file="docs/b.md", page_title="Timing", score=0.5
)
RIGHT = cites("The pump runs for five seconds {0}.")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


class Shelf:
    """A retriever that finds the passages which share a long word with the query, and keeps what it was asked."""

    def __init__(self, *passages: SearchResult, embedder: Embedder | None = None, **settings: Any) -> None:
        self.settings = load_settings(settings, environ={})
        self.embedder = embedder or MINILM
        self.queries: list[str] = []
        self.limits: list[int] = []
        self.filters: list[Filters] = []
        self._passages = passages

    def beside(self, passages: Sequence[SearchResult]) -> tuple[SearchResult, ...]:
        return ()

    def heeded(self, question: str, passage: SearchResult, is_settled: IsSettled) -> float:
        return 1.0

    def search(
        self,
        text: str,
        *,
        limit: int,
        filters: Filters,
        mode: SearchMode = "hybrid",
        min_score: float = 0.0,
        to_answer: bool = False,
    ) -> SearchResponse:
        if not is_long_enough(text):
            raise UsageError(f"text: {TOO_SHORT}")
        self.queries.append(text)
        self.limits.append(limit)
        self.filters.append(filters)
        words = _words(text)
        found = [each for each in self._passages if words & _words(each.text) and each.score >= min_score]
        return response(*found[:limit]).model_copy(update={"query": text, "total_found": len(self._passages)})


def _words(text: str) -> set[str]:
    return {word for word in text.lower().replace(".", "").split() if len(word) > 3}


def shelf_for(server: ChatServer | None, *passages: SearchResult, **settings: Any) -> Shelf:
    """A shelf whose settings name the server, PUMP and WAIT on it unless others are given."""
    service = {"openai.base_url": server.base_url} if server else {}
    return Shelf(*(passages or (PUMP, WAIT)), **service, **settings)


def play(
    shelf: Shelf,
    question: str,
    history: Sequence[Any] = (),
    tell_failure: FailureTeller | None = None,
    **options: Any,
) -> list[Event]:
    """All events of one question."""

    async def run() -> list[Event]:
        agent: Agent = build_agent(shelf, tell_failure=tell_failure)  # type: ignore[arg-type]
        async with aclosing(agent), aclosing(agent.run(question, history, **options)) as events:
            return [event async for event in events]

    return asyncio.run(run())


def ask(shelf: Shelf, question: str = "How long does the pump run ?", **options: Any) -> AgentResponse:
    """The response; holds that the events are in order and that the tokens are the answer."""
    *before, last = play(shelf, question, **options)
    assert isinstance(last, Done) and isinstance(before[0], Searched)
    tokens = [event.text for event in before if isinstance(event, Token)]
    replaced = [event.text for event in before if isinstance(event, Replaced)]
    assert all(tokens) and ("".join(replaced) or "".join(tokens)) == last.response.answer
    return last.response


def tool_messages(server: ChatServer) -> list[dict[str, str]]:
    """What the tool's answers said to the model, as of its last request."""
    return [json.loads(each["content"]) for each in server.requests[-1].body["messages"] if each["role"] == "tool"]
