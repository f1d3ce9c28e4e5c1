"""The progress of a study, for its leader: projects, people, invitations, gold episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from annotation.server.db.tables import (
    PRESENT,
    AnswerRecord,
    Assignment,
    Consent,
    EpisodeRecord,
    GoldEpisode,
    Invitation,
    ItemRecord,
    Membership,
    Person,
    Project,
    TaskProject,
)
from annotation.server.security.consent import wanted_version
from annotation.server.services.members import projects_of_invitation
from annotation.server.services.submissions import IS_MARK, SUBMITTED_MARKS
from annotation.server.services.tasks import progress_in
from annotation.tasks import JUDGING, MARKING

SETTINGS = (
    "id", "dataset", "title", "instructions", "open", "steps_per_second", "place_settings", "world_options",
)  # fmt: skip
FIVE_MINUTES = 300.0  # seconds


def projects(session: Session, when: float) -> list[dict[str, Any]]:
    """Return every project: its settings, episodes, and how they are marked, see ``progress_in``.

    ``marking`` says whether episodes are handed out to be marked.
    """
    return [
        _marking(session, project, when) | {name: getattr(project, name) for name in SETTINGS}
        for project in session.scalars(select(Project).order_by(Project.created, Project.dataset))
    ]


def _marking(session: Session, project: Project, when: float) -> dict[str, Any]:
    own = and_(EpisodeRecord.project_id == project.id, PRESENT)
    marked = session.get_one(TaskProject, (project.id, MARKING.kind))
    return progress_in(session, MARKING, marked, when) | {
        "marking": marked.open,
        "episodes": session.scalar(select(func.count()).where(own)) or 0,
        "gold": session.scalar(select(func.count()).select_from(GoldEpisode).join(EpisodeRecord).where(own)) or 0,
        "marks_per_five_minutes": _per_five_minutes(*_marks_and_seconds(session, project_id=project.id)),
    }


def gold_episodes(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a project's gold episodes: purpose, source of the marks, and how many raters have marked each as gold."""
    done = select(ItemRecord.episode_id, func.count().label("done")).join(Assignment)
    done = done.where(Assignment.submitted.is_not(None), Assignment.gold != "")
    counted = done.group_by(ItemRecord.episode_id).subquery()
    query = select(GoldEpisode, counted.c.done).select_from(GoldEpisode).join(EpisodeRecord)
    query = query.outerjoin(counted, counted.c.episode_id == GoldEpisode.episode_id)
    return [
        {
            "id": gold.episode_id,
            "name": gold.episode.episode_id,
            "purpose": gold.purpose,
            "source": gold.source,
            "marks": len(gold.marks),
            "done": count or 0,
        }
        for gold, count in session.execute(
            query.where(EpisodeRecord.project_id == project.id).order_by(EpisodeRecord.place)
        )
    ]


def people(session: Session, played: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return everybody, and how much they have played, marked and judged."""
    listed, restricted = [], _memberships(session)
    submitted = select(Assignment.rater_id, func.count()).join(ItemRecord).where(Assignment.submitted.is_not(None))
    submitted = submitted.where(ItemRecord.kind == JUDGING.kind).group_by(Assignment.rater_id)
    judged = {judge: count for judge, count in session.execute(submitted)}
    wanted = select(Consent).where(Consent.version == wanted_version())
    consents = {found.person_id: found.agreed for found in session.scalars(wanted)}
    for person in session.scalars(select(Person).order_by(Person.created)):
        work = select(func.count(), func.coalesce(func.sum(Assignment.active_sec), 0.0)).select_from(Assignment)
        work = work.join(ItemRecord).where(SUBMITTED_MARKS)
        count, active_sec = session.execute(work.where(Assignment.rater_id == person.id)).one()
        marks, seconds = _marks_and_seconds(session, rater_id=person.id)
        listed.append(
            {
                "id": person.id,
                "name": person.name,
                "pseudonym": person.pseudonym,
                "roles": sorted(role.role for role in person.roles),
                "active": person.active,
                "projects": restricted.get(person.id, []),
                "consented": consents.get(person.id),
                "episodes": count,
                "marks": marks,
                "marks_per_five_minutes": _per_five_minutes(marks, seconds),
                "minutes_per_episode": round(active_sec / count / 60, 1) if count else None,
                "played": played.get(person.pseudonym, 0),
                "judged": judged.get(person.id, 0),
            }
        )
    return listed


def _memberships(session: Session) -> dict[str, list[str]]:
    """Return ids of the projects that people are restricted to, by person."""
    found: dict[str, list[str]] = {}
    for membership in session.scalars(select(Membership)):
        found.setdefault(membership.person_id, []).append(membership.project_id)
    return found


def invitations(session: Session, when: float) -> list[dict[str, Any]]:
    """Return invitations that can still be used."""
    query = select(Invitation).where(Invitation.used.is_(None), Invitation.expires > when).order_by(Invitation.created)
    return [
        {
            "id": found.id,
            "role": found.role,
            "note": found.note,
            "expires": found.expires,
            "again": bool(found.person_id),
            "projects": projects_of_invitation(session, found.id),
        }
        for found in session.scalars(query)
    ]


def _marks_and_seconds(
    session: Session, project_id: str | None = None, rater_id: str | None = None
) -> tuple[int, float]:
    """Return the number of marks in submitted work, and the seconds that the episodes last."""
    wanted = [SUBMITTED_MARKS]
    wanted += [ItemRecord.project_id == project_id] if project_id else []
    wanted += [Assignment.rater_id == rater_id] if rater_id else []
    seconds = session.scalar(
        select(func.sum(EpisodeRecord.steps / Project.steps_per_second))
        .select_from(Assignment)
        .join(ItemRecord)
        .join(EpisodeRecord, EpisodeRecord.id == ItemRecord.episode_id)
        .join(Project, Project.id == ItemRecord.project_id)
        .where(*wanted)
    )
    marks = session.scalar(
        select(func.count()).select_from(AnswerRecord).join(Assignment).join(ItemRecord)
        .where(*wanted, IS_MARK, AnswerRecord.empty.is_(False))
    )  # fmt: skip
    return marks or 0, float(seconds or 0.0)


def _per_five_minutes(marks: int, seconds: float) -> float | None:
    return round(marks / seconds * FIVE_MINUTES, 1) if seconds else None
