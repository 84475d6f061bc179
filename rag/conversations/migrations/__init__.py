"""Migrate the database of conversations to the newest schema: one file in `versions` per change, by alembic."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

VERSION_TABLE = "bookwise_version"
"""A name of our own: other programs may keep their tables in the same database."""

_ONE_AT_A_TIME = Lock()
"""Alembic keeps its connection in a global."""


def upgrade(engine: Engine) -> None:
    """Apply missing migrations; a current database is only asked for its version."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with _ONE_AT_A_TIME, engine.execution_options(write=True).begin() as connection:
        if connection.dialect.name == "postgresql":
            # Two processes that start at once must not both create the tables.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(8004)")
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        if context.get_current_revision() != ScriptDirectory.from_config(config).get_current_head():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
