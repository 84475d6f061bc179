"""Keys that stand in public pages: who holds one is not told of the conversations of its other holders."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; keys that are there are not public."""
    column: sa.Column[bool] = sa.Column("is_public", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("api_keys", column)
