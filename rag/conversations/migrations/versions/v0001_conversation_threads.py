"""Conversations, their older messages, and the archive of unused ones.

An archived thread keeps the columns of a live one, so that it can be restored unchanged.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None

JSON = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Create the tables."""
    for name in ("conversation_threads", "archived_threads"):
        op.create_table(name, *_thread_columns())
    op.create_index("idx_threads_updated", "conversation_threads", [sa.text("updated_at DESC")])
    op.create_index("idx_threads_created", "conversation_threads", [sa.text("created_at DESC")])
    op.create_index("idx_threads_owner", "conversation_threads", ["owner", sa.text("updated_at DESC")])
    op.create_table(
        "archived_messages",
        sa.Column("thread_id", sa.Uuid(), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("message", JSON, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("books", JSON, nullable=False),
        sa.Column("highest_tier", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
    )


def _thread_columns() -> list[sa.Column[object]]:
    now = sa.text("CURRENT_TIMESTAMP")
    return [
        sa.Column("thread_id", sa.Uuid(), primary_key=True),
        sa.Column("messages", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=now),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False, server_default=now),
        sa.Column("topic_summary", sa.Text()),
        sa.Column("metadata", JSON, server_default=sa.text("'{}'")),
        sa.Column("owner", sa.String(200), nullable=False, server_default=""),
        sa.Column("message_count", sa.Integer(), nullable=False, server_default="0"),
    ]
