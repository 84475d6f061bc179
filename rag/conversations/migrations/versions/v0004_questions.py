"""Questions with their outcome and rating, and the rights of a key beyond reading.

Vectors are not stored: grouping embeds the questions at that time, with the index's current model.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0004"
down_revision = "0003"

JSON = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Create the table of questions, and let unlimited keys keep their right to ingest."""
    op.create_table(
        "asked_questions",
        sa.Column("thread_id", sa.Uuid(), primary_key=True),
        sa.Column("message_number", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("book_id", sa.String(200), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("hardware_tier", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.Column("confidence_level", sa.String(20), nullable=False),
        sa.Column("supported", sa.Boolean(), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float()),
        sa.Column("pages", JSON, nullable=False),
        sa.Column("rating", sa.String(4)),
        sa.Column("comment", sa.Text()),
    )
    op.create_index("idx_questions_asked", "asked_questions", ["asked_at"])
    op.create_index("idx_questions_usage", "asked_questions", ["owner", "day"])
    for name in ("may_ingest", "is_owner"):
        column: sa.Column[bool] = sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())
        op.add_column("api_keys", column)
    _keep_the_right_to_ingest()


def _keep_the_right_to_ingest() -> None:
    keys = sa.table("api_keys", sa.column("key_id"), sa.column("books", JSON), sa.column("highest_tier"))
    writers = sa.table("api_keys", sa.column("key_id"), sa.column("may_ingest", sa.Boolean()))
    public = sa.column("is_public", sa.Boolean())
    connection = op.get_bind()
    for key_id, books, tier in connection.execute(sa.select(keys).where(sa.not_(public))).all():
        if not books and tier == 4:
            connection.execute(sa.update(writers).where(writers.c.key_id == key_id).values(may_ingest=True))
