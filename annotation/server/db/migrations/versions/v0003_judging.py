"""Continuations that are judged, and judges' verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "judged_projects",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id"),
    )
    op.create_table(
        "continuations",
        sa.Column("episode_id", sa.String(length=32), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("request_step", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("episode_id"),
    )
    op.create_table(
        "judging_assignments",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("episode_id", sa.String(length=32), nullable=False),
        sa.Column("judge_id", sa.String(length=32), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("locked_until", sa.Double(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active_sec", sa.Double(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("success", sa.Boolean(), nullable=True),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("saved", sa.Double(), nullable=True),
        sa.Column("submitted", sa.Double(), nullable=True),
        sa.Column("exported", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["episode_id"], ["continuations.episode_id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["judge_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("episode_id", "judge_id"),
    )
    op.create_index("by_judge", "judging_assignments", ["judge_id", "submitted"], unique=False)
    op.create_index(op.f("ix_judging_assignments_exported"), "judging_assignments", ["exported"], unique=False)


def downgrade() -> None:
    """Remove them."""
    op.drop_index(op.f("ix_judging_assignments_exported"), table_name="judging_assignments")
    op.drop_index("by_judge", table_name="judging_assignments")
    op.drop_table("judging_assignments")
    op.drop_table("continuations")
    op.drop_table("judged_projects")
