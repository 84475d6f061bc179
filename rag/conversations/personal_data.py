"""Export and delete one reader's data: the conversations and questions of a key, or of one user of a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, delete, select, union_all

from ingestion.errors import UnknownThread, UsageError
from rag.conversations.database import ConversationDatabase
from rag.conversations.models import iso, now
from rag.conversations.questions import forget_spender, question_of
from rag.conversations.store import FORGET_AT_ONCE, ThreadStore, delete_threads
from rag.conversations.tables import ARCHIVED_THREADS, QUESTIONS, THREADS


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: the owner of a key, or a user whom an application names as `user_id` in the metadata of threads.

    With both, only that key's user. Raises UsageError with neither.
    """

    key_id: str | None = None
    user_id: str | None = None

    def __post_init__(self) -> None:
        """Check that the reader is named."""
        if self.key_id is None and not self.user_id:
            raise UsageError("select a reader: give a key id, a user id, or both")


@dataclass(frozen=True, slots=True)
class Deleted:
    """How much was deleted."""

    threads: int
    questions: int


class PersonalData:
    """Read and delete the data of one reader. Raises StateError where the database fails."""

    def __init__(self, database: ConversationDatabase) -> None:
        self._database = database

    def export(self, reader: Reader) -> Iterator[str]:
        """Yield one JSON object in pieces, one thread at a time: a reader may have more than fits in memory."""
        yield json.dumps(asdict(reader) | {"exported_at": iso(now())})[:-1]
        yield ', "threads": ['
        store, comma = ThreadStore(self._database), ""
        with self._database.read() as connection:
            ids = connection.execute(_thread_ids(reader)).scalars().all()
        for thread_id in ids:
            try:
                thread, messages = store.get(thread_id, owner=None), store.all_messages(thread_id, owner=None)
            except UnknownThread:  # deleted meanwhile
                continue
            document: dict[str, Any] = {
                "thread_id": str(thread_id),
                "created_at": iso(thread.created_at),
                "updated_at": iso(thread.updated_at),
                "topic_summary": thread.topic_summary,
                "metadata": dict(thread.metadata),
                "messages": [message.as_json() for message in messages],
            }
            yield comma + json.dumps(document, ensure_ascii=False)
            comma = ",\n"
        yield '], "questions": ['
        with self._database.read() as connection:
            query = select(QUESTIONS).where(_asked_by(reader)).order_by(QUESTIONS.c.asked_at)
            asked = [question_of(row).as_json() for row in connection.execute(query)]
        yield ",\n".join(json.dumps(each, ensure_ascii=False) for each in asked)
        yield "]}\n"

    def delete(self, reader: Reader) -> Deleted:
        """Delete the reader's threads and questions; their cost stays in the totals, without the key."""
        threads = questions = 0
        while True:
            with self._database.write() as connection:
                ids = list(connection.execute(_thread_ids(reader).limit(FORGET_AT_ONCE)).scalars())
                questions += delete_threads(connection, ids)
            threads += len(ids)
            if len(ids) < FORGET_AT_ONCE:
                break
        if reader.key_id is not None and not reader.user_id:
            with self._database.write() as connection:
                questions += connection.execute(delete(QUESTIONS).where(_asked_by(reader))).rowcount
                forget_spender(connection, reader.key_id)
        return Deleted(threads, questions)


def _of(reader: Reader, table: Table) -> ColumnElement[bool]:
    is_theirs: list[ColumnElement[bool]] = []
    if reader.key_id is not None:
        is_theirs.append(table.c.owner == reader.key_id)
    if reader.user_id:
        is_theirs.append(table.c.metadata["user_id"].as_string() == reader.user_id)
    return and_(*is_theirs)


def _thread_ids(reader: Reader) -> Any:
    return union_all(*(select(table.c.thread_id).where(_of(reader, table)) for table in (THREADS, ARCHIVED_THREADS)))


def _asked_by(reader: Reader) -> ColumnElement[bool]:
    """Return the reader's questions; for conversations that a client keeps itself, only the key is known."""
    if reader.user_id:
        return QUESTIONS.c.thread_id.in_(_thread_ids(reader))
    return QUESTIONS.c.owner == reader.key_id
