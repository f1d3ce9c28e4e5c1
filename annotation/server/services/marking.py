"""Marking: an episode goes to a rater, their marks are kept, and they submit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from annotation.agreement.gold import TRAINING, purpose_due
from annotation.assignment import Waiting, next_episode
from annotation.server.db.tables import PRESENT, Assignment, EpisodeRecord, GoldEpisode, MarkRecord, Project
from annotation.server.errors import Refused
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services.members import project_of, visible_to
from annotation.server.services.revisions import is_newer
from annotation.server.services.seen import merge_ranges

MARKS_PER_EPISODE = 5000  # deleted ones included; far more than people give


@dataclass(frozen=True)
class MarkEdit:
    """The state of one mark in a browser; of two edits the one with the higher revision counts."""

    id: str
    revision: int
    step: int
    sign: int
    deleted: bool


def open_next(
    session: Session, visitor: Visitor, there: Sequence[str], when: float, lock_sec: float
) -> Assignment | None:
    """Return the episode that the rater has begun, or else a new one; None if there is nothing to do.

    A rater who returns to an episode whose lock has expired continues it all the same: work is never lost, at the price
    of an occasional rater more than wanted. Gold episodes for training come first.

    Args:
      session: of the database, for writing.
      visitor: the rater.
      there: the present datasets; work in others waits until they are back.
      when: seconds since 1970.
      lock_sec: how long the episode stays with the rater.
    """
    projects = [*_handing_out(visitor), Project.dataset.in_(there)]
    begun = session.scalar(
        select(Assignment)
        .join(EpisodeRecord)
        .where(
            Assignment.rater_id == visitor.person_id,
            Assignment.submitted.is_(None),
            Assignment.closed.is_(False),
            EpisodeRecord.project_id.in_(select(Project.id).where(*projects)),
            PRESENT,
        )
        .order_by(Assignment.opened)
        .limit(1)
    )
    if begun is not None:
        begun.locked_until = max(begun.locked_until, when + lock_sec)
        return begun
    for project in session.scalars(
        select(Project).where(*projects).order_by(Project.created, Project.dataset).with_for_update()
    ).all():
        found = _choose(session, project, visitor.person_id, when)
        if found is not None:
            key, purpose = found
            new = Assignment(
                episode=session.get_one(EpisodeRecord, key), rater_id=visitor.person_id, opened=when,
                locked_until=when + lock_sec, position=0, gold=purpose,
            )  # fmt: skip
            session.add(new)
            session.flush()
            return new
    return None


def _handing_out(visitor: Visitor) -> list[ColumnElement[bool]]:
    """Return the conditions on projects whose episodes this rater may get."""
    conditions: list[ColumnElement[bool]] = [Project.open.is_(True), Project.marking.is_(True)]
    return conditions if Role.ADMIN in visitor.roles else [*conditions, visible_to(visitor.person_id)]


def _choose(session: Session, project: Project, rater_id: str, when: float) -> tuple[str, str] | None:
    """Return the episode of ``project`` that the rater gets next, and its purpose if it is gold."""
    for purpose in (TRAINING, purpose_due(_history(session, project, rater_id), project.gold_every)):
        if purpose and (key := _gold(session, project, rater_id, purpose)) is not None:
            return key, purpose
    found = next_episode(_waiting(session, project, rater_id, when), project.overlap, project.strategy, rater_id)
    return (found.key, "") if found else None


def _gold(session: Session, project: Project, rater_id: str, purpose: str) -> str | None:
    """Return the first gold episode that the rater has not had."""
    return session.scalar(
        select(EpisodeRecord.id)
        .join(GoldEpisode)
        .where(
            EpisodeRecord.project_id == project.id,
            PRESENT,
            GoldEpisode.purpose == purpose,
            EpisodeRecord.id.not_in(select(Assignment.episode_id).where(Assignment.rater_id == rater_id)),
        )
        .order_by(EpisodeRecord.place)
        .limit(1)
    )


def _history(session: Session, project: Project, rater_id: str) -> list[str]:
    """Return the purpose for which the rater got each of their episodes of ``project``, in order."""
    query = select(Assignment.gold).join(EpisodeRecord)
    query = query.where(EpisodeRecord.project_id == project.id, Assignment.rater_id == rater_id)
    return list(session.scalars(query.order_by(Assignment.opened)))


def _waiting(session: Session, project: Project, rater_id: str, when: float) -> list[Waiting]:
    """Return the ordinary episodes of ``project`` that the rater has not had, each with its number of raters."""
    counts = and_(
        Assignment.episode_id == EpisodeRecord.id,
        Assignment.gold == "",  # raters who had it as a gold episode do not count
        or_(Assignment.submitted.is_not(None), Assignment.locked_until > when),
    )
    had = select(Assignment.episode_id).where(Assignment.rater_id == rater_id).correlate(None)
    query = (
        select(EpisodeRecord.id, EpisodeRecord.place, func.count(Assignment.id))
        .outerjoin(Assignment, counts)
        .where(
            EpisodeRecord.project_id == project.id,
            PRESENT,
            EpisodeRecord.id.not_in(had),
            EpisodeRecord.id.not_in(select(GoldEpisode.episode_id)),
        )
        .group_by(EpisodeRecord.id, EpisodeRecord.place)
    )
    return [Waiting(key, place, raters) for key, place, raters in session.execute(query)]


def own_assignment(session: Session, assignment_id: str, visitor: Visitor) -> Assignment:
    """Return the rater's assignment. Raises Refused if it is another's, unknown, or in a project they do not see."""
    assignment = session.get(Assignment, assignment_id)
    if assignment is None or assignment.rater_id != visitor.person_id:
        raise Refused(404, "you have no such episode to mark")
    project_of(session, visitor, assignment.episode.project_id)
    if assignment.closed:
        raise Refused(409, "this episode went to another rater")
    return assignment


def marks_of(session: Session, assignment_id: str) -> list[MarkRecord]:
    """Return the state of every mark of an assignment, deleted ones included, by step."""
    query = select(MarkRecord).where(MarkRecord.assignment_id == assignment_id)
    return list(session.scalars(query.order_by(MarkRecord.step, MarkRecord.id)))


def save(session: Session, assignment: Assignment, said: Sequence[MarkEdit], when: float) -> list[MarkRecord]:
    """Save edits of marks; they may come twice and in any order.

    Args:
      session: of the database, for writing.
      assignment: the rater's.
      said: the edits.
      when: seconds since 1970.

    Returns:
      the state of each mark that was named.

    Raises:
      Refused: if the episode is submitted and this would change it, or a mark lies outside it, or another window has
        changed a mark otherwise in this revision.
    """
    named, own = {mark.id for mark in said}, MarkRecord.assignment_id == assignment.id
    known = {record.id: record for record in session.scalars(select(MarkRecord).where(own, MarkRecord.id.in_(named)))}
    there = session.scalar(select(func.count()).where(own)) or 0
    if there + len(named - known.keys()) > MARKS_PER_EPISODE:
        raise Refused(409, f"an episode has at most {MARKS_PER_EPISODE} marks")
    for mark in said:
        if mark.step >= assignment.episode.steps:
            raise Refused(422, f"the episode has steps 0 to {assignment.episode.steps - 1}, not {mark.step}")
        record = known.get(mark.id)
        if record is not None and not is_newer(mark.revision, record.revision, mark == _kept(record)):
            continue
        if assignment.submitted is not None:
            raise Refused(409, "the episode is submitted; its marks do not change any more")
        if record is None:
            record = known[mark.id] = MarkRecord(assignment_id=assignment.id, id=mark.id)
            session.add(record)
        record.revision, record.step, record.sign = mark.revision, mark.step, mark.sign
        record.deleted, record.saved = mark.deleted, when
    return [known[mark_id] for mark_id in dict.fromkeys(mark.id for mark in said)]


def _kept(record: MarkRecord) -> MarkEdit:
    return MarkEdit(record.id, record.revision, record.step, record.sign, record.deleted)


def note_work(
    assignment: Assignment, position: int | None, active_sec: float, seen: Sequence[Sequence[int]] | None
) -> None:
    """Note where the rater is in an episode that is not submitted yet, and what they have done so far.

    Args:
      assignment: the rater's.
      position: the step at which they are; None leaves it as it was.
      active_sec: time of work in all.
      seen: ranges of steps, first and last, beside those noted before; None says nothing.
    """
    if assignment.submitted is not None:
        return
    last = assignment.episode.steps - 1
    if position is not None:
        assignment.position = min(position, last)
    assignment.active_sec = max(assignment.active_sec, active_sec)
    if seen is not None:
        inside = [(first, min(end, last)) for first, end in seen if first <= last]
        assignment.seen_steps = merge_ranges(assignment.seen_steps or (), inside)


def submit(session: Session, assignment: Assignment, living: int, when: float) -> None:
    """Note that the rater has finished. Raises Refused if the browser counts other marks than the server has."""
    if assignment.submitted is not None:
        return
    kept = sum(not record.deleted for record in marks_of(session, assignment.id))
    if kept != living:
        marks = "1 mark" if kept == 1 else f"{kept} marks"
        raise Refused(409, f"the server has {marks} of this episode and your browser {living}; load it again")
    assignment.submitted = when


def progress_of(session: Session, rater_id: str) -> dict[str, Any]:
    """Return how many episodes the rater has submitted, and whether one is begun."""
    mine = Assignment.rater_id == rater_id
    submitted = session.scalar(select(func.count()).where(mine, Assignment.submitted.is_not(None))) or 0
    count = select(func.count()).select_from(Assignment).join(EpisodeRecord).where(mine, PRESENT)
    begun = session.scalar(count.where(Assignment.submitted.is_(None), ~Assignment.closed)) or 0
    return {"submitted": submitted, "begun": begun > 0}
