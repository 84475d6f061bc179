"""The command that offers a book to agents over the Model Context Protocol: mcp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingestion.errors import ConfigurationError, VectorStoreError
from ingestion.terminal import Book, Config, read_settings
from rag.ask_command import NoModel
from rag.commands import Language, Levels, ModuleName, Tier

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.mcp_tools import BookTools

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of stdin and stdout.")] = False,
    host: Annotated[
        str, typer.Option("--host", help="Address for --http; there is no access control.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port for --http; 0 takes a free one.")
    ] = 8010,
    book: Book = None,
    tier: Tier = 1,
    module: ModuleName = None,
    level: Levels = None,
    language: Language = None,
    no_llm: NoModel = False,
    config: Config = None,
) -> None:
    """Offer the book to agents (Model Context Protocol): search_lessons, read_lesson and ask, inside the fences."""
    import asyncio

    settings = read_settings(config, book_id=book)
    fences = {
        "hardware_tier_filter": tier,
        "module_filter": module,
        "proficiency_levels": tuple(each.upper() for each in level) if level else None,
        "language": language,
    }
    address = (host, port) if http else None
    asyncio.run(_serve(settings, fences, with_model=not no_llm, address=address))


async def _serve(
    settings: Settings, fences: dict[str, Any], *, with_model: bool, address: tuple[str, int] | None
) -> None:
    """Serve until told to end; `address` is that for HTTP."""
    try:
        from rag.mcp_server import build_server
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; `bookwise mcp` needs the extra: pip install 'bookwise[mcp]'"
        ) from error
    from rag.api.index import SharedIndex
    from rag.mcp_tools import BookTools
    from rag.mcp_transports import serve_http, serve_stdio

    index = SharedIndex(settings)
    tools = BookTools(index, fences, with_model=with_model)
    try:
        await _check(tools)
        server = build_server(tools, fences)
        if address is None:
            await serve_stdio(server)
            return
        if address[0] not in LOOPBACK:
            typer.echo(
                f"{address[0]} is not loopback: whoever reaches it may ask, there is no access control", err=True
            )
        await serve_http(server, *address, ready=lambda url: typer.echo(f"serving MCP on {url}", err=True))
    finally:
        await index.close()


async def _check(tools: BookTools) -> None:
    """Wrong settings and fences end the command; an index that is in use or out of reach may come back."""
    try:
        await tools.check()
    except VectorStoreError as error:
        typer.echo(f"warning: {error}; each call of a tool tries again", err=True)
