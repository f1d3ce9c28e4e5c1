"""The clock of every project's world: before, all were the Playhouse's."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the column."""
    op.add_column("projects", sa.Column("steps_per_second", sa.Double(), nullable=False, server_default="3.75"))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("projects", "steps_per_second")
