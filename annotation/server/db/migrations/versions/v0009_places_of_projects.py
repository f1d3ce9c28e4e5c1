"""Places of every project's games, as the study's leader sets them: before, games followed the dataset alone."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the columns."""
    for name in ("place_settings", "world_options"):
        op.add_column("projects", sa.Column(name, sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove them."""
    for name in ("place_settings", "world_options"):
        op.drop_column("projects", name)
