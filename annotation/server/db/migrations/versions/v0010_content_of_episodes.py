"""The fingerprint of every episode's content: before, an episode that was recorded again kept its marks."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the column; the next listing fills it."""
    op.add_column("episodes", sa.Column("fingerprint", sa.String(32), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("episodes", "fingerprint")
