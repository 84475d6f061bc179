"""`bookwise serve`: the chat API with its page; what it needs is imported when it runs."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Book, Config, Docs
from ingestion.commands.terminal import note
from ingestion.errors import ConfigurationError
from ingestion.extras import install_command
from rag.serving.sockets import listen, url_of
from rag.tracing import start_tracing


def serve(
    docs: Docs = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Address to listen on; other than loopback requires API keys."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    root_path: Annotated[
        str | None,
        typer.Option("--root-path", metavar="PATH", help="Path under which a proxy serves it, such as /book."),
    ] = None,
    book: Book = None,
    config: Config = None,
) -> None:
    """Serve the chat API and the chat page over HTTP.

    Runs until interrupted; streams get 10 seconds to end.
    """
    try:
        from rag.api.app import create_app
        from rag.api.http.logs import set_up_logging
        from rag.api.http.metrics import serve_metrics
        from rag.api.http.server import run
        from rag.conversations.api_keys import keys_required
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; the server needs the extra: {install_command('api')}"
        ) from error
    start_tracing(os.environ)
    settings, root = read_book(docs, config, flags={"book.id": book, "api.root_path": root_path})
    with_keys = keys_required(settings, host)
    app = create_app(settings, root, open_to_all=not with_keys)
    set_up_logging(settings.api.log_format)
    with closing(listen(host, port)) as listening, serve_metrics(app.state.services.metrics, settings):
        note(f"serving on {url_of(listening, host)}{settings.api.root_path} ({_keys(with_keys)})")
        run(app, listening)


def _keys(required: bool) -> str:
    return "API key required" if required else "no API keys"
