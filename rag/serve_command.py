"""The commands of the chat API: serve and keys; what they need is imported when they run."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ingestion.errors import ConfigurationError
from ingestion.terminal import Book, Config, Json, read_book, read_settings, show
from rag.listening import listen, url_of
from rag.tracing import start_tracing

keys = typer.Typer(help="API keys: who may ask, and within which fences.", no_args_is_help=True)


def serve(
    docs: Annotated[Path | None, typer.Argument(help="Folder of the lessons, for POST /ingest.")] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; beyond loopback keys are needed.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")] = 8000,
    book: Book = None,
    config: Config = None,
) -> None:
    """Serve the chat API until interrupted; streams get 10 seconds to end."""
    try:
        from rag.api.app import create_app
        from rag.api.logs import log_as_json
        from rag.api.serving import run
        from rag.keys import are_asked_for
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; the server needs the extra: pip install 'bookwise[api]'"
        ) from error
    start_tracing(os.environ)
    settings, root = read_book(docs, config, book_id=book)
    with_keys = are_asked_for(settings, host)
    app = create_app(settings, root, open_to_all=not with_keys)
    log_as_json()
    with closing(listen(host, port)) as listening:
        asked = "keys are asked for" if with_keys else "no keys"
        typer.echo(f"serving on {url_of(listening, host)} ({asked})", err=True)
        run(app, listening)


@keys.command("add")
def add_key(
    name: str,
    book: Annotated[list[str] | None, typer.Option("--book", help="Only this book; may be repeated.")] = None,
    highest_tier: Annotated[int, typer.Option("--highest-tier", min=1, max=4, help="No tier above it.")] = 4,
    public: Annotated[bool, typer.Option("--public", help="For a page that all can read: lists no threads.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Make a key and show its secret, this once."""
    from rag.database import database_of
    from rag.keys import KeyStore

    with closing(database_of(read_settings(config))) as database:
        key, secret = KeyStore(database).add(
            name, books=tuple(book or ()), highest_tier=highest_tier, is_public=public
        )
    show([f"{secret}\nkey {key.key_id} for {name}"], {"key_id": key.key_id, "secret": secret}, as_json=as_json)


@keys.command("list")
def list_keys(config: Config = None, as_json: Json = False) -> None:
    """Show every key without its secret."""
    from ingestion.views import Table
    from rag.database import database_of
    from rag.keys import KeyStore

    with closing(database_of(read_settings(config))) as database:
        found = KeyStore(database).list()
    rows = [
        {
            "key_id": each.key_id,
            "name": each.name,
            "books": ", ".join(each.books) or "all",
            "highest_tier": each.highest_tier,
            "public": "yes" if each.is_public else "no",
            "created_at": each.created_at.isoformat(timespec="seconds"),
            "status": "revoked" if each.revoked_at else "in use",
        }
        for each in found
    ]
    names = ("key_id", "name", "books", "highest_tier", "public", "created_at", "status")
    table = Table("keys", names, [tuple(row.values()) for row in rows])
    show([table] if rows else ["No keys; make one with `bookwise keys add NAME`."], {"keys": rows}, as_json=as_json)


@keys.command("revoke")
def revoke_key(key_id: str, config: Config = None) -> None:
    """Refuse a key from now on; a running server notices within five seconds."""
    from rag.database import database_of
    from rag.keys import KeyStore

    with closing(database_of(read_settings(config))) as database:
        KeyStore(database).revoke(key_id)
    typer.echo(f"revoked {key_id}")
