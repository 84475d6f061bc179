"""Ask an agent many questions one after another, as an evaluation does, over one connection to the language model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

from ingestion.errors import ChatModelError
from rag.agent.agent import Agent, build_agent
from rag.agent.events import Done
from rag.filters import Filters
from rag.models import AgentResponse

if TYPE_CHECKING:
    from rag.evaluation.run import Answerer
    from rag.retrieval.retriever import Retriever


@contextmanager
def open_answerer() -> Iterator[Answerer]:
    """Return an answerer with the configured language model, or one that quotes if there is none.

    After its first answer, a failure of the model becomes a response that reports it; before, the failure is raised,
    since the settings are then more likely wrong than the question.
    """
    agents: dict[str, Agent] = {}
    answered = False

    def answer(question: str, retriever: Retriever, filters: Filters) -> AgentResponse:
        nonlocal answered
        if retriever.book_id not in agents:
            agents[retriever.book_id] = build_agent(retriever)
        try:
            response = runner.run(_answer(agents[retriever.book_id], question, filters))
        except ChatModelError as error:
            if not answered:
                raise
            return AgentResponse.failed(question, retriever.settings.agent.model, str(error))
        answered |= response.metrics is not None and response.metrics.should_answer
        return response

    with asyncio.Runner() as runner:
        try:
            yield answer
        finally:
            for agent in agents.values():
                runner.run(agent.aclose())


async def _answer(agent: Agent, question: str, filters: Filters) -> AgentResponse:
    async with aclosing(agent.run(question, filters=filters)) as events:
        async for event in events:
            if isinstance(event, Done):
                return event.response
    raise AssertionError("an agent ends with Done")
