"""The command that answers one question: ask."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import note, show, write
from ingestion.errors import ExitCode
from rag.commands.filter_options import with_filters
from rag.commands.search import Question, Ranking, question_of
from rag.filters import NO_FILTERS, Filters, SearchMode
from rag.grounding.citations import CiteStyle

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.models import AgentResponse


NoModel = Annotated[bool, typer.Option("--no-llm", help="Quote the book instead of using the language model.")]
MaxSearches = Annotated[
    int | None,
    typer.Option("--max-searches", metavar="N", min=1, max=20, help="Maximum searches by the model per answer."),
]
TopK = Annotated[
    int | None, typer.Option("--top-k", metavar="N", min=1, max=100, help="Passages per search [default: 5].")
]
CiteAs = Annotated[
    CiteStyle, typer.Option("--cite-style", case_sensitive=False, help="Cite as [1] or as [Source: Page].")
]


@with_filters()
def ask(
    question: Question,
    book: Book = None,
    filters: Filters = NO_FILTERS,
    ranking: Ranking = "hybrid",
    no_llm: NoModel = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print the answer as it is written.")] = False,
    top_k: TopK = None,
    max_searches: MaxSearches = None,
    cite_style: CiteAs = "number",
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Answer a question from the book, with numbered sources.

    Exits with code 10 if the book has no answer.
    """
    import asyncio

    flags = {"book.id": book, "agent.max_searches": max_searches, "agent.top_k": top_k}
    settings = read_settings(config, flags=flags)
    streams = stream and not as_json
    response = asyncio.run(
        _answer(
            settings,
            question_of(question),
            filters,
            ranking,
            with_model=not no_llm,
            cite_style=cite_style,
            streams=streams,
        )
    )
    from rag.views import answer_view, refusal_note, sources_view

    view = ["", *sources_view(response)] if streams else answer_view(response)
    show(view, response.model_dump(mode="json"), as_json=as_json)
    if response.state in ("no_results", "error"):
        note(refusal_note(response))
        raise typer.Exit(ExitCode.NO_ANSWER)


async def _answer(
    settings: Settings,
    question: str,
    filters: Filters,
    mode: SearchMode,
    *,
    with_model: bool,
    cite_style: CiteStyle,
    streams: bool,
) -> AgentResponse:
    """Return the answer; with `streams` it is printed as it is written."""
    from ingestion.factory import embedder_ahead

    # Before the imports, so that both load at the same time: together they are most of the time to an answer.
    embedder = embedder_ahead(settings)
    from rag.agent.agent import build_agent
    from rag.agent.events import Done, Replaced, Token
    from rag.retrieval.retriever import open_retriever

    with open_retriever(settings, embedder) as retriever:
        agent = build_agent(retriever, with_model=with_model)
        async with (
            aclosing(agent),
            aclosing(agent.run(question, filters=filters, mode=mode, cite_style=cite_style)) as events,
        ):
            printed = ""
            async for event in events:
                if isinstance(event, Token) and streams:
                    write(event.text)
                    printed += event.text
                if isinstance(event, Replaced) and streams:
                    write(event.behind(printed))
                if isinstance(event, Done):
                    return event.response
    raise AssertionError("an agent ends with Done")
