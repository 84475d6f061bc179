"""Store conversations in any database that SQLAlchemy knows: SQLite unless DATABASE_URL is set.

A thread belongs to its owner: for anyone else it does not exist. A thread that is unused for an hour moves to an
archive, and returns when it is used again.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Table, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from ingestion.errors import UnknownThread, UsageError
from rag.conversations.database import ConversationDatabase
from rag.conversations.models import (
    LIVE_MESSAGES,
    SHARED,
    TOPIC_CHARS,
    ConversationThread,
    Message,
    ThreadSummary,
    check_alternation,
    first_question,
    merged,
    new_thread_id,
    now,
)
from rag.conversations.questions import AskedQuestion, forget_threads, record_question
from rag.conversations.tables import ARCHIVED_MESSAGES, ARCHIVED_THREADS, THREADS
from rag.valid_text import storable

IDLE = timedelta(hours=1)
"""Idle time after which a thread is archived."""

LOCAL = ""
"""The owner of threads made without a key."""

FORGET_AT_ONCE = 500
"""Threads deleted per transaction: SQLite binds at most 32,766 values."""

_TABLES = (THREADS, ARCHIVED_THREADS)
_SUMMARY = ("thread_id", "created_at", "updated_at", "topic_summary", "metadata", "message_count")


class ThreadStore:
    """Read and write threads, one transaction per call. Raises StateError where the database fails."""

    def __init__(self, database: ConversationDatabase) -> None:
        self._database = database

    def create(
        self,
        thread_id: UUID | None = None,
        *,
        owner: str = LOCAL,
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationThread:
        """Create an empty thread; raises UsageError if the id is in use."""
        new_id = thread_id or new_thread_id()
        with self._database.write() as connection:
            _create(connection, new_id, owner, metadata or {})
        return self.get(new_id, owner=owner)

    def get(self, thread_id: UUID, *, owner: str | None = LOCAL) -> ConversationThread:
        """Return the thread with its last messages, archived or not, of any owner for None; raises UnknownThread."""
        with self._database.read() as connection:
            return _thread(*_found(connection, thread_id, owner))

    def find(self, thread_id: UUID, *, owner: str = LOCAL) -> ConversationThread | None:
        """Return the thread, None if the id is unused; raises UsageError if another owner uses it."""
        with self._database.read() as connection:
            found = _find(connection, thread_id, None)
        if found is None:
            return None
        if found[0]["owner"] != owner:
            raise UsageError(f"thread {thread_id} already exists; choose another session id")
        return _thread(*found)

    def append(
        self,
        thread_id: UUID,
        messages: Sequence[Message],
        *,
        owner: str = LOCAL,
        create: bool = False,
        asked: AskedQuestion | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationThread:
        """Add messages at the end, all or none, and restore an archived thread; `create` makes a missing one.

        `metadata` is merged into the thread's. `asked` is recorded with them; its number is that of the last message.
        Raises UnknownThread, or UsageError if the roles do not alternate or someone else's thread has the id.
        """
        with self._database.write() as connection:
            found = _find(connection, thread_id, owner, lock=True)
            if found is None:
                if not create:
                    raise UnknownThread(thread_id)
                row = _create(connection, thread_id, owner, first_question(messages[0].content))
            else:
                row, is_archived = found
                if is_archived:
                    _move(connection, ARCHIVED_THREADS, THREADS, ARCHIVED_THREADS.c.thread_id == thread_id)
            changed = _with_messages(row, messages)
            if metadata:
                changed["metadata"] = merged(row["metadata"] or {}, storable(dict(metadata)))
            older = changed["messages"][:-LIVE_MESSAGES]
            if older:
                first = changed["message_count"] - len(changed["messages"])
                connection.execute(insert(ARCHIVED_MESSAGES), _numbered(thread_id, first, older))
                changed["messages"] = changed["messages"][-LIVE_MESSAGES:]
            connection.execute(update(THREADS).where(THREADS.c.thread_id == thread_id).values(changed))
            if asked:
                record_question(connection, replace(asked, message_number=changed["message_count"]))
        return _thread(row | changed, archived=False)

    def begin(
        self,
        thread_id: UUID,
        messages: Sequence[Message],
        *,
        owner: str = LOCAL,
        asked: AskedQuestion | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationThread:
        """Create a thread with its first messages under a new id: one write without a lookup.

        Raises UsageError if the roles do not alternate or the id is in use.
        """
        row = _empty(thread_id, owner, merged(first_question(messages[0].content), metadata or {}))
        row |= _with_messages(row, messages)
        with self._database.write() as connection:
            _insert(connection, row)
            if asked:
                record_question(connection, replace(asked, message_number=row["message_count"]))
        return _thread(row, archived=False)

    def all_messages(self, thread_id: UUID, *, owner: str | None = LOCAL) -> list[Message]:
        """Return all messages of a thread, archived ones first; raises UnknownThread."""
        with self._database.read() as connection:
            row, _ = _found(connection, thread_id, owner)
            query = select(ARCHIVED_MESSAGES.c.message).where(ARCHIVED_MESSAGES.c.thread_id == thread_id)
            older = connection.execute(query.order_by(ARCHIVED_MESSAGES.c.ordinal)).scalars().all()
        return [Message.from_json(stored) for stored in (*older, *row["messages"])]

    def messages_before(
        self, thread_id: UUID, number: int | None, *, owner: str | None = LOCAL, limit: int = LIVE_MESSAGES
    ) -> list[tuple[int, Message]]:
        """Return the last messages before a number, each with its number, oldest first; raises UnknownThread."""
        messages = self.all_messages(thread_id, owner=owner)
        end = len(messages) if number is None else min(number - 1, len(messages))
        first = max(0, end - limit)
        return list(enumerate(messages[first:end], first + 1))

    def shared(self, thread_id: UUID, number: int, secret: str) -> list[tuple[int, Message]]:
        """Return the question and answer with this number if the secret shares them, whoever owns the thread."""
        with self._database.read() as connection:
            found = _find(connection, thread_id, None)
        row = found[0] if found else {}
        known = (row.get("metadata") or {}).get(SHARED)
        token = known.get(str(number)) if isinstance(known, dict) else None
        if not isinstance(token, str) or not secrets.compare_digest(token.encode(), secret.encode()):
            return []
        return self.messages_before(thread_id, number + 1, owner=row["owner"], limit=2)

    def merge_metadata(self, thread_id: UUID, change: Mapping[str, Any], *, owner: str = LOCAL) -> None:
        """Merge a change into the metadata of a thread, archived or not; raises UnknownThread, or UsageError as
        `merged` does.
        """
        with self._database.write() as connection:
            row, is_archived = _found(connection, thread_id, owner, lock=True)
            table = ARCHIVED_THREADS if is_archived else THREADS
            metadata = merged(row["metadata"] or {}, storable(dict(change)))
            connection.execute(update(table).where(table.c.thread_id == thread_id).values(metadata=metadata))

    def list(
        self, *, owner: str = LOCAL, limit: int = 50, before: datetime | None = None, archived: bool = False
    ) -> list[ThreadSummary]:
        """Return threads without messages, last used first; `before` continues after the last `updated_at`."""
        table = ARCHIVED_THREADS if archived else THREADS
        query = select(*(table.c[name] for name in _SUMMARY)).where(table.c.owner == owner)
        query = query.where(table.c.updated_at < before) if before else query
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(table.c.updated_at.desc(), table.c.thread_id).limit(limit)).all()
        return [ThreadSummary(**dict(zip(_SUMMARY, row, strict=True)), archived=archived) for row in rows]

    def set_topic(self, thread_id: UUID, topic: str, *, owner: str = LOCAL) -> None:
        """Set the topic of a thread, cut to 200 characters; a thread deleted meanwhile is ignored."""
        mine = (THREADS.c.thread_id == thread_id) & (THREADS.c.owner == owner)
        with self._database.write() as connection:
            connection.execute(update(THREADS).where(mine).values(topic_summary=storable(topic)[:TOPIC_CHARS]))

    def delete(self, thread_id: UUID, *, owner: str = LOCAL) -> None:
        """Delete the thread with its messages and questions; raises UnknownThread."""
        with self._database.write() as connection:
            gone = sum(
                connection.execute(
                    delete(table).where(table.c.thread_id == thread_id, table.c.owner == owner)
                ).rowcount
                for table in _TABLES
            )
            if not gone:
                raise UnknownThread(thread_id)
            connection.execute(delete(ARCHIVED_MESSAGES).where(ARCHIVED_MESSAGES.c.thread_id == thread_id))
            forget_threads(connection, [thread_id])

    def forget(self, *, idle: timedelta) -> int:
        """Delete the threads unused for that long, with everything that belongs to them; returns how many."""
        with self._database.write() as connection:
            ids: list[UUID] = []
            for table in _TABLES:
                chosen = select(table.c.thread_id).where(table.c.updated_at < now() - idle)
                ids += connection.execute(chosen.limit(FORGET_AT_ONCE)).scalars()
            delete_threads(connection, ids)
        return len(ids)

    def archive(self, *, idle: timedelta = IDLE) -> int:
        """Move the threads unused for that long to the archive; returns how many."""
        with self._database.write() as connection:
            return _move(connection, THREADS, ARCHIVED_THREADS, THREADS.c.updated_at < now() - idle)

    def count(self) -> int:
        """Return the number of live threads; `/ready` calls it."""
        with self._database.read() as connection:
            return connection.execute(select(func.count()).select_from(THREADS)).scalar_one()


def delete_threads(connection: Connection, ids: Sequence[UUID]) -> int:
    """Delete at most FORGET_AT_ONCE threads of any owner, with their questions; returns how many questions."""
    for table in (*_TABLES, ARCHIVED_MESSAGES):
        connection.execute(delete(table).where(table.c.thread_id.in_(ids)))
    return forget_threads(connection, ids)


def _create(connection: Connection, thread_id: UUID, owner: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Insert an empty thread; raises UsageError if the id is in use."""
    if _find(connection, thread_id, None, messages=False):
        raise UsageError(f"thread {thread_id} already exists")
    row = _empty(thread_id, owner, metadata)
    _insert(connection, row)
    return row


def _empty(thread_id: UUID, owner: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    moment = now()
    return {
        "thread_id": thread_id,
        "messages": [],
        "created_at": moment,
        "updated_at": moment,
        "topic_summary": None,
        "metadata": storable(dict(metadata)),
        "owner": owner,
        "message_count": 0,
    }


def _insert(connection: Connection, row: Mapping[str, Any]) -> None:
    try:
        connection.execute(insert(THREADS).values(row))
    except IntegrityError:
        raise UsageError(f"thread {row['thread_id']} already exists") from None


def _with_messages(row: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    """Return the changed columns of a row with these messages added; raises UsageError unless the roles alternate."""
    existing = list(row["messages"])
    check_alternation(existing[-1]["role"] if existing else None, messages)
    return {
        "messages": existing + [storable(message.as_json()) for message in messages],
        "message_count": row["message_count"] + len(messages),
        "updated_at": now(),
    }


def _find(
    connection: Connection, thread_id: UUID, owner: str | None, *, lock: bool = False, messages: bool = True
) -> tuple[dict[str, Any], bool] | None:
    """Return the row of a thread and whether it is archived; None where the owner (None: anyone) has none."""
    # Live twice: another process may restore the thread from the archive between the two queries.
    for table in (THREADS, ARCHIVED_THREADS, THREADS):
        query = select(table if messages else table.c.thread_id).where(table.c.thread_id == thread_id)
        query = query if owner is None else query.where(table.c.owner == owner)
        row = connection.execute(query.with_for_update() if lock else query).first()
        if row is not None:
            return dict(row._mapping), table is ARCHIVED_THREADS
    return None


def _found(
    connection: Connection, thread_id: UUID, owner: str | None, *, lock: bool = False
) -> tuple[dict[str, Any], bool]:
    """Return what `_find` does; raises UnknownThread."""
    if (found := _find(connection, thread_id, owner, lock=lock)) is None:
        raise UnknownThread(thread_id)
    return found


def _move(connection: Connection, source: Table, target: Table, which: Any) -> int:
    names = [column.name for column in source.columns]
    wanted = select(source).where(which)
    chosen = select(source.c.thread_id).where(which)
    ids = connection.execute(chosen.with_for_update()).scalars().all()
    if ids:
        connection.execute(insert(target).from_select(names, wanted.where(source.c.thread_id.in_(ids))))
        connection.execute(delete(source).where(source.c.thread_id.in_(ids)))
    return len(ids)


def _numbered(thread_id: UUID, first: int, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"thread_id": thread_id, "ordinal": ordinal, "message": message}
        for ordinal, message in enumerate(messages, first)
    ]


def _thread(values: Mapping[str, Any], archived: bool) -> ConversationThread:
    messages = tuple(Message.from_json(stored) for stored in values["messages"])
    return ConversationThread(**{name: values[name] for name in _SUMMARY}, messages=messages, archived=archived)
