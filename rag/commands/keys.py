"""`bookwise keys`: manage API keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Config, Json, Yes
from ingestion.commands.parsing.program import Command, ListByDefault
from ingestion.commands.terminal import confirm, show, write
from ingestion.extras import extra_needed

if TYPE_CHECKING:
    from rag.conversations.database import ConversationDatabase

KeyId = Annotated[str, typer.Argument(metavar="KEY", help="Id of the key, from `keys list`.")]
User = Annotated[
    str | None,
    typer.Option(
        "--user", metavar="ID", help="Only this `user_id`, for applications that share one key between users."
    ),
]

keys = typer.Typer(cls=ListByDefault, help="Manage API keys and what they may access.")


@contextmanager
def _database(config: Path | None) -> Iterator[ConversationDatabase]:
    with extra_needed("api", "`bookwise keys` needs"):
        from rag.conversations.database import database_of
    with closing(database_of(read_settings(config))) as database:
        yield database


@keys.command("add", cls=Command)
def add_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who or what the key is for.")],
    book: Annotated[
        list[str] | None, typer.Option("--book", metavar="ID", help="Only this book; may be repeated.")
    ] = None,
    highest_tier: Annotated[
        int,
        typer.Option("--highest-tier", metavar="N", min=1, max=4, help="Highest hardware tier the key can access."),
    ] = 4,
    public: Annotated[
        bool, typer.Option("--public", help="For keys in public pages: cannot list conversations.")
    ] = False,
    may_ingest: Annotated[bool, typer.Option("--may-ingest", help="Allow POST /ingest.")] = False,
    owner: Annotated[
        bool, typer.Option("--owner", help="Allow /owner (readers' questions and costs) and /metrics.")
    ] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Create a key; its secret is shown only once.

    A key can only read, unless you give it more rights.
    """
    with _database(config) as database:
        from rag.conversations.api_keys import KeyStore

        key, secret = KeyStore(database).add(
            name,
            books=tuple(book or ()),
            highest_tier=highest_tier,
            is_public=public,
            may_ingest=may_ingest,
            is_owner=owner,
        )
    access = f"{', '.join(key.books) or 'all books'}, hardware tier {key.highest_tier} or lower; may {key.rights}"
    document = {"key_id": key.key_id, "secret": secret, "books": list(key.books), "highest_tier": key.highest_tier}
    document |= {"public": key.is_public, "may_ingest": key.may_ingest, "owner": key.is_owner}
    show([secret, f"key {key.key_id} for {name}: {access}"], document, as_json=as_json)


@keys.command("list", cls=Command)
def list_keys(config: Config = None, as_json: Json = False) -> None:
    """List all keys, without their secrets."""
    from ingestion.output import Table

    with _database(config) as database:
        from rag.conversations.api_keys import KeyStore

        found = KeyStore(database).list()
    rows = [
        {
            "key_id": key.key_id,
            "name": key.name,
            "books": ", ".join(key.books) or "all",
            "highest_tier": key.highest_tier,
            "public": "yes" if key.is_public else "no",
            "rights": key.rights,
            "created_at": key.created_at.isoformat(timespec="seconds"),
            "status": "revoked" if key.revoked_at else "active",
        }
        for key in found
    ]
    table = Table("Keys", tuple(rows[0]) if rows else (), [tuple(row.values()) for row in rows])
    show([table] if rows else ["No keys; create one with `bookwise keys add NAME`."], {"keys": rows}, as_json=as_json)


@keys.command("revoke", cls=Command)
def revoke_key(
    key_id: KeyId,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Revoke a key.

    A running server notices within five seconds.
    """
    with _database(config) as database:
        from rag.conversations.api_keys import KeyStore

        KeyStore(database).revoke(key_id)
    show([f"revoked {key_id}"], {"key_id": key_id, "status": "revoked"}, as_json=as_json)


@keys.command("export", cls=Command)
def export_data(key_id: KeyId, user: User = None, config: Config = None) -> None:
    """Export a reader's questions and answers as JSON.

    Includes all conversations with their messages, and what is recorded about each question.
    """
    with _database(config) as database:
        from rag.conversations.personal_data import PersonalData, Reader

        for piece in PersonalData(database).export(Reader(key_id, user)):
            write(piece)


@keys.command("forget", cls=Command)
def forget_data(
    key_id: KeyId, user: User = None, yes: Yes = False, config: Config = None, as_json: Json = False
) -> None:
    """Delete a reader's questions and answers.

    The key itself stays until `keys revoke`. Its costs stay in the daily totals, without the key.
    """
    whose = f"user {user} of key {key_id}" if user else f"key {key_id}"
    confirm(f"Delete all conversations and questions of {whose}?", yes=yes)
    with _database(config) as database:
        from rag.conversations.personal_data import PersonalData, Reader

        gone = PersonalData(database).delete(Reader(key_id, user))
    document = {"key_id": key_id, "user_id": user, "threads": gone.threads, "questions": gone.questions}
    show([f"{whose}: {gone.threads} conversations and {gone.questions} questions deleted"], document, as_json=as_json)
