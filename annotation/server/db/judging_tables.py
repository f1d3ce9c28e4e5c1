"""The tables of judging: projects that are judged, continuations, and verdicts."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from annotation.server.db.tables import Base, EpisodeRecord, Person, Project, new_id

_ID = String(32)


class JudgedProject(Base):
    """A project whose episodes are continuations of a suite, and how they go to judges."""

    __tablename__ = "judged_projects"
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    overlap: Mapped[int] = mapped_column(default=1)  # judges for each continuation
    open: Mapped[bool] = mapped_column(default=True)  # whether continuations are handed out
    project: Mapped[Project] = relationship(lazy="joined")


class Continuation(Base):
    """A continuation, with what a judge sees beside its words and frames. Its agent is not kept here."""

    __tablename__ = "continuations"
    episode_id: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True)
    step: Mapped[int]  # the first that is judged
    request_step: Mapped[int]
    request: Mapped[str] = mapped_column(Text)
    episode: Mapped[EpisodeRecord] = relationship(lazy="joined")


class JudgingAssignment(Base):
    """A continuation that a judge has, or had, to judge, and the last verdict; the highest revision counts."""

    __tablename__ = "judging_assignments"
    __table_args__ = (UniqueConstraint("episode_id", "judge_id"), Index("by_judge", "judge_id", "submitted"))
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    episode_id: Mapped[str] = mapped_column(ForeignKey("continuations.episode_id", ondelete="CASCADE"))
    judge_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    opened: Mapped[float]
    locked_until: Mapped[float]  # until then nobody else gets the judge's place at the continuation
    position: Mapped[int] = mapped_column(default=0)  # the step at which the judge was last
    active_sec: Mapped[float] = mapped_column(default=0.0)  # time the judge has worked on it, by the browser's count
    revision: Mapped[int] = mapped_column(default=0)  # 0: no verdict yet
    success: Mapped[bool | None]  # None: no verdict, it was taken back, or it is left out
    left_out: Mapped[str] = mapped_column(String(16), default="", server_default="")  # see Judgement.left_out
    step: Mapped[int | None]  # of success
    saved: Mapped[float | None]
    submitted: Mapped[float | None]
    exported: Mapped[float | None] = mapped_column(index=True)
    continuation: Mapped[Continuation] = relationship(lazy="joined")
    judge: Mapped[Person] = relationship()
