"""What the database holds. Times are seconds since 1970 (UTC); ids are random and say nothing."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

_ID, _NAME, _HASH = String(32), String(80), String(200)


def new_id() -> str:
    """An id that nobody can guess."""
    return uuid4().hex


class Base(DeclarativeBase):
    """Every table's base."""


class Person(Base):
    """Somebody who takes part. ``pseudonym`` is what datasets call them; ``name`` never leaves the database."""

    __tablename__ = "people"
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(_NAME, unique=True)
    pseudonym: Mapped[str] = mapped_column(_NAME, unique=True)
    password: Mapped[str | None] = mapped_column(_HASH)  # argon2; None: by link only
    active: Mapped[bool] = mapped_column(default=True)
    created: Mapped[float]
    roles: Mapped[list[PersonRole]] = relationship(lazy="selectin", cascade="all, delete-orphan")


class PersonRole(Base):
    """A role that a person has."""

    __tablename__ = "person_roles"
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    role: Mapped[str] = mapped_column(String(16), primary_key=True)


class Session(Base):
    """A browser that is signed in; its cookie names it."""

    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(_HASH, primary_key=True)  # SHA-256 of what the cookie says
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    created: Mapped[float]
    expires: Mapped[float]


class Invitation(Base):
    """A link that signs one browser in, once: a new person with a role, or, with ``person_id``, that person."""

    __tablename__ = "invitations"
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    token: Mapped[str] = mapped_column(_HASH, unique=True)  # SHA-256 of what the link says
    role: Mapped[str] = mapped_column(String(16))
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    note: Mapped[str] = mapped_column(_NAME, default="")  # for whom it is, in the admin's words
    created: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float | None]


class Project(Base):
    """A dataset, and how its episodes go to raters."""

    __tablename__ = "projects"
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    dataset: Mapped[str] = mapped_column(String(255), unique=True)  # folder below the study's; "." is the study's own
    overlap: Mapped[int] = mapped_column(default=1)  # raters per episode
    strategy: Mapped[str] = mapped_column(String(16), default="breadth")  # a name in annotation.queues
    open: Mapped[bool] = mapped_column(default=True)  # whether episodes are handed out
    created: Mapped[float]


class EpisodeRecord(Base):
    """An episode of a dataset, under the id that browsers see."""

    __tablename__ = "episodes"
    __table_args__ = (UniqueConstraint("project_id", "episode_id"),)
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    episode_id: Mapped[str] = mapped_column(String(512))  # the dataset's
    place: Mapped[int]  # in the order of recording
    steps: Mapped[int]
    project: Mapped[Project] = relationship(lazy="joined")


class Assignment(Base):
    """An episode that a rater has, or had, to mark."""

    __tablename__ = "assignments"
    __table_args__ = (UniqueConstraint("episode_id", "rater_id"), Index("by_rater", "rater_id", "submitted"))
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    episode_id: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"))
    rater_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    opened: Mapped[float]
    locked_until: Mapped[float]  # until then nobody else gets the rater's place at the episode
    position: Mapped[int] = mapped_column(default=0)  # the step at which the rater was last
    active_sec: Mapped[float] = mapped_column(default=0.0)  # time the rater has worked on it, by the browser's count
    submitted: Mapped[float | None]
    exported: Mapped[float | None] = mapped_column(index=True)
    episode: Mapped[EpisodeRecord] = relationship(lazy="joined")
    rater: Mapped[Person] = relationship(lazy="joined")


class MarkRecord(Base):
    """What a rater last said of one mark. ``id`` is the browser's; the highest ``revision`` counts."""

    __tablename__ = "marks"
    assignment_id: Mapped[str] = mapped_column(ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    revision: Mapped[int]
    step: Mapped[int]
    sign: Mapped[int]
    deleted: Mapped[bool]
    saved: Mapped[float]
