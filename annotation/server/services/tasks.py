"""Rater tasks: items go to raters, their answers are kept, and they submit them.

A rater who returns to an item whose lease has expired continues it all the same: work is never lost, at the price of an
occasional rater more than wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select, true
from sqlalchemy.orm import Session, selectinload

from annotation.agreement.gold import TRAINING, purpose_due
from annotation.server.db.tables import (
    WHOLE,
    AnswerRecord,
    Assignment,
    EpisodeRecord,
    GoldEpisode,
    ItemRecord,
    Project,
    TaskProject,
)
from annotation.server.errors import Refused
from annotation.server.security.visitors import Role, Visitor
from annotation.server.services.items import item_of
from annotation.server.services.members import project_of, visible_to
from annotation.server.services.seen import merge_ranges
from annotation.tasks import TASKS
from annotation.tasks.assignment import Waiting, next_episode
from annotation.tasks.contract import Answer, Item, RaterTask, Submission

ANSWERS_PER_ITEM = 5000  # deleted ones included; far more than people give


@dataclass(frozen=True)
class Edit:
    """The state of one answer in a browser; of two edits of one answer the one with the higher revision counts."""

    id: str
    revision: int
    said: Answer  # with or without the two


def settings_of(session: Session, task: RaterTask, project_id: str) -> Any:
    return task.Settings(**session.get_one(TaskProject, (project_id, task.kind)).settings)


# Items go to raters.


def open_next(
    session: Session, task: RaterTask, visitor: Visitor, there: Sequence[str], when: float, lock_sec: float
) -> Assignment | None:
    """Return the item that the rater has begun, or else a new one; None if there is nothing to do.

    Gold items for training come first.
    """
    handing = [TaskProject.kind == task.kind, TaskProject.open, Project.open, Project.dataset.in_(there)]
    handing += [] if Role.ADMIN in visitor.roles else [visible_to(visitor.person_id)]
    begun = session.scalar(
        select(Assignment)
        .join(ItemRecord)
        .where(
            Assignment.rater_id == visitor.person_id,
            Assignment.submitted.is_(None),
            Assignment.closed.is_(False),
            ItemRecord.kind == task.kind,
            ItemRecord.project_id.in_(select(Project.id).join(TaskProject).where(*handing)),
            WHOLE,
        )
        .order_by(Assignment.opened)
        .limit(1)
    )
    if begun is not None:
        begun.locked_until = max(begun.locked_until, when + lock_sec)
        return begun
    projects = select(TaskProject).join(Project).where(*handing).order_by(Project.created, Project.dataset)
    for project in session.scalars(projects.with_for_update(of=TaskProject)).all():
        found = _choose(session, task, project, visitor.person_id, when)
        if found is not None:
            record = session.get_one(ItemRecord, found[0])
            new = Assignment(
                item=record, rater_id=visitor.person_id, opened=when, locked_until=when + lock_sec, gold=found[1],
                position=task.first_step(item_of(record, None)),
            )  # fmt: skip
            session.add(new)
            session.flush()
            return new
    return None


def _choose(
    session: Session, task: RaterTask, project: TaskProject, rater_id: str, when: float
) -> tuple[str, str] | None:
    """Return the item of ``project`` that the rater gets next, and its purpose if it is gold."""
    settings = task.Settings(**project.settings)
    if task.gold:
        due = purpose_due(_history(session, project, rater_id), settings.gold_every)  # type: ignore[attr-defined]
        for purpose in (TRAINING, due):
            if purpose and (key := _gold(session, project, rater_id, purpose)) is not None:
                return key, purpose
    waiting = _waiting(session, project, rater_id, when)
    found = next_episode(waiting, project.overlap, settings.order, rater_id)
    return (found.key, "") if found else None


def _of(project: TaskProject) -> ColumnElement[bool]:
    return and_(ItemRecord.project_id == project.project_id, ItemRecord.kind == project.kind)


def _had(rater_id: str) -> Any:
    return select(Assignment.item_id).where(Assignment.rater_id == rater_id).correlate(None)


def _gold(session: Session, project: TaskProject, rater_id: str, purpose: str) -> str | None:
    """Return the first gold item that the rater has not had."""
    query = select(ItemRecord.id).join(EpisodeRecord, EpisodeRecord.id == ItemRecord.episode_id)
    query = query.join(GoldEpisode, GoldEpisode.episode_id == EpisodeRecord.id)
    query = query.where(_of(project), WHOLE, GoldEpisode.purpose == purpose, ItemRecord.id.not_in(_had(rater_id)))
    return session.scalar(query.order_by(EpisodeRecord.place).limit(1))


def _history(session: Session, project: TaskProject, rater_id: str) -> list[str]:
    """Return the purpose for which the rater got each of their items of ``project``, in order."""
    query = select(Assignment.gold).join(ItemRecord).where(_of(project), Assignment.rater_id == rater_id)
    return list(session.scalars(query.order_by(Assignment.opened)))


def _waiting(session: Session, project: TaskProject, rater_id: str, when: float) -> list[Waiting]:
    """Return the ordinary items of ``project`` that the rater has not had, each with its number of raters."""
    counts = and_(
        Assignment.item_id == ItemRecord.id,
        Assignment.gold == "",  # raters who had it as a gold item do not count
        or_(Assignment.submitted.is_not(None), Assignment.locked_until > when),
    )
    query = (
        select(ItemRecord.id, EpisodeRecord.place, func.count(Assignment.id))
        .join(EpisodeRecord, EpisodeRecord.id == ItemRecord.episode_id)
        .outerjoin(Assignment, counts)
        .where(_of(project), WHOLE, ItemRecord.shown, ItemRecord.id.not_in(_had(rater_id)), _not_gold(project))
        .group_by(ItemRecord.id, EpisodeRecord.place)
    )
    return [Waiting(key, place, raters) for key, place, raters in session.execute(query)]


def _not_gold(project: TaskProject) -> ColumnElement[bool]:
    gold = select(GoldEpisode.episode_id).join(EpisodeRecord).where(EpisodeRecord.project_id == project.project_id)
    return ItemRecord.episode_id.not_in(gold) if TASKS[project.kind].gold else true()


# A rater's own work.


def own_assignment(session: Session, task: RaterTask, assignment_id: str, visitor: Visitor) -> Assignment:
    """Return the rater's assignment. Raises Refused if it is another's, unknown, or in a project they do not see."""
    assignment = session.get(Assignment, assignment_id, options=[selectinload(Assignment.answers)])
    if assignment is None or assignment.rater_id != visitor.person_id or assignment.item.kind != task.kind:
        raise Refused(404, task.unknown)
    project_of(session, visitor, assignment.item.project_id)
    if assignment.closed:
        raise Refused(409, "this episode went to another rater")
    return assignment


def save(
    session: Session, task: RaterTask, assignment: Assignment, item: Item, edits: Sequence[Edit], when: float
) -> list[AnswerRecord]:
    """Save edits of answers; they may come twice and in any order.

    Returns the state of each answer that was named.

    Raises Refused if the work is submitted and this would change it, or an answer cannot be given to this item, or
    another window has said something else in this revision.
    """
    known = {record.id: record for record in assignment.answers}
    if len(known.keys() | {edit.id for edit in edits}) > ANSWERS_PER_ITEM:
        raise Refused(409, f"an episode has at most {ANSWERS_PER_ITEM} marks")
    for edit in edits:
        if not task.many and edit.id != assignment.id:
            raise Refused(422, "the one answer to this has the id of the assignment")
        task.check(edit.said, item)
        said, record = edit.said.model_dump(exclude={"id", "revision"}), known.get(edit.id)
        if record is not None and edit.revision == record.revision and said != record.said:
            raise Refused(409, "you have said something else of this in another window; load the page again")
        if record is not None and edit.revision <= record.revision:
            continue
        if assignment.submitted is not None:
            raise Refused(409, task.settled)
        if record is None:
            record = known[edit.id] = AnswerRecord(assignment_id=assignment.id, id=edit.id)
            session.add(record)
        record.revision, record.said, record.empty, record.saved = edit.revision, said, edit.said.empty, when
    return [known[id] for id in dict.fromkeys(edit.id for edit in edits)]


def note_work(
    assignment: Assignment, position: int | None, active_sec: float, seen: Sequence[Sequence[int]] | None
) -> None:
    """Note where the rater is in an item that is not submitted yet, and what they have done so far.

    Args:
      position: the step at which they are; None leaves it as it was.
      seen: ranges of steps, first and last, beside those noted before; None says nothing.
    """
    if assignment.submitted is not None:
        return
    last = assignment.item.episode.steps - 1
    if position is not None:
        assignment.position = min(position, last)
    assignment.active_sec = max(assignment.active_sec, active_sec)
    if seen is not None:
        inside = [(first, min(end, last)) for first, end in seen if first <= last]
        assignment.seen_steps = merge_ranges(assignment.seen_steps or (), inside)


def submit_many(assignment: Assignment, living: int, when: float) -> None:
    """Note that the rater has finished. Raises Refused if the browser counts other answers than the server has."""
    kept = sum(not record.empty for record in assignment.answers)
    if assignment.submitted is None and kept != living:
        marks = "1 mark" if kept == 1 else f"{kept} marks"
        raise Refused(409, f"the server has {marks} of this episode and your browser {living}; load it again")
    assignment.submitted = assignment.submitted or when


def submit_one(task: RaterTask, assignment: Assignment, revision: int, when: float) -> None:
    """Submit the answer. Raises Refused if there is none, or the browser shows another one."""
    if assignment.submitted is not None:
        return
    if [record.revision for record in assignment.answers] != [revision]:
        raise Refused(409, "the server has not what your browser shows; load the page again")
    if assignment.answers[0].empty:
        raise Refused(409, task.missing)
    assignment.submitted = when


def take_back(session: Session, task: RaterTask, visitor: Visitor) -> None:
    """Reopen the item that the rater has submitted last; what was said of it leaves the dataset with the next export.

    Raises Refused if there is none.
    """
    handing = [TaskProject.kind == task.kind, TaskProject.open]
    query = select(Assignment).join(ItemRecord).where(
        Assignment.rater_id == visitor.person_id, Assignment.submitted.is_not(None), ItemRecord.kind == task.kind,
        ItemRecord.project_id.in_(select(TaskProject.project_id).where(*handing)), WHOLE,
    )  # fmt: skip
    last = session.scalar(query.order_by(Assignment.submitted.desc()).limit(1))
    if last is None:
        raise Refused(409, "you have submitted nothing that could be taken back")
    last.submitted, last.withdrawing = None, True


def submission_of(task: RaterTask, assignment: Assignment, world: str | None) -> Submission:
    """Return submitted work as its task records it; the assignment's rater and answers are loaded."""
    answers = tuple(task.Answer.model_construct(**record.said) for record in assignment.answers if not record.empty)
    rater = assignment.rater
    return Submission(item_of(assignment.item, world), rater.id, rater.pseudonym, answers, assignment.active_sec)


def progress_of(session: Session, task: RaterTask, rater_id: str) -> dict[str, Any]:
    """Return how many items the rater has submitted, and whether one is begun."""
    mine = select(func.count(Assignment.id)).join(ItemRecord)
    mine = mine.where(Assignment.rater_id == rater_id, ItemRecord.kind == task.kind)
    begun = session.scalar(mine.where(Assignment.submitted.is_(None), ~Assignment.closed, WHOLE)) or 0
    return {"submitted": session.scalar(mine.where(Assignment.submitted.is_not(None))) or 0, "begun": begun > 0}


# For the study's leader.


def projects_of(session: Session, task: RaterTask, when: float) -> list[dict[str, Any]]:
    """Return every project with such items: settings of the task, and progress."""
    query = select(TaskProject).join(Project).where(TaskProject.kind == task.kind)
    return [
        {"id": found.project_id, "dataset": found.project.dataset, "title": found.project.title}
        | progress_in(session, task, found, when)
        for found in session.scalars(query.order_by(Project.created, Project.dataset))
    ]


def progress_in(session: Session, task: RaterTask, project: TaskProject, when: float) -> dict[str, Any]:
    """Return settings of ``task`` in a project; items; submissions wanted, made, being made, and in the dataset.

    Gold items are not among them: everybody gets them.
    """
    own = and_(_of(project), WHOLE)
    items = session.scalar(select(func.count(ItemRecord.id)).where(own, ItemRecord.shown, _not_gold(project))) or 0
    work = select(func.count(Assignment.id)).join(ItemRecord).where(own, Assignment.gold == "")
    submitted = Assignment.submitted.is_not(None)
    found = {
        "overlap": project.overlap,
        "open": project.open,
        "items": items,
        "wanted": items * project.overlap,
        "submitted": session.scalar(work.where(submitted)) or 0,
        "begun": session.scalar(work.where(~submitted, Assignment.locked_until > when)) or 0,
        "exported": session.scalar(work.where(Assignment.exported.is_not(None))) or 0,
    }
    if task.drawn:
        query = select(Assignment).join(ItemRecord).where(_of(project), submitted)
        query = query.options(selectinload(Assignment.answers), selectinload(Assignment.rater))
        found |= task.progress([submission_of(task, one, None) for one in session.scalars(query)])
    return task.Settings(**project.settings).model_dump() | found
