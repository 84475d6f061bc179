"""`bookwise keys`: manage API keys."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.terminal import Config, Json, read_settings, show

keys = typer.Typer(help="Manage API keys and what they may access.", no_args_is_help=True)


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
    from rag.conversations.api_keys import KeyStore
    from rag.conversations.database import database_of

    with closing(database_of(read_settings(config))) as database:
        key, secret = KeyStore(database).add(
            name, books=tuple(book or ()), highest_tier=highest_tier, is_public=public
        )
    show([f"{secret}\nkey {key.key_id} for {name}"], {"key_id": key.key_id, "secret": secret}, as_json=as_json)


@keys.command("list")
def list_keys(config: Config = None, as_json: Json = False) -> None:
    """Show every key without its secret."""
    from ingestion.output import Table
    from rag.conversations.api_keys import KeyStore
    from rag.conversations.database import database_of

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
    from rag.conversations.api_keys import KeyStore
    from rag.conversations.database import database_of

    with closing(database_of(read_settings(config))) as database:
        KeyStore(database).revoke(key_id)
    typer.echo(f"revoked {key_id}")
