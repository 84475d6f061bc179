"""Describe the tables of conversations for queries; `migrations` creates them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB

_JSON = JSON().with_variant(JSONB(), "postgresql")
_METADATA = MetaData()


class UtcTime(TypeDecorator[datetime]):
    """Store a time in UTC, which SQLite would return without a time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC for the database."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored time with its time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _thread_columns() -> list[Column[Any]]:
    return [
        Column("thread_id", Uuid, primary_key=True),
        Column("messages", _JSON),
        Column("created_at", UtcTime),
        Column("updated_at", UtcTime),
        Column("topic_summary", Text),
        Column("metadata", _JSON),
        Column("owner", String(200)),
        Column("message_count", Integer),
    ]


THREADS = Table("conversation_threads", _METADATA, *_thread_columns())
ARCHIVED_THREADS = Table("archived_threads", _METADATA, *_thread_columns())
ARCHIVED_MESSAGES = Table(
    "archived_messages",
    _METADATA,
    Column("thread_id", Uuid, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("message", _JSON),
)
API_KEYS = Table(
    "api_keys",
    _METADATA,
    Column("key_id", String(16), primary_key=True),
    Column("name", String(100)),
    Column("digest", String(64)),
    Column("books", _JSON),
    Column("highest_tier", Integer),
    Column("created_at", UtcTime),
    Column("revoked_at", UtcTime),
    Column("is_public", Boolean),
    Column("may_ingest", Boolean),
    Column("is_owner", Boolean),
)
QUESTIONS = Table(
    "asked_questions",
    _METADATA,
    Column("thread_id", Uuid, primary_key=True),
    Column("message_number", Integer, primary_key=True),
    Column("owner", String(200)),
    Column("asked_at", UtcTime),
    Column("day", String(10)),
    Column("book_id", String(200)),
    Column("question", Text),
    Column("hardware_tier", Integer),
    Column("answered", Boolean),
    Column("confidence_level", String(20)),
    Column("supported", Boolean),
    Column("model", String(200)),
    Column("tokens", Integer),
    Column("cost", Float),
    Column("pages", _JSON),
    Column("rating", String(4)),
    Column("comment", Text),
    Column("is_done", Boolean),
)
SPENDING = Table(
    "spending",
    _METADATA,
    Column("owner", String(200), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("questions", Integer),
    Column("tokens", Integer),
    Column("cost", Float),
)
NAMES = frozenset(
    [
        *_METADATA.tables,
        *("bookwise_version", "idx_threads_updated", "idx_threads_created", "idx_threads_owner"),
        *("idx_threads_list", "idx_archive_list", "idx_questions_asked", "idx_questions_usage"),
    ]
)
"""Every table and index that `migrations` creates."""
