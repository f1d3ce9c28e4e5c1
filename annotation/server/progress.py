"""What a study leader sees of a study: how far its queues are, and how people work."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotation.server.tables import Assignment, EpisodeRecord, Invitation, MarkRecord, Person, Project
from worlds.contract import STEPS_PER_SECOND

FIVE_MINUTES_STEPS = round(300 * STEPS_PER_SECOND)


def projects(session: Session, when: float) -> list[dict[str, Any]]:
    """Every project: its settings, episodes, markings wanted, submitted and being made, and marks per five minutes."""
    listed = []
    for project in session.scalars(select(Project).order_by(Project.created, Project.dataset)):
        episodes = session.scalar(select(func.count()).where(EpisodeRecord.project_id == project.id)) or 0
        work = select(func.count(Assignment.id)).join(EpisodeRecord).where(EpisodeRecord.project_id == project.id)
        submitted, exported = Assignment.submitted.is_not(None), Assignment.exported.is_not(None)
        held = Assignment.locked_until > when
        listed.append(
            {
                "id": project.id,
                "dataset": project.dataset,
                "overlap": project.overlap,
                "strategy": project.strategy,
                "open": project.open,
                "episodes": episodes,
                "wanted": episodes * project.overlap,
                "submitted": session.scalar(work.where(submitted)) or 0,
                "begun": session.scalar(work.where(~submitted, held)) or 0,
                "exported": session.scalar(work.where(exported)) or 0,
                "marks_per_five_minutes": _per_five_minutes(*_marks_and_steps(session, project_id=project.id)),
            }
        )
    return listed


def people(session: Session) -> list[dict[str, Any]]:
    """Everybody, and how much they have marked."""
    listed = []
    for person in session.scalars(select(Person).order_by(Person.created)):
        mine = (Assignment.rater_id == person.id, Assignment.submitted.is_not(None))
        count, active_sec = session.execute(
            select(func.count(), func.coalesce(func.sum(Assignment.active_sec), 0.0)).where(*mine)
        ).one()
        marks, steps = _marks_and_steps(session, rater_id=person.id)
        listed.append(
            {
                "id": person.id,
                "name": person.name,
                "pseudonym": person.pseudonym,
                "roles": sorted(role.role for role in person.roles),
                "active": person.active,
                "episodes": count,
                "marks": marks,
                "marks_per_five_minutes": _per_five_minutes(marks, steps),
                "minutes_per_episode": round(active_sec / count / 60, 1) if count else None,
            }
        )
    return listed


def invitations(session: Session, when: float) -> list[dict[str, Any]]:
    """Links that can still be used."""
    query = select(Invitation).where(Invitation.used.is_(None), Invitation.expires > when).order_by(Invitation.created)
    return [
        {
            "id": found.id,
            "role": found.role,
            "note": found.note,
            "expires": found.expires,
            "again": bool(found.person_id),
        }
        for found in session.scalars(query)
    ]


def _marks_and_steps(session: Session, project_id: str | None = None, rater_id: str | None = None) -> tuple[int, int]:
    """Living marks in submitted work, and the steps of the episodes they were looked for in."""
    wanted = [Assignment.submitted.is_not(None)]
    wanted += [EpisodeRecord.project_id == project_id] if project_id else []
    wanted += [Assignment.rater_id == rater_id] if rater_id else []
    steps = session.scalar(
        select(func.sum(EpisodeRecord.steps)).select_from(Assignment).join(EpisodeRecord).where(*wanted)
    )
    marks = session.scalar(
        select(func.count()).select_from(MarkRecord).join(Assignment).join(EpisodeRecord)
        .where(*wanted, MarkRecord.deleted.is_(False))
    )  # fmt: skip
    return marks or 0, steps or 0


def _per_five_minutes(marks: int, steps: int) -> float | None:
    return round(marks / steps * FIVE_MINUTES_STEPS, 1) if steps else None
