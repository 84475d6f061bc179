"""The commands of the chat API: serve and keys; what they need is imported when they run."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Book, Config, Docs
from ingestion.commands.terminal import note
from ingestion.errors import ConfigurationError
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
    book: Book = None,
    config: Config = None,
) -> None:
    """Serve the chat API and the chat page over HTTP.

    Runs until interrupted; streams get 10 seconds to end.
    """
    try:
        from rag.api.app import create_app
        from rag.api.http.logs import log_as_json
        from rag.api.http.server import run
        from rag.conversations.api_keys import are_asked_for
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; the server needs the extra: pip install 'bookwise[api]'"
        ) from error
    start_tracing(os.environ)
    settings, root = read_book(docs, config, flags={"book.id": book})
    with_keys = are_asked_for(settings, host)
    app = create_app(settings, root, open_to_all=not with_keys)
    log_as_json()
    with closing(listen(host, port)) as listening:
        asked = "API key required" if with_keys else "no API keys"
        note(f"serving on {url_of(listening, host)} ({asked})")
        run(app, listening)
