"""The tables of watching: projects of demonstrations, their episodes, and raters' answers to what was wanted."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from annotation.server.db.tables import Base, EpisodeRecord, Person, Project, new_id

_ID = String(32)


class WatchedProject(Base):
    """A project whose episodes are demonstrations, and how they go to raters."""

    __tablename__ = "watched_projects"
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    overlap: Mapped[int] = mapped_column(default=1)  # raters for each demonstration
    open: Mapped[bool] = mapped_column(default=True)  # whether demonstrations are handed out
    project: Mapped[Project] = relationship(lazy="joined")


class Demonstration(Base):
    """An episode of a watched project. The goal of its setter is not kept here."""

    __tablename__ = "demonstrations"
    episode_id: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True)
    shown: Mapped[bool]  # False: it is no demonstration, see rlhf.replay.demonstrations
    episode: Mapped[EpisodeRecord] = relationship(lazy="joined")


class GoalAnswer(Base):
    """A demonstration that a rater watches, or has watched, and the last answer; the highest revision counts."""

    __tablename__ = "goal_answers"
    __table_args__ = (UniqueConstraint("episode_id", "rater_id"), Index("by_watcher", "rater_id", "submitted"))
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    episode_id: Mapped[str] = mapped_column(ForeignKey("demonstrations.episode_id", ondelete="CASCADE"))
    rater_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    opened: Mapped[float]
    locked_until: Mapped[float]  # until then nobody else gets the rater's place at the demonstration
    position: Mapped[int] = mapped_column(default=0)  # the step at which the rater was last
    active_sec: Mapped[float] = mapped_column(default=0.0)  # time the rater has worked on it, by the browser's count
    revision: Mapped[int] = mapped_column(default=0)  # 0: no answer yet
    goal: Mapped[str] = mapped_column(Text, default="{}")  # see InferredGoal.goal
    saved: Mapped[float | None]
    submitted: Mapped[float | None]
    exported: Mapped[float | None] = mapped_column(index=True)
    demonstration: Mapped[Demonstration] = relationship(lazy="joined")
    rater: Mapped[Person] = relationship()
