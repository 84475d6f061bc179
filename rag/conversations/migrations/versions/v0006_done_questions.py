"""Whether the owner has dealt with a question."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column; no existing question is done."""
    column: sa.Column[bool] = sa.Column("is_done", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("asked_questions", column)
