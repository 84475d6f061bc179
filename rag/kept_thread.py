"""The thread that a conversation in the terminal is kept in, to be gone on with later (spec 004)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from ingestion.settings import Settings
from rag.conversation import Message, new_thread_id, parse_thread_id
from rag.database import database_of
from rag.threads import ThreadStore, UnknownThread

NEW = "new"
"""What asks for a thread with an id of its own."""


class KeptThread:
    """One thread of the store; it is made at the first turn. Raises StateError where the database fails."""

    def __init__(self, store: ThreadStore, thread_id: UUID) -> None:
        self.thread_id = thread_id
        self._store = store

    def messages(self) -> list[Message]:
        """What was said so far, oldest first; nothing in a new thread."""
        try:
            return self._store.all_messages(self.thread_id)
        except UnknownThread:
            return []

    def append(self, messages: Sequence[Message]) -> None:
        """Keep one more turn."""
        try:
            self._store.append(self.thread_id, messages)
        except UnknownThread:
            self._store.create(self.thread_id)
            self._store.append(self.thread_id, messages)

    def renew(self) -> None:
        """Go on with a new thread; the one so far stays."""
        self.thread_id = new_thread_id()


@contextmanager
def open_thread(settings: Settings, session: str) -> Iterator[KeptThread]:
    """The thread with this id, or a new one for NEW; raises UsageError for what is no id."""
    thread_id = new_thread_id() if session == NEW else parse_thread_id(session)
    database = database_of(settings)
    try:
        yield KeptThread(ThreadStore(database), thread_id)
    finally:
        database.close()
