"""Public keys, used in web pages: a reader with such a key is not shown the conversations of other readers."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; existing keys are not public."""
    column: sa.Column[bool] = sa.Column("is_public", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("api_keys", column)
