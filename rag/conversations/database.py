"""Open the database of conversations and keys at the newest schema, and convert its errors to ours."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from ingestion.errors import BookwiseError, StateError
from ingestion.foreign_files import set_aside_foreign
from ingestion.settings import Settings
from ingestion.state.database import create_sqlite_file, opening_errors, unusable
from ingestion.state.readable_database import ReadableDatabase
from rag.conversations.tables import NAMES
from rag.tracing import span

logger = logging.getLogger(__name__)

FILE_NAME = "threads.sqlite"
_CONVERSATIONS = "the database of conversations"
SECONDS_TO_WAIT = 10
"""Timeout for a connection, or for a lock held by another process."""

FAILURE_SECONDS = 1.0
"""How long a failed opening fails for all callers; otherwise each would wait for its own, one after another."""


def database_of(settings: Settings, *, lasting: bool = True) -> ConversationDatabase:
    """Return the database of DATABASE_URL, else a file in the index's folder."""
    if settings.index.database_url:
        return ConversationDatabase(settings.index.database_url.reveal())
    return ConversationDatabase(Path(settings.index.directory) / FILE_NAME, lasting=lasting)


class ConversationDatabase:
    """Run transactions on one database, which is opened and migrated at the first of them.

    A file that this user cannot write is copied, and the copy is read; unless `lasting` is set, the copy is written
    too and deleted with this object, as for a server's conversations on a read-only disk. Thread-safe. Raises
    ConfigurationError if the URL is invalid, StateError if the database fails.
    """

    def __init__(self, where: str | Path, *, lasting: bool = True) -> None:
        self._where = where
        self._lasting = lasting
        self._file: ReadableDatabase | None = None
        self._engine: Engine | None = None
        self._opening = threading.Lock()
        self._failure: tuple[float, BookwiseError] | None = None
        self._writing: AbstractContextManager[Any] = nullcontext()

    def read(self) -> AbstractContextManager[Connection]:
        """Begin a read-only transaction."""
        return self._transaction()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Begin a transaction that is committed when the block ends without an error."""
        engine = self._opened()
        if self._lasting and self._file and self._file.is_copy:
            raise StateError(f"{_CONVERSATIONS} {self._where} cannot be written; set DATABASE_URL to another one")
        with self._writing, self._transaction(engine.execution_options(write=True)) as connection:
            yield connection

    def close(self) -> None:
        """Close the connections."""
        with self._opening:
            if self._engine:
                self._engine.dispose()
                self._engine = None
            if self._file:
                self._file.close()
                self._file = None

    @contextmanager
    def _transaction(self, engine: Engine | None = None) -> Iterator[Connection]:
        engine = engine or self._opened()
        try:
            with span("database", {"db.system.name": engine.dialect.name}), engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            # The connections' memory of a failed database must not outlive its repair.
            engine.dispose()
            raise unusable(_CONVERSATIONS, error, self._where) from None

    def _opened(self) -> Engine:
        with self._opening:
            if self._engine is None:
                if self._failure and time.monotonic() < self._failure[0]:
                    raise self._failure[1].with_traceback(None)
                try:
                    self._engine = self._open()
                except BookwiseError as error:
                    self._failure = (time.monotonic() + FAILURE_SECONDS, error)
                    raise
            return self._engine

    def _open(self) -> Engine:
        from rag.conversations.migrations import upgrade

        with opening_errors(_CONVERSATIONS, self._where), ExitStack() as undo:
            url = self._find_file(self._where) if isinstance(self._where, Path) else self._where
            # Only a server can disappear while its connection is kept.
            ping = not url.startswith("sqlite")
            engine = create_engine(url, pool_pre_ping=ping, pool_size=10, **_connect_arguments(url))
            undo.callback(engine.dispose)
            if engine.dialect.name == "sqlite":
                self._prepare_sqlite(engine)
            upgrade(engine)
            undo.pop_all()
        return engine

    def _find_file(self, where: Path) -> str:
        if self._file:
            self._file.close()
        set_aside_foreign(where, NAMES)
        self._file = ReadableDatabase(where)
        if self._file.is_copy and not self._lasting:
            logger.warning(
                "%s cannot be written: conversations are kept until the server ends; set DATABASE_URL to keep them",
                where,
            )
        return f"sqlite:///{self._file.path}"

    def _prepare_sqlite(self, engine: Engine) -> None:
        """Let readers never wait for a writer, and let writers of this process queue instead of polling the file."""
        create_sqlite_file(engine)
        self._writing = _TimedLock()

        @event.listens_for(engine, "connect")
        def leave_transactions_to_us(connection: Any, _: object) -> None:
            connection.isolation_level = None
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA journal_mode=WAL")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            writes = connection.get_execution_options().get("write")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


class _TimedLock:
    """A lock with a timeout."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=SECONDS_TO_WAIT):
            raise StateError(f"{_CONVERSATIONS} was busy for {SECONDS_TO_WAIT} seconds; try again")

    def __exit__(self, *exc: object) -> None:
        self._lock.release()


def _connect_arguments(url: str) -> dict[str, Any]:
    name = "timeout" if url.startswith("sqlite") else "connect_timeout"
    return {"connect_args": {name: SECONDS_TO_WAIT}, "pool_timeout": SECONDS_TO_WAIT}
