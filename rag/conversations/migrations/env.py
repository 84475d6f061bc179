"""Run by alembic for each upgrade: applies the migrations on the caller's connection."""

from alembic import context

from rag.conversations.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
