"""Submitted marks as the study's leader sees them: how thorough they are, and how they are sent back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from annotation.server.db.tables import AnswerRecord, Assignment, ItemRecord, Person, Project
from annotation.server.errors import Refused
from annotation.server.services.seen import seen_share
from annotation.tasks import MARKING

BARELY_SEEN = 0.5  # of an episode's steps; below it, browsers ask before they submit
FASTEST = 4  # times the speed at which it was played: nobody watches an episode in less time than that takes
MOST_LISTED = 500
SUBMITTED_MARKS = and_(ItemRecord.kind == MARKING.kind, Assignment.submitted.is_not(None))
IS_MARK = AnswerRecord.said["until"].as_integer().is_(None)  # else it is a verdict on a request
RETURNED_LOCK_SEC = 7 * 24 * 3600.0  # how long an episode that was sent back stays with its rater, untouched


def submissions(session: Session, project: Project) -> dict[str, Any]:
    """Return a project's submissions, those that look careless first, then the latest.

    Returns:
      ``submissions``, at most ``MOST_LISTED``, and how many there are in ``total``.
    """
    shown = or_(Assignment.submitted.is_not(None), Assignment.returned.is_not(None))
    found = _chosen(session, shown, ItemRecord.project_id == project.id)
    found.sort(key=lambda one: (not one["doubts"], -(one["submitted"] or one["returned"])))
    return {"submissions": found[:MOST_LISTED], "total": len(found)}


def all_submissions(session: Session) -> list[dict[str, Any]]:
    """Return everything that is submitted in the study, the earliest first."""
    return sorted(_chosen(session, Assignment.submitted.is_not(None)), key=lambda one: one["submitted"])


def _chosen(session: Session, *conditions: ColumnElement[bool]) -> list[dict[str, Any]]:
    query = (
        select(Assignment, Person.pseudonym, func.count(AnswerRecord.id))
        .join(Person, Person.id == Assignment.rater_id)
        .join(ItemRecord, ItemRecord.id == Assignment.item_id)
        .outerjoin(AnswerRecord, (AnswerRecord.assignment_id == Assignment.id) & AnswerRecord.empty.is_(False))
        .where(ItemRecord.kind == MARKING.kind, *conditions)
        .group_by(Assignment.id, Person.pseudonym)
    )
    return [as_json(assignment, rater, marks) for assignment, rater, marks in session.execute(query)]


def as_json(assignment: Assignment, rater: str, marks: int) -> dict[str, Any]:
    """Return one submission for the leader's page, and for files."""
    episode = assignment.item.episode
    seen = seen_share(assignment.seen_steps, episode.steps)
    duration = episode.steps / episode.project.steps_per_second
    return {
        "id": assignment.id,
        "dataset": episode.project.dataset,
        "episode": episode.episode_id,
        "episode_key": episode.id,
        "steps": episode.steps,
        "rater": rater,
        "marks": marks,
        "seen": None if seen is None else round(seen, 3),
        "active_sec": round(assignment.active_sec, 1),
        "opened": assignment.opened,
        "submitted": assignment.submitted,
        "gold": assignment.gold,
        "returned": assignment.returned,
        "reason": assignment.return_reason,
        "to_another": assignment.closed,
        "doubts": doubts(marks, seen, assignment.active_sec, duration) if assignment.submitted else [],
    }


def doubts(marks: int, seen: float | None, active_sec: float, duration_sec: float) -> list[str]:
    """Return why a submission may have been made without care; [] for no reason.

    Args:
      seen: share of the steps that the browser showed; None where that is not known.
    """
    found = ["no marks"] if marks == 0 else []
    if seen is not None and seen < BARELY_SEEN:
        found.append("barely seen")
    if active_sec < duration_sec / FASTEST:
        found.append("faster than it plays")
    return found


def send_back(session: Session, assignment_id: str, reason: str, to_another: bool, when: float) -> None:
    """Send submitted work back: to its rater, who sees the reason and their marks, or to another rater.

    Its marks leave the dataset with the next export.

    Raises Refused if nothing of that id is submitted.
    """
    assignment = session.get(Assignment, assignment_id)
    if assignment is None or assignment.submitted is None or assignment.item.kind != MARKING.kind:
        raise Refused(404, "this is not submitted, or has been sent back already")
    assignment.submitted, assignment.withdrawing = None, True  # also if an export is under way
    assignment.returned, assignment.return_reason, assignment.closed = when, reason, to_another
    assignment.locked_until = 0.0 if to_another else when + RETURNED_LOCK_SEC
