"""Index for lists of threads, live and archived, which then never read the messages.

SQLite keeps a row's long texts in a chain of pages that every read of a later column follows, so there the index has
all that a list shows. PostgreSQL stores long values separately, and limits the size of an index row.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

SHOWN = ("created_at", "topic_summary", "metadata", "message_count")


def upgrade() -> None:
    """Create the indexes."""
    shown = SHOWN if op.get_bind().dialect.name == "sqlite" else ()
    op.drop_index("idx_threads_owner", "conversation_threads")
    for name, table in (("idx_threads_list", "conversation_threads"), ("idx_archive_list", "archived_threads")):
        op.create_index(name, table, ["owner", sa.text("updated_at DESC"), "thread_id", *shown])
