"""The command that offers a book to agents over the Model Context Protocol: mcp."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config
from ingestion.commands.terminal import note
from ingestion.errors import VectorStoreError
from ingestion.extras import extra_needed
from rag.commands.ask import NoModel
from rag.commands.filter_options import with_filters
from rag.filters import NO_FILTERS, Filters

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.mcp.tools import BookTools
    from rag.serving.shared_index import SharedIndex


@with_filters("hardware_tier", "module", "proficiency_levels", "language")
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdin and stdout.")] = False,
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Address for --http; other than loopback requires API keys."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port for --http; 0 selects a free one.")
    ] = 8010,
    book: Book = None,
    filters: Filters = NO_FILTERS,
    no_llm: NoModel = False,
    config: Config = None,
) -> None:
    """Serve the book to agents over the Model Context Protocol.

    The tools are search_lessons, list_lessons, read_lesson and ask; lessons are resources. Callers cannot widen the
    filters.
    """
    import asyncio

    settings = read_settings(config, flags={"book.id": book})
    address = (host, port) if http else None
    asyncio.run(_serve(settings, filters, with_model=not no_llm, address=address))


async def _serve(settings: Settings, filters: Filters, *, with_model: bool, address: tuple[str, int] | None) -> None:
    """Serve until interrupted; `address` is the HTTP address."""
    with extra_needed("mcp", "`bookwise mcp` needs"):
        from rag.mcp.server import build_server
        from rag.mcp.tools import BookTools
        from rag.mcp.transports import serve_stdio
    from rag.serving.shared_index import SharedIndex

    index = SharedIndex(settings)
    try:
        if address is None:
            tools = BookTools(index, filters, with_model=with_model)
            await _check(tools)
            await serve_stdio(build_server(tools, filters))
        else:
            await _serve_http(index, filters, address, with_model=with_model)
    finally:
        await index.close()


async def _serve_http(index: SharedIndex, filters: Filters, address: tuple[str, int], *, with_model: bool) -> None:
    """Serve on this address: to anyone while no key is active, then to keys only."""
    from rag.api.http.auth import Authenticator
    from rag.api.http.outages import Outages
    from rag.api.http.threadpool import DatabaseThreads
    from rag.conversations.api_keys import keys_required
    from rag.conversations.database import database_of
    from rag.mcp.auth import QuestionLimits, behind_keys, tell_neutrally
    from rag.mcp.server import CallerRules, build_server
    from rag.mcp.tools import BookTools, tell_all
    from rag.mcp.transports import serve_http

    settings = index.settings
    with_keys = keys_required(settings, address[0])
    keys = "API key required" if with_keys else "no API keys"
    tools = BookTools(index, filters, with_model=with_model, tell_failure=tell_neutrally if with_keys else tell_all)
    await _check(tools, prepares=True)
    with closing(database_of(settings, lasting=False)) as database:
        access = Authenticator(settings, database, DatabaseThreads(), Outages(), open_to_all=not with_keys)
        rules = CallerRules(tell_neutrally, QuestionLimits(access)) if with_keys else CallerRules()
        await serve_http(
            behind_keys(access, lambda: tools.book_id, filters.hardware_tier, settings.api.trusted_proxies),
            build_server(tools, filters, rules),
            *address,
            ready=lambda url: note(f"serving MCP on {url} ({keys})"),
        )


async def _check(tools: BookTools, *, prepares: bool = False) -> None:
    """Fail on wrong settings and filters; an index that is locked or unreachable may come back."""
    try:
        await tools.check()
        if prepares:
            await tools.prepare()
    except VectorStoreError as error:
        note(f"warning: {error}; each call of a tool tries again")
