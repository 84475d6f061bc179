"""Create, find and revoke API keys: a secret is shown once and stored as SHA-256, with what its key may access."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, insert, select, update

from ingestion.errors import UsageError
from ingestion.settings import Settings
from rag.conversations.database import ConversationDatabase, database_of
from rag.conversations.models import now
from rag.conversations.tables import API_KEYS

PREFIX = "bw_"
HIGHEST_TIER = 4
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret; no `books` means all of them. By default it may only read.

    A key that `is_public` is in a page that anybody can read: a thread of it is shown only to callers who have its
    id.
    """

    key_id: str
    name: str
    books: tuple[str, ...]
    highest_tier: int
    created_at: datetime
    revoked_at: datetime | None = None
    is_public: bool = False
    may_ingest: bool = False
    is_owner: bool = False

    @property
    def rights(self) -> str:
        """What the key may do, in words."""
        ingest = ["ingest"] if self.may_ingest else []
        owner = ["see the owner's page"] if self.is_owner else []
        return ", ".join(["read", *ingest, *owner])


class KeyStore:
    """Read and write the keys in the database of conversations. Raises StateError where the database fails."""

    def __init__(self, database: ConversationDatabase) -> None:
        self._database = database

    def add(
        self,
        name: str,
        *,
        books: Sequence[str] = (),
        highest_tier: int = HIGHEST_TIER,
        is_public: bool = False,
        may_ingest: bool = False,
        is_owner: bool = False,
    ) -> tuple[ApiKey, str]:
        """Create a key; returns it with its secret of 256 random bits, which cannot be read again.

        Raises UsageError for a public key with more than the right to read.
        """
        if is_public and (may_ingest or is_owner):
            raise UsageError("a public key may only read: leave out --may-ingest and --owner, or --public")
        secret = PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(
            secrets.token_hex(4),
            name,
            tuple(books),
            highest_tier,
            now(),
            is_public=is_public,
            may_ingest=may_ingest,
            is_owner=is_owner,
        )
        row = {column: getattr(key, column) for column in _COLUMNS} | {"digest": digest_of(secret)}
        with self._database.write() as connection:
            connection.execute(insert(API_KEYS).values(row | {"books": list(books)}))
        return key, secret

    def list(self) -> list[ApiKey]:
        """Return every key, revoked ones too, the oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(select(API_KEYS).order_by(API_KEYS.c.created_at, API_KEYS.c.key_id))
            return [_key(row) for row in rows]

    def any_active(self) -> bool:
        """Return whether any key is active."""
        with self._database.read() as connection:
            return (
                connection.execute(select(API_KEYS.c.key_id).where(API_KEYS.c.revoked_at.is_(None))).first()
                is not None
            )

    def revoke(self, key_id: str) -> None:
        """Refuse the key from now on; raises UsageError if no such key is active."""
        active = (API_KEYS.c.key_id == key_id) & API_KEYS.c.revoked_at.is_(None)
        with self._database.write() as connection:
            if not connection.execute(update(API_KEYS).where(active).values(revoked_at=now())).rowcount:
                raise UsageError(f"no active key {key_id!r}; list the keys with `bookwise keys list`")

    def find(self, secret: str) -> ApiKey | None:
        """Return the active key with this secret, None if there is none."""
        active = select(API_KEYS).where(API_KEYS.c.digest == digest_of(secret), API_KEYS.c.revoked_at.is_(None))
        with self._database.read() as connection:
            row = connection.execute(active).first()
        return _key(row) if row is not None else None


def keys_required(settings: Settings, host: str) -> bool:
    """Return whether a server on this address requires keys: it does once one is active.

    Raises UsageError for an address other than loopback while there is none.
    """
    with closing(database_of(settings)) as database:
        in_use = KeyStore(database).any_active()
    if not in_use and host not in LOOPBACK:
        raise UsageError(
            f"--host {host} needs an API key: create one with `bookwise keys add NAME`, or use 127.0.0.1"
        )
    return in_use


def digest_of(secret: str) -> str:
    """Return the stored form of a secret. It is random and long, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


_COLUMNS = ("key_id", "name", "highest_tier", "created_at", "revoked_at", "is_public", "may_ingest", "is_owner")


def _key(row: Row[Any]) -> ApiKey:
    values = row._mapping
    return ApiKey(**{name: values[name] for name in _COLUMNS}, books=tuple(values["books"]))
