"""Databases in a checkout that are not ours: their keys open nothing, their triggers and views do not run."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ingestion.embedding.cache import EmbeddingCache
from ingestion.state.database import SqliteFile
from ingestion.state.job_ledger import _INDEX, _TABLE
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import ConversationDatabase
from rag.conversations.tables import NAMES

NAMES_OF = {"threads.sqlite": "conversation_threads", "jobs.sqlite": "ingestion_jobs", "embeddings.sqlite": "vectors"}


def use(file: Path) -> None:
    """Open the database as its owner does, and make it ours where it is new."""
    if file.name == "threads.sqlite":
        with closing(ConversationDatabase(file)) as database:
            KeyStore(database).list()
    elif file.name == "jobs.sqlite":
        with closing(SqliteFile(file, (_TABLE, _INDEX))) as jobs, jobs.transaction() as execute:
            execute("SELECT * FROM ingestion_jobs")
    else:
        with closing(EmbeddingCache(file)) as cache:
            cache.put({"a": np.ones(3, np.float32)})
            assert cache.get(["a"])


@pytest.fixture(params=NAMES_OF)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / ".bookwise" / str(request.param)


def test_our_own_is_used_again(file: Path) -> None:
    use(file)
    use(file)
    assert not file.with_name(f"{file.name}.foreign").exists()


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN SELECT 1; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE other (a)",
        "CREATE INDEX i ON {table} (1)",
    ],
)
def test_what_we_never_make_is_set_aside(file: Path, made: str, caplog: pytest.LogCaptureFixture) -> None:
    use(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(made.format(table=NAMES_OF[file.name]))
    use(file)
    assert file.with_name(f"{file.name}.foreign").exists() and "may come from a stranger" in caplog.text
    with closing(sqlite3.connect(file)) as connection:
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchall()


@pytest.mark.parametrize(("default", "is_ours"), [("0", True), ("(0)", True), ("(random())", False)])
def test_a_default_that_is_a_number_computes_nothing_however_it_is_written(
    file: Path, default: str, is_ours: bool
) -> None:
    use(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"ALTER TABLE {NAMES_OF[file.name]} ADD COLUMN extra INTEGER DEFAULT 0")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'DEFAULT 0', ?)", (f"DEFAULT {default}",))
    use(file)
    assert file.with_name(f"{file.name}.foreign").exists() is not is_ours


def test_a_table_of_our_name_that_computes_is_set_aside(file: Path) -> None:
    file.parent.mkdir()
    table = NAMES_OF[file.name]
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE {table} (a TEXT CHECK (length(hex(randomblob(1000000000))) > 0))")
    use(file)
    assert file.with_name(f"{file.name}.foreign").exists()


def test_keys_in_a_database_that_git_tracks_open_nothing(tmp_path: Path) -> None:
    file = tmp_path / ".bookwise" / "threads.sqlite"
    with closing(ConversationDatabase(file)) as database:
        _, secret = KeyStore(database).add("owner", is_owner=True)
    for command in (["init", "-q"], ["add", "-f", ".bookwise/threads.sqlite"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    with closing(ConversationDatabase(file)) as database:
        assert KeyStore(database).find(secret) is None and not KeyStore(database).any_active()
    assert file.with_name("threads.sqlite.foreign").exists()


def test_every_table_and_index_that_migrations_make_is_known(tmp_path: Path) -> None:
    use(tmp_path / "threads.sqlite")
    with closing(sqlite3.connect(tmp_path / "threads.sqlite")) as connection:
        made = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert {name for name in made if not name.startswith("sqlite_")} <= NAMES
