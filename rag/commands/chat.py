"""The command for a conversation: chat, on a terminal or with one question per line from a pipe."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, aclosing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config
from ingestion.commands.terminal import is_interactive, note, print_error, show, write
from ingestion.errors import BookwiseError
from ingestion.output import Block
from rag.commands.ask import CiteAs, MaxSearches, NoModel
from rag.commands.filter_options import with_filters
from rag.commands.search import Ranking
from rag.filters import NO_FILTERS, Filters

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.conversations.session import ChatSession, KeptThread

GREETING = "Ask about the book; /help lists the commands."
FULL = "Turn limit reached (AGENT_MAX_TURNS); start a new conversation with /new."


@with_filters()
def chat(
    book: Book = None,
    filters: Filters = NO_FILTERS,
    ranking: Ranking = "hybrid",
    no_llm: NoModel = False,
    max_searches: MaxSearches = None,
    cite_style: CiteAs = "number",
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="UUID",
            help="Save or resume the conversation with this UUID; `new` starts one.",
        ),
    ] = None,
    config: Config = None,
) -> None:
    """Chat about the book.

    Follow-up questions use the conversation so far.
    """
    import asyncio

    from rag.agent.agent import build_agent
    from rag.conversations.session import ChatSession
    from rag.retrieval.retriever import open_retriever

    settings = read_settings(config, flags={"book.id": book, "agent.max_searches": max_searches})
    with open_retriever(settings) as retriever, _thread(settings, session) as thread:
        agent = build_agent(retriever, with_model=not no_llm)
        talk = ChatSession(agent, filters, settings.agent.max_turns, write, cite_style, thread, ranking)
        if thread:
            talk.messages = thread.messages()
            note(f"session {thread.thread_id}, {talk.turns} turns so far")
        asyncio.run(_converse(talk, settings))


def _thread(settings: Settings, session: str | None) -> AbstractContextManager[KeptThread | None]:
    if session is None:
        return nullcontext()
    from rag.conversations.session import open_thread

    return open_thread(settings, session)


async def _converse(session: ChatSession, settings: Settings) -> None:
    async with aclosing(session.agent), aclosing(_lines(settings)) as lines:
        async for line in lines:
            text = line.strip()
            if text == "/quit":
                return
            if text.startswith("/"):
                _obey(text, session)
            elif text:
                await _answer(text, session)


async def _answer(question: str, session: ChatSession) -> None:
    """Answer one question; show an error and continue the conversation if it fails."""
    from rag.views import refusal_note, sources_view

    if session.is_full:
        note(FULL)
        return
    try:
        response = await session.ask(question)
    except BookwiseError as error:
        print_error(f"error: {error}", error.hint)
        return
    show(["", *sources_view(response), ""], {}, as_json=False)
    if response.state in ("no_results", "error"):
        note(refusal_note(response))


def _obey(text: str, session: ChatSession) -> None:
    """Run a slash command."""
    from rag.conversations.session import HELP

    word, _, rest = text.partition(" ")
    commands: dict[str, Callable[[], str]] = {
        "/help": lambda: HELP,
        "/sources": lambda: _sources(session),
        "/searches": lambda: _searches(session),
        "/filters": lambda: session.filters.describe(),
        "/new": lambda: _new(session),
        "/save": lambda: _save(session, rest.strip()),
    }
    run = commands.get(word)
    if run is None:
        note(f"unknown command {word}; choose {', '.join(commands)} or /quit")
    else:
        show([Block(run())], {}, as_json=False)


def _sources(session: ChatSession) -> str:
    from rag.views import sources_view

    lines = [str(part) for part in sources_view(session.last)] if session.last else []
    return "\n".join(lines).strip() or "The last answer has no sources."


def _searches(session: ChatSession) -> str:
    return (
        "\n".join(
            f"{search.query!r}: {len(search.passages)} passages, mean score {search.average_score:.2f}"
            for search in session.searches
        )
        or "No searches yet."
    )


def _new(session: ChatSession) -> str:
    session.begin()
    kept = f", session {session.thread.thread_id}" if session.thread else ""
    return f"A new conversation{kept}."


def _save(session: ChatSession, name: str) -> str:
    if not name:
        return "Usage: /save FILE"
    try:
        Path(name).write_text(session.as_markdown(), encoding="utf-8")
    except OSError as error:
        return f"{name}: {error.strerror}"
    return f"Saved {session.turns} turns to {name}."


async def _lines(settings: Settings) -> AsyncGenerator[str]:
    """Yield the lines typed or piped in; ends with the input, with Ctrl-D, and with Ctrl-C twice."""
    if not is_interactive():
        for line in sys.stdin:
            yield line
        return
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    note(GREETING)
    prompt: PromptSession[str] = PromptSession(
        "> ", history=FileHistory(str(Path(settings.index.directory) / "chat_history"))
    )
    interrupted = False
    while True:
        try:
            line = await prompt.prompt_async()
        except KeyboardInterrupt:
            if interrupted:
                return
            interrupted = True
            note("line cleared; press Ctrl-C again to exit")
        except EOFError:
            return
        else:
            interrupted = False
            yield line
