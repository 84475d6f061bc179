"""One table in any database SQLAlchemy knows, opened at its first use; its errors become ours.

SQLAlchemy takes half a second to import, so nothing here imports it before a table is used.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import ConfigurationError, StateError
from ingestion.own_files import make_own_folder, make_private, set_aside

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, MetaData, Table

TableMaker = Callable[["MetaData"], "Table"]

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_LEDGER = "the job ledger's database"


class Database:
    """The database of one table, which is made where it is missing.

    It is the user's by a URL, or a file of ours by its path: then only its owner can read it, and one that is damaged
    is set aside with a warning, since nothing in it is needed to index a book.
    """

    def __init__(self, where: str | Path, table: TableMaker) -> None:
        self._where = where
        self._table = table
        self._opened: tuple[Engine, Table] | None = None

    @property
    def is_there(self) -> bool:
        """Whether it may hold anything: False only for a file of SQLite that nothing was written to yet."""
        file = self._where if isinstance(self._where, Path) else self._where.removeprefix("sqlite:///")
        return (file == self._where and isinstance(file, str)) or Path(file).exists()

    @contextmanager
    def transaction(self) -> Iterator[tuple[Connection, Table]]:
        """Commit at the end of the block, roll back on an error; raises StateError where the database fails."""
        from sqlalchemy.exc import SQLAlchemyError

        if self._opened is None:
            self._opened = _open_or_replace(self._where, self._table)
        engine, table = self._opened
        try:
            with engine.begin() as connection:
                yield connection, table
        except (SQLAlchemyError, ValueError) as error:
            raise unusable(_LEDGER, error, self._where) from None

    def close(self) -> None:
        """Release the database."""
        if self._opened:
            self._opened[0].dispose()
            self._opened = None


def _open_or_replace(where: str | Path, make_table: TableMaker) -> tuple[Engine, Table]:
    from sqlalchemy.exc import SQLAlchemyError

    if not isinstance(where, Path):
        with opening_errors(_LEDGER):
            return _open(where, make_table)
    with opening_errors(_LEDGER, where):
        make_private(where)
        try:
            return _open(f"sqlite:///{where}", make_table, check=True)
        except SQLAlchemyError as error:
            if not _is_damage(error):
                raise
            cause, aside = getattr(error, "orig", error), set_aside(where)
            logger.warning("%s %s is damaged (%s): set aside as %s", _LEDGER, where, cause, aside.name)
        make_private(where)
        return _open(f"sqlite:///{where}", make_table)


def _open(url: str, make_table: TableMaker, *, check: bool = False) -> tuple[Engine, Table]:
    from sqlalchemy import MetaData, create_engine, text
    from sqlalchemy.exc import DatabaseError

    table = make_table(MetaData())
    engine = create_engine(url)
    if engine.dialect.name == "sqlite" and engine.url.database:
        make_own_folder(Path(engine.url.database).parent)
    try:
        if check:
            with engine.connect() as connection:
                found = connection.execute(text("PRAGMA quick_check(1)")).scalar()
            if found != "ok":
                raise DatabaseError(None, None, sqlite3.DatabaseError(f"malformed: {found}"))
        table.metadata.create_all(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine, table


def database_version(url: str) -> str:
    """Return the product and version of a database that answers; raises ConfigurationError or StateError."""
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


def _is_damage(error: Exception) -> bool:
    cause = getattr(error, "orig", None)
    return isinstance(cause, sqlite3.DatabaseError) and (
        getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in _DAMAGED
    )


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
        cause = getattr(error, "orig", None) or error
        return StateError(f"{what} {where} cannot be used ({cause}); move it away, or set DATABASE_URL")
    return StateError(f"{what} cannot be used ({type(error).__name__}); check DATABASE_URL")
