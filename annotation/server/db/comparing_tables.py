"""The tables of comparing clips: projects of which clips are compared, pairs of clips, and answers."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from annotation.server.db.tables import Base, EpisodeRecord, Person, Project, new_id

_ID = String(32)


class ComparedProject(Base):
    """A project of whose episodes clips are compared, how pairs of them are drawn, and how they go to raters."""

    __tablename__ = "compared_projects"
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    pairs: Mapped[int] = mapped_column(default=0)  # that are wanted
    clip_seconds: Mapped[float] = mapped_column(default=4.0)
    within_share: Mapped[float] = mapped_column(default=0.5)  # of pairs whose clips are of one episode
    seed: Mapped[int] = mapped_column(default=0)  # of the draw
    overlap: Mapped[int] = mapped_column(default=1)  # raters for each pair
    open: Mapped[bool] = mapped_column(default=True)  # whether pairs are handed out
    drawn_from: Mapped[str] = mapped_column(String(64), default="")  # a hash of the episodes of the last draw; "": none
    project: Mapped[Project] = relationship(lazy="joined")


class ClipPairRecord(Base):
    """Two clips of recorded play. Of which player they are is not kept here."""

    __tablename__ = "clip_pairs"
    __table_args__ = (UniqueConstraint("project_id", "number"),)
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("compared_projects.project_id", ondelete="CASCADE"))
    number: Mapped[int]  # of the pair in the draw
    episode_a: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"))
    begin_a: Mapped[int]
    request_a: Mapped[str] = mapped_column(Text)  # the setter's words that the solver had heard
    episode_b: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"))
    begin_b: Mapped[int]
    request_b: Mapped[str] = mapped_column(Text)
    steps: Mapped[int]  # of each clip
    of_a: Mapped[EpisodeRecord] = relationship(lazy="joined", foreign_keys=episode_a)
    of_b: Mapped[EpisodeRecord] = relationship(lazy="joined", foreign_keys=episode_b)


class Comparison(Base):
    """A pair of clips that a rater has, or had, to compare, and the last answer; the highest revision counts."""

    __tablename__ = "comparisons"
    __table_args__ = (UniqueConstraint("pair_id", "rater_id"), Index("by_comparer", "rater_id", "submitted"))
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    pair_id: Mapped[str] = mapped_column(ForeignKey("clip_pairs.id", ondelete="CASCADE"))
    rater_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    swapped: Mapped[bool]  # clip B is on the left of the rater's page
    opened: Mapped[float]
    locked_until: Mapped[float]  # until then nobody else gets the rater's place at the pair
    active_sec: Mapped[float] = mapped_column(default=0.0)  # time the rater has worked on it, by the browser's count
    revision: Mapped[int] = mapped_column(default=0)  # 0: no answer yet
    answer: Mapped[str] = mapped_column(String(16), default="")  # see ClipPair.answer; "": none, or taken back
    saved: Mapped[float | None]
    submitted: Mapped[float | None]
    exported: Mapped[float | None] = mapped_column(index=True)
    pair: Mapped[ClipPairRecord] = relationship(lazy="joined")
    rater: Mapped[Person] = relationship()
