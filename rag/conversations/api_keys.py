"""API keys: shown once when they are made, kept only as SHA-256, each with the books and tier it can access."""

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
from rag.conversations.database import Database, database_of
from rag.conversations.models import now
from rag.conversations.tables import API_KEYS

PREFIX = "bw_"
HIGHEST_TIER = 4
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret; no `books` means all of them.

    One that `is_public` stands in a page that anybody can read: its threads are known only to who has their ids.
    """

    key_id: str
    name: str
    books: tuple[str, ...]
    highest_tier: int
    created_at: datetime
    revoked_at: datetime | None = None
    is_public: bool = False


class KeyStore:
    """The keys in the database of conversations. Raises StateError where it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, name: str, *, books: Sequence[str] = (), highest_tier: int = HIGHEST_TIER, is_public: bool = False
    ) -> tuple[ApiKey, str]:
        """A new key and its secret of 256 random bits, which nobody can read again."""
        secret = PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(secrets.token_hex(4), name, tuple(books), highest_tier, now(), is_public=is_public)
        row = {
            "key_id": key.key_id,
            "name": name,
            "digest": digest_of(secret),
            "books": list(books),
            "highest_tier": highest_tier,
            "created_at": key.created_at,
            "is_public": is_public,
        }
        with self._database.write() as connection:
            connection.execute(insert(API_KEYS).values(row))
        return key, secret

    def list(self) -> list[ApiKey]:
        """Every key, revoked ones too, the oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(select(API_KEYS).order_by(API_KEYS.c.created_at, API_KEYS.c.key_id))
            return [_key(row) for row in rows]

    def revoke(self, key_id: str) -> None:
        """Refuse the key from now on; raises UsageError where no such key is in use."""
        used = (API_KEYS.c.key_id == key_id) & API_KEYS.c.revoked_at.is_(None)
        with self._database.write() as connection:
            if not connection.execute(update(API_KEYS).where(used).values(revoked_at=now())).rowcount:
                raise UsageError(f"no key {key_id!r} is in use; `bookwise keys list` shows them")

    def find(self, secret: str) -> ApiKey | None:
        """The key with this secret, None where there is none in use."""
        wanted = select(API_KEYS).where(API_KEYS.c.digest == digest_of(secret), API_KEYS.c.revoked_at.is_(None))
        with self._database.read() as connection:
            row = connection.execute(wanted).first()
        return _key(row) if row is not None else None


def are_asked_for(settings: Settings, host: str) -> bool:
    """Whether a server on this address asks for keys: it does once there is one in use.

    Raises UsageError beyond loopback while there is none.
    """
    with closing(database_of(settings)) as database:
        in_use = any(key.revoked_at is None for key in KeyStore(database).list())
    if not in_use and host not in LOOPBACK:
        raise UsageError(f"--host {host}: make a key first (`bookwise keys add NAME`), or listen on 127.0.0.1")
    return in_use


def digest_of(secret: str) -> str:
    """How a secret is kept. It is random and long, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: Row[Any]) -> ApiKey:
    values = row._mapping
    kept = {
        name: values[name] for name in ("key_id", "name", "highest_tier", "created_at", "revoked_at", "is_public")
    }
    return ApiKey(**kept, books=tuple(values["books"]))
