"""Demonstrations that are watched, and raters' answers to what was wanted."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "watched_projects",
        sa.Column("project_id", sa.String(length=32), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id"),
    )
    op.create_table(
        "demonstrations",
        sa.Column("episode_id", sa.String(length=32), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("episode_id"),
    )
    op.create_table(
        "goal_answers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("episode_id", sa.String(length=32), nullable=False),
        sa.Column("rater_id", sa.String(length=32), nullable=False),
        sa.Column("opened", sa.Double(), nullable=False),
        sa.Column("locked_until", sa.Double(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active_sec", sa.Double(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("saved", sa.Double(), nullable=True),
        sa.Column("submitted", sa.Double(), nullable=True),
        sa.Column("exported", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["episode_id"], ["demonstrations.episode_id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["rater_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("episode_id", "rater_id"),
    )
    op.create_index("by_watcher", "goal_answers", ["rater_id", "submitted"], unique=False)
    op.create_index(op.f("ix_goal_answers_exported"), "goal_answers", ["exported"], unique=False)


def downgrade() -> None:
    """Remove them."""
    op.drop_index(op.f("ix_goal_answers_exported"), table_name="goal_answers")
    op.drop_index("by_watcher", table_name="goal_answers")
    for table in ("goal_answers", "demonstrations", "watched_projects"):
        op.drop_table(table)
