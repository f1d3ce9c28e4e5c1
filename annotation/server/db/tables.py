"""The tables of the database. Times are seconds since 1970 (UTC); ids are random."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, and_, or_, select
from sqlalchemy.orm import DeclarativeBase, Mapped, aliased, mapped_column, relationship

from worlds.contract import STEPS_PER_SECOND

_ID, _NAME, _HASH, _KIND = String(32), String(80), String(200), String(16)


GONE = -1  # the place of an episode that is no longer in its dataset


def new_id() -> str:
    """Return an id that nobody can guess."""
    return uuid4().hex


class Base(DeclarativeBase):
    """Base class of every table."""


class Person(Base):
    """A person who takes part. Datasets have the ``pseudonym``; ``name`` never leaves the database."""

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


class BrowserSession(Base):
    """The sign-in of a browser; its cookie names it."""

    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(_HASH, primary_key=True)  # SHA-256 of the token in the cookie
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    created: Mapped[float]
    expires: Mapped[float]


class Invitation(Base):
    """A link that signs one browser in, once: a new person with a role, or, with ``person_id``, that person."""

    __tablename__ = "invitations"
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    token: Mapped[str] = mapped_column(_HASH, unique=True)  # SHA-256 of the token in the link
    role: Mapped[str] = mapped_column(String(16))
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    note: Mapped[str] = mapped_column(_NAME, default="")  # for whom it is, in the admin's words
    created: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float | None]


class Project(Base):
    """A dataset, as people see it."""

    __tablename__ = "projects"
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    dataset: Mapped[str] = mapped_column(String(255), unique=True)  # folder below the study's; "." is the study's own
    open: Mapped[bool] = mapped_column(default=True)  # whether anybody but admins may work in it
    created: Mapped[float]
    title: Mapped[str] = mapped_column(_NAME, default="")  # as people see it; "": the dataset's name
    instructions: Mapped[str] = mapped_column(Text, default="")  # for its people, plain text
    steps_per_second: Mapped[float] = mapped_column(default=STEPS_PER_SECOND)  # of its world, as last read
    place_settings: Mapped[str] = mapped_column(Text, default="")  # of games' places, a JSON object; "": not set here
    world_options: Mapped[str] = mapped_column(Text, default="")  # of games, a JSON object; "": not set here


class EpisodeRecord(Base):
    """An episode of a dataset, under the id that browsers see: one that is recorded again becomes another record."""

    __tablename__ = "episodes"
    __table_args__ = (UniqueConstraint("project_id", "episode_id"),)
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    episode_id: Mapped[str] = mapped_column(String(512))  # the dataset's; of what was recorded over, see ``set_aside``
    place: Mapped[int]  # in the order of recording; GONE: not in the dataset any more, kept for the work on it
    steps: Mapped[int]
    fingerprint: Mapped[str] = mapped_column(String(32), default="")  # of its content
    project: Mapped[Project] = relationship(lazy="joined")


def set_aside(episode_id: str, fingerprint: str) -> str:
    """Return the name of an episode's record when other content has been recorded under the episode's id."""
    return f"{episode_id}@{fingerprint}"


PRESENT = EpisodeRecord.place != GONE  # for queries: episodes that are in their dataset


# Rater tasks (annotation.tasks): how they go to raters, items, assignments, answers.


class TaskProject(Base):
    """How items of one kind go to raters in a project that has such items."""

    __tablename__ = "task_projects"
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(_KIND, primary_key=True)
    overlap: Mapped[int] = mapped_column(default=1)  # raters for each item
    open: Mapped[bool] = mapped_column(default=True)  # whether items are handed out
    settings: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)  # see RaterTask.Settings
    drawn_from: Mapped[str] = mapped_column(String(64), default="")  # a hash of the episodes of the last draw; "": none
    project: Mapped[Project] = relationship(lazy="joined")


class ItemRecord(Base):
    """An episode, or two clips, that raters get in one piece. Whose play it is is not kept here."""

    __tablename__ = "items"
    __table_args__ = (Index("by_project", "project_id", "kind"),)
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    kind: Mapped[str] = mapped_column(_KIND)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    episode_id: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), index=True)
    other_id: Mapped[str | None] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), index=True)
    number: Mapped[int] = mapped_column(default=0)  # of an item that is drawn, in the draw
    shown: Mapped[bool] = mapped_column(default=True)  # False: an episode that is no item, noted once
    facts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)  # see RaterTask.facts
    episode: Mapped[EpisodeRecord] = relationship(lazy="joined", foreign_keys=episode_id)
    other: Mapped[EpisodeRecord | None] = relationship(lazy="joined", foreign_keys=other_id)

    @property
    def episodes(self) -> list[EpisodeRecord]:
        """The episodes that it is about."""
        return [self.episode] if self.other is None else [self.episode, self.other]


_lost = aliased(EpisodeRecord)
_lost_ids = select(_lost.id).where(_lost.place == GONE)
WHOLE = and_(  # for queries: items whose episodes are in their dataset
    ItemRecord.episode_id.not_in(_lost_ids),
    or_(ItemRecord.other_id.is_(None), ItemRecord.other_id.not_in(_lost_ids)),
)


class Assignment(Base):
    """An item that a rater has, or had, to work on."""

    __tablename__ = "assignments"
    __table_args__ = (UniqueConstraint("item_id", "rater_id"), Index("by_rater", "rater_id", "submitted"))
    id: Mapped[str] = mapped_column(_ID, primary_key=True, default=new_id)
    item_id: Mapped[str] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"))
    rater_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    opened: Mapped[float]
    locked_until: Mapped[float]  # until then nobody else gets the rater's place at the item
    position: Mapped[int] = mapped_column(default=0)  # the step at which the rater was last
    active_sec: Mapped[float] = mapped_column(default=0.0)  # time the rater has worked on it, by the browser's count
    seen_steps: Mapped[list[list[int]] | None] = mapped_column(JSON(none_as_null=True))  # first, last; None: not known
    submitted: Mapped[float | None]
    exported: Mapped[float | None] = mapped_column(index=True)
    returned: Mapped[float | None]  # when the leader last sent it back
    return_reason: Mapped[str] = mapped_column(Text, default="")
    closed: Mapped[bool] = mapped_column(default=False)  # sent back, for another rater to work on
    withdrawing: Mapped[bool] = mapped_column(default=False)  # sent back; its records are to leave the dataset
    gold: Mapped[str] = mapped_column(String(16), default="")  # why it was given, if as gold: "training", "quality"
    item: Mapped[ItemRecord] = relationship(lazy="joined")
    rater: Mapped[Person] = relationship()
    answers: Mapped[list[AnswerRecord]] = relationship(passive_deletes=True, order_by="AnswerRecord.id")


class AnswerRecord(Base):
    """The last state of one answer. The browser gives its ``id``; the highest ``revision`` counts."""

    __tablename__ = "answers"
    assignment_id: Mapped[str] = mapped_column(ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    revision: Mapped[int]
    said: Mapped[dict[str, Any]] = mapped_column(JSON)  # see RaterTask.Answer
    empty: Mapped[bool]  # it says nothing (any more)
    saved: Mapped[float]


# Running a study: members of projects, consent, known marks, deleted people.


class Membership(Base):
    """A project that a person is restricted to; a person may have several, and without any sees every project."""

    __tablename__ = "memberships"
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True)


class InvitationProject(Base):
    """A project that the user of an invitation is restricted to."""

    __tablename__ = "invitation_projects"
    invitation_id: Mapped[str] = mapped_column(ForeignKey("invitations.id", ondelete="CASCADE"), primary_key=True)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)


class ConsentText(Base):
    """A version of the consent text. The highest counts; an empty text asks for nothing."""

    __tablename__ = "consent_texts"
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str] = mapped_column(Text)
    created: Mapped[float]


class Consent(Base):
    """The time at which a person agreed to a version of the text."""

    __tablename__ = "consents"
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(ForeignKey("consent_texts.version"), primary_key=True)
    agreed: Mapped[float]


class GoldEpisode(Base):
    """An episode whose marks are known: raters train on it, or are measured by it."""

    __tablename__ = "gold_episodes"
    episode_id: Mapped[str] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16))  # "training" or "quality"
    marks: Mapped[list[Any]] = mapped_column(JSON)  # [step, sign] of each
    source: Mapped[str] = mapped_column(String(255))  # whose marks they are: the rater's name in the dataset
    created: Mapped[float]
    episode: Mapped[EpisodeRecord] = relationship(lazy="joined")


class Removal(Base):
    """A person whose data is being deleted; the row is deleted last."""

    __tablename__ = "removals"
    pseudonym: Mapped[str] = mapped_column(_NAME, primary_key=True)
    episodes: Mapped[bool]  # whether the episodes in which they played are deleted, too
    asked: Mapped[float]
