"""Cost per key and day, kept when questions are deleted: deleting a conversation refunds nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the ledger from the existing questions."""
    op.create_table(
        "spending",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float()),
    )
    op.execute(
        "INSERT INTO spending (owner, day, questions, tokens, cost) "
        "SELECT owner, day, count(*), sum(tokens), sum(cost) FROM asked_questions GROUP BY owner, day"
    )
