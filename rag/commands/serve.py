"""`bookwise serve`: the chat API with its page; what it needs is imported when it runs."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Book, Config, Docs
from ingestion.commands.terminal import note
from ingestion.extras import extra_needed
from rag.serving.sockets import listen, url_of
from rag.tracing import start_tracing

Host = Annotated[
    str,
    typer.Option("--host", metavar="ADDRESS", help="Address to listen on; other than loopback requires API keys."),
]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 selects a free one.")
]
RootPath = Annotated[
    str | None,
    typer.Option("--root-path", metavar="PATH", help="Path prefix used by a proxy, such as /book."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="Number of processes; more than one requires Qdrant."),
]


def serve(
    docs: Docs = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    root_path: RootPath = None,
    workers: Workers = None,
    book: Book = None,
    config: Config = None,
) -> None:
    """Serve the chat API and the chat page over HTTP.

    Runs until interrupted; answers in progress get 7 seconds to finish. With several workers, SIGHUP replaces them
    one by one.
    """
    with extra_needed("api", "the server needs"):
        from rag.api.http.logs import set_up_logging
        from rag.api.http.server import Recipe, check_workers, run
        from rag.conversations.api_keys import keys_required
    start_tracing(os.environ)
    flags = {"book.id": book, "api.root_path": root_path, "api.workers": workers}
    settings, root = read_book(docs, config, flags=flags)
    with_keys = keys_required(settings, host)
    check_workers(settings, with_keys=with_keys)
    set_up_logging(settings.api.log_format)
    with closing(listen(host, port)) as listening:
        address = f"{url_of(listening, host)}{settings.api.root_path}"
        recipe = Recipe(settings, root, open_to_all=not with_keys)
        run(recipe, listening, ready=lambda: note(f"serving on {address} ({_keys(with_keys)})"))


def _keys(required: bool) -> str:
    return "API key required" if required else "no API keys"
