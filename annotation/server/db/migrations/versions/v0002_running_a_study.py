"""Projects with a title and people of their own; consent; gold episodes; people who leave."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_ID, _NAME = sa.String(length=32), sa.String(length=80)


def upgrade() -> None:
    """Make the tables and columns."""
    for column in (
        sa.Column("title", _NAME, nullable=False, server_default=""),
        sa.Column("instructions", sa.Text(), nullable=False, server_default=""),
        sa.Column("marking", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("tolerance", sa.Integer(), nullable=False, server_default="4"),
        sa.Column("gold_every", sa.Integer(), nullable=False, server_default="10"),
        sa.Column("export_gold", sa.Boolean(), nullable=False, server_default=sa.false()),
    ):
        op.add_column("projects", column)
    op.add_column("assignments", sa.Column("gold", sa.String(length=16), nullable=False, server_default=""))
    op.create_table(
        "memberships",
        sa.Column("project_id", _ID, nullable=False),
        sa.Column("person_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("project_id", "person_id"),
    )
    op.create_index(op.f("ix_memberships_person_id"), "memberships", ["person_id"], unique=False)
    op.create_table(
        "invitation_projects",
        sa.Column("invitation_id", _ID, nullable=False),
        sa.Column("project_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("invitation_id", "project_id"),
    )
    op.create_table(
        "consent_texts",
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("version"),
    )
    op.create_table(
        "consents",
        sa.Column("person_id", _ID, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("agreed", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["version"], ["consent_texts.version"]),
        sa.PrimaryKeyConstraint("person_id", "version"),
    )
    op.create_table(
        "gold_episodes",
        sa.Column("episode_id", _ID, nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(length=255), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("episode_id"),
    )
    op.create_table(
        "removals",
        sa.Column("pseudonym", _NAME, nullable=False),
        sa.Column("episodes", sa.Boolean(), nullable=False),
        sa.Column("asked", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pseudonym"),
    )


def downgrade() -> None:
    """Remove them."""
    for table in ("removals", "gold_episodes", "consents", "consent_texts", "invitation_projects", "memberships"):
        op.drop_table(table)
    op.drop_column("assignments", "gold")
    for column in ("title", "instructions", "marking", "tolerance", "gold_every", "export_gold"):
        op.drop_column("projects", column)
