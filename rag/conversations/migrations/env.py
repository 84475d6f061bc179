"""What alembic runs for each upgrade: the migrations, on the connection that the caller opened."""

from alembic import context

from rag.conversations.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
