"""The steps of an episode that raters have seen, and work that is sent back."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the columns."""
    for column in (
        sa.Column("seen_steps", sa.JSON(), nullable=True),
        sa.Column("returned", sa.Double(), nullable=True),
        sa.Column("return_reason", sa.Text(), nullable=False, server_default=""),
        sa.Column("closed", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("withdrawing", sa.Boolean(), nullable=False, server_default=sa.false()),
    ):
        op.add_column("assignments", column)


def downgrade() -> None:
    """Remove them."""
    for column in ("seen_steps", "returned", "return_reason", "closed", "withdrawing"):
        op.drop_column("assignments", column)
