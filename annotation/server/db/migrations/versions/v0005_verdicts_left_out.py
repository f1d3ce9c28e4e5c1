"""Verdicts of judges that count neither as success nor as failure."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the column."""
    op.add_column("judging_assignments", sa.Column("left_out", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("judging_assignments", "left_out")
