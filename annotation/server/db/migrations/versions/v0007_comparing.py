"""Pairs of clips that are compared, and raters' answers."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "compared_projects",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("clip_seconds", sa.Double(), nullable=False),
        sa.Column("within_share", sa.Double(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("drawn_from", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id"),
    )
    op.create_table(
        "clip_pairs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("episode_a", sa.String(length=32), nullable=False),
        sa.Column("begin_a", sa.Integer(), nullable=False),
        sa.Column("request_a", sa.Text(), nullable=False),
        sa.Column("episode_b", sa.String(length=32), nullable=False),
        sa.Column("begin_b", sa.Integer(), nullable=False),
        sa.Column("request_b", sa.Text(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["compared_projects.project_id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["episode_a"], ["episodes.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["episode_b"], ["episodes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project_id", "number"),
    )
    op.create_table(
        "comparisons",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("pair_id", sa.String(length=32), nullable=False),
        sa.Column("rater_id", sa.String(length=32), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("locked_until", sa.Double(), nullable=False),
        sa.Column("active_sec", sa.Double(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(length=16), nullable=False),
        sa.Column("saved", sa.Double(), nullable=True),
        sa.Column("submitted", sa.Double(), nullable=True),
        sa.Column("exported", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["pair_id"], ["clip_pairs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["rater_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("pair_id", "rater_id"),
    )
    op.create_index("by_comparer", "comparisons", ["rater_id", "submitted"], unique=False)
    op.create_index(op.f("ix_comparisons_exported"), "comparisons", ["exported"], unique=False)


def downgrade() -> None:
    """Remove them."""
    op.drop_index(op.f("ix_comparisons_exported"), table_name="comparisons")
    op.drop_index("by_comparer", table_name="comparisons")
    for table in ("comparisons", "clip_pairs", "compared_projects"):
        op.drop_table(table)
