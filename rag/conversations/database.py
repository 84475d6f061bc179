"""The database of conversations and keys: opened at the newest schema, its errors turned into ours."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from ingestion.errors import BookwiseError, StateError
from ingestion.settings import Settings
from ingestion.state.database import opening_errors, unusable
from rag.tracing import span

FILE_NAME = "threads.sqlite"
_CONVERSATIONS = "the database of conversations"
SECONDS_TO_WAIT = 10
"""How long a connection, or a lock held by another process, is waited for."""

FAILURE_SECONDS = 1.0
"""For so long a failed opening counts for all who ask: else each would wait for its own, one after the other."""


def database_of(settings: Settings) -> Database:
    """The database of DATABASE_URL, else a file in the index's folder."""
    if settings.index.database_url:
        return Database(settings.index.database_url.reveal())
    return Database(f"sqlite:///{Path(settings.index.directory) / FILE_NAME}")


class Database:
    """Transactions on one database, which is opened and brought to the newest schema at the first of them.

    May be used from many threads. Raises ConfigurationError where the URL cannot be used, StateError where the
    database cannot.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine: Engine | None = None
        self._opening = threading.Lock()
        self._failure: tuple[float, BookwiseError] | None = None
        self._writing: AbstractContextManager[Any] = nullcontext()

    def read(self) -> AbstractContextManager[Connection]:
        """A transaction that only reads."""
        return self._transaction()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is written when the block ends without an error."""
        engine = self._opened()
        with self._writing, self._transaction(engine.execution_options(write=True)) as connection:
            yield connection

    def close(self) -> None:
        """Release the connections."""
        with self._opening:
            if self._engine:
                self._engine.dispose()
                self._engine = None

    @contextmanager
    def _transaction(self, engine: Engine | None = None) -> Iterator[Connection]:
        engine = engine or self._opened()
        try:
            with span("database", system=engine.dialect.name), engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            # What the connections remember of a database that failed must not outlive its repair.
            engine.dispose()
            raise unusable(_CONVERSATIONS, error) from None

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

        with opening_errors(_CONVERSATIONS), ExitStack() as undo:
            # Only a server can have gone away from a connection that is kept.
            ping = not self._url.startswith("sqlite")
            engine = create_engine(self._url, pool_pre_ping=ping, pool_size=10, **_connect_arguments(self._url))
            undo.callback(engine.dispose)
            if engine.dialect.name == "sqlite":
                self._prepare_sqlite(engine)
            upgrade(engine)
            undo.pop_all()
        return engine

    def _prepare_sqlite(self, engine: Engine) -> None:
        """Readers never wait for a writer, and writers of this process queue here instead of polling the file."""
        if engine.url.database:
            Path(engine.url.database).parent.mkdir(parents=True, exist_ok=True)
        self._writing = _Turn()

        @event.listens_for(engine, "connect")
        def leave_transactions_to_us(connection: Any, _: object) -> None:
            connection.isolation_level = None
            connection.execute("PRAGMA journal_mode=WAL")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            writes = connection.get_execution_options().get("write")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


class _Turn:
    """A lock that is not waited for without end."""

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
