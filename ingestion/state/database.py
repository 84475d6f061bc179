"""One table in any database SQLAlchemy knows, opened at its first use; its errors become ours.

SQLAlchemy takes half a second to import, so nothing here imports it before a table is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import ConfigurationError, StateError
from ingestion.own_files import make_own_folder

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, MetaData, Table

TableMaker = Callable[["MetaData"], "Table"]

CONNECT_SECONDS = 5
_LEDGER = "the job ledger's database"


class Database:
    """The database of one table, which is made where it is missing."""

    def __init__(self, url: str, table: TableMaker) -> None:
        self._url = url
        self._table = table
        self._opened: tuple[Engine, Table] | None = None

    @property
    def is_there(self) -> bool:
        """Whether it may hold anything: False only for a file of SQLite that nothing was written to yet."""
        file = self._url.removeprefix("sqlite:///")
        return file == self._url or Path(file).exists()

    @contextmanager
    def transaction(self) -> Iterator[tuple[Connection, Table]]:
        """Commit at the end of the block, roll back on an error; raises StateError where the database fails."""
        from sqlalchemy.exc import SQLAlchemyError

        if self._opened is None:
            self._opened = _open(self._url, self._table)
        engine, table = self._opened
        try:
            with engine.begin() as connection:
                yield connection, table
        except SQLAlchemyError as error:
            raise unusable(_LEDGER, error) from None

    def close(self) -> None:
        """Release the database."""
        if self._opened:
            self._opened[0].dispose()
            self._opened = None


def _open(url: str, make_table: TableMaker) -> tuple[Engine, Table]:
    from sqlalchemy import MetaData, create_engine

    table = make_table(MetaData())
    with opening_errors(_LEDGER):
        engine = create_engine(url)
        if engine.dialect.name == "sqlite" and engine.url.database:
            make_own_folder(Path(engine.url.database).parent)
        table.metadata.create_all(engine)
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


@contextmanager
def opening_errors(what: str) -> Iterator[None]:
    """Raise ConfigurationError for a DATABASE_URL that cannot be used, StateError for a database that cannot.

    `what` names the database, for people.
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
        raise unusable(what, error) from None


def unusable(what: str, error: Exception) -> StateError:
    """The error to raise; the database's own words may hold the URL with its password, so they are left out."""
    return StateError(f"{what} cannot be used ({type(error).__name__}); check DATABASE_URL")
