"""The tables of the ledgers: in a SQLite file of ours, or in the database that the user's URL names.

Both take the same plain SQL with `:name` for a value. A file needs Python's own driver alone: SQLAlchemy, which knows
the databases behind URLs, takes as long to import as a whole run with nothing to do.
"""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ingestion.errors import ConfigurationError, StateError
from ingestion.extras import extra_needed
from ingestion.foreign_files import distrust_schema, set_aside_foreign
from ingestion.own_files import create_private, is_refused, make_private, set_aside
from ingestion.state.readable_database import ReadableDatabase

if TYPE_CHECKING:
    from sqlalchemy import Engine

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT}
_LEDGER = "the job ledger's database"
CHECK_SECONDS = 10.0
"""For looking through a file, which is far quicker unless somebody made it to take long."""

_NAME = re.compile(r"IF NOT EXISTS (\w+)")
_NONE: Mapping[str, Any] = {}
_KEY = "{key}"
"""Stands in a table's definition for the type of a number that the database gives to each row."""


class Execute(Protocol):
    """Runs a statement within a transaction."""

    def __call__(self, statement: str, values: Mapping[str, Any] = ..., /) -> list[dict[str, Any]]:
        """Return the rows that the statement gives, by column; none where it gives none."""


class Database(Protocol):
    """A database that is opened by its first transaction, which makes the tables and columns that are missing."""

    def transaction(self) -> AbstractContextManager[Execute]:
        """Commit at the end of the block, roll back on an error; raises StateError where the database fails."""

    def close(self) -> None:
        """Release the database."""


def open_database(where: str | Path, *tables: str) -> Database:
    """Return the database at a path of ours or at a URL, with these definitions of tables and indexes."""
    return SqliteFile(where, tables) if isinstance(where, Path) else UrlDatabase(where, tables)


def insertion(table: str, values: Mapping[str, Any]) -> str:
    """Return the statement that inserts a row of these values."""
    return f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(f':{name}' for name in values)})"


def assignments(values: Mapping[str, Any]) -> str:
    """Return what an UPDATE sets."""
    return ", ".join(f"{name} = :{name}" for name in values)


def json_value(stored: Any) -> Any:
    """Return what a JSON column holds: PostgreSQL gives what it says, SQLite its text."""
    return json.loads(stored) if isinstance(stored, str) else stored


def _is_table(definition: str) -> str | None:
    """Return the name of the table that a statement defines; None for an index."""
    return _NAME.search(definition)[1] if definition.startswith("CREATE TABLE") else None  # type: ignore[index]


def _no_row(table: str) -> str:
    return f"SELECT * FROM {table} WHERE 1 = 0"


def _additions(table: str, definition: str, known: Iterable[str]) -> list[str]:
    """Return the statements that add the columns which a table of an earlier release lacks."""
    columns = [column.strip() for column in definition[definition.index("(") + 1 : -1].split(",")]
    return [f"ALTER TABLE {table} ADD COLUMN {column}" for column in columns if column.split()[0] not in {*known}]


class SqliteFile:
    """A file that only its owner can read; threads may share it, each transaction has a connection of its own.

    One that is damaged is set aside with a warning, since nothing in it is needed to index a book. Of one that this
    user cannot write, a copy is worked on: whoever writes an index is refused before.
    """

    def __init__(self, path: Path, tables: Sequence[str]) -> None:
        self._path = path
        self._tables = [table.replace(_KEY, "INTEGER") for table in tables]
        self._file: ReadableDatabase | None = None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """See Database."""
        try:
            if self._file is None:
                self._file = self._open_or_replace()
            with _connected(self._file) as connection:
                yield lambda statement, values=_NONE: [
                    dict(row) for row in connection.execute(statement, values).fetchall()
                ]
        except (sqlite3.Error, OSError) as error:
            raise unusable(_LEDGER, error, self._path) from None

    def close(self) -> None:
        """See Database; no connection stays open between transactions."""
        if self._file:
            self._file.close()
            self._file = None

    def _open_or_replace(self) -> ReadableDatabase:
        set_aside_foreign(self._path, {_NAME.search(table)[1] for table in self._tables})  # type: ignore[index]
        file = ReadableDatabase(self._path)
        try:
            try:
                self._check(file)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _DAMAGED:
                    raise
                aside = set_aside(file.path)
                logger.warning("%s %s is damaged (%s): set aside as %s", _LEDGER, self._path, error, aside.name)
                make_private(file.path)
                self._check(file)
        except BaseException:
            file.close()
            raise
        return file

    def _check(self, file: ReadableDatabase) -> None:
        """Make the tables that are missing; raises sqlite3.DatabaseError for a file that is damaged."""
        with _connected(file) as connection:
            until = time.monotonic() + CHECK_SECONDS
            connection.set_progress_handler(lambda: time.monotonic() > until, 100_000)
            [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(f"malformed: {found}")
            for table in self._tables:
                connection.execute(table)
                if name := _is_table(table):
                    try:
                        known = connection.execute(_no_row(name)).description
                    except UnicodeDecodeError as error:
                        raise sqlite3.DatabaseError(f"malformed: {error}") from None
                    for addition in _additions(name, table, [column for column, *_ in known]):
                        connection.execute(addition)


@contextmanager
def _connected(file: ReadableDatabase) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file.path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        distrust_schema(connection)
        yield connection


class UrlDatabase:
    """The database of a URL, PostgreSQL or SQLite, by SQLAlchemy."""

    def __init__(self, url: str, tables: Sequence[str]) -> None:
        self._url = url
        self._tables = tables
        self._engine: Engine | None = None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """See Database."""
        with extra_needed("postgres", "DATABASE_URL needs"):
            from sqlalchemy import text
            from sqlalchemy.exc import SQLAlchemyError

        if self._engine is None:
            with opening_errors(_LEDGER):
                self._engine = self._open()
        try:
            with self._engine.begin() as connection:

                def execute(statement: str, values: Mapping[str, Any] = _NONE) -> list[dict[str, Any]]:
                    result = connection.execute(text(statement), values)
                    return [dict(row) for row in result.mappings()] if result.returns_rows else []

                yield execute
        except (SQLAlchemyError, ValueError) as error:
            raise unusable(_LEDGER, error) from None

    def close(self) -> None:
        """See Database."""
        if self._engine:
            self._engine.dispose()
            self._engine = None

    def _open(self) -> Engine:
        from sqlalchemy import create_engine, text

        engine = create_engine(self._url)
        is_sqlite = engine.dialect.name == "sqlite"
        create_sqlite_file(engine)
        try:
            with engine.begin() as connection:
                for table in self._tables:
                    connection.execute(text(table.replace(_KEY, "INTEGER" if is_sqlite else "SERIAL")))
                    if name := _is_table(table):
                        known = connection.execute(text(_no_row(name))).keys()
                        for addition in _additions(name, table, known):
                            connection.execute(text(addition))
        except BaseException:
            engine.dispose()
            raise
        return engine


def create_sqlite_file(engine: Engine) -> None:
    """Create the file of an SQLite database where it is missing: SQLite itself would let everybody read it."""
    name = engine.url.database
    if engine.dialect.name == "sqlite" and name and name != ":memory:" and not name.startswith("file:"):
        create_private(Path(name))


def database_version(url: str) -> str:
    """Return the product and version of a database that answers; raises ConfigurationError or StateError."""
    with extra_needed("postgres", "DATABASE_URL needs"):
        from sqlalchemy import create_engine

    with opening_errors("the database"):
        is_postgres = url.startswith("postgresql")
        engine = create_engine(url, connect_args={"connect_timeout": CONNECT_SECONDS} if is_postgres else {})
        if engine.dialect.name == "sqlite" and engine.url.database and not Path(engine.url.database).exists():
            return "SQLite (its file is made by the first run)"
        try:
            with engine.connect() as connection:
                numbers = connection.dialect.server_version_info or ()
        finally:
            engine.dispose()
    return f"{engine.dialect.name} {'.'.join(map(str, numbers))}"


@contextmanager
def opening_errors(what: str, where: str | Path = "") -> Iterator[None]:
    """Raise ConfigurationError for a DATABASE_URL that cannot be used, StateError for a database that cannot.

    `what` names the database, for people; `where` is its path if it is a file of ours.
    """
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

    try:
        yield
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise ConfigurationError(
            f"DATABASE_URL is not usable ({type(error).__name__}): write sqlite:///FILE, or "
            "postgresql+psycopg://USER@HOST/NAME with the extra bookwise[postgres]"
        ) from None
    except (SQLAlchemyError, OSError) as error:
        raise unusable(what, error, where) from None


def unusable(what: str, error: Exception, where: str | Path = "") -> StateError:
    """Return the error to raise; the database's own words may hold the URL with its password, so they are left
    out.
    """
    if isinstance(where, Path):
        if isinstance(error, OSError) and is_refused(error):
            return StateError(
                f"{what} {where} cannot be read ({error.strerror}); run this as its owner, or set DATABASE_URL"
            )
        cause = getattr(error, "orig", None) or error
        return StateError(f"{what} {where} cannot be used ({cause}); move it away, or set DATABASE_URL")
    return StateError(f"{what} cannot be used ({type(error).__name__}); check DATABASE_URL")
