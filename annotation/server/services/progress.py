"""The progress of a study, for its leader: projects, people, invitations, gold episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from annotation.server.db.judging_tables import JudgingAssignment
from annotation.server.db.tables import (
    PRESENT,
    Assignment,
    Consent,
    EpisodeRecord,
    GoldEpisode,
    Invitation,
    MarkRecord,
    Membership,
    Person,
    Project,
)
from annotation.server.security.consent import wanted_version
from annotation.server.services.members import projects_of_invitation

SETTINGS = (
    "id", "dataset", "title", "instructions", "overlap", "strategy", "open", "marking", "tolerance", "gold_every",
    "export_gold", "steps_per_second", "place_settings", "world_options",
)  # fmt: skip
FIVE_MINUTES = 300.0  # seconds


def projects(session: Session, when: float) -> list[dict[str, Any]]:
    """Return every project: its settings, episodes, submissions wanted, made and being made, marks per five minutes.

    Gold episodes are counted apart: everybody marks them.
    """
    return [
        {name: getattr(project, name) for name in SETTINGS} | _counts(session, project, when)
        for project in session.scalars(select(Project).order_by(Project.created, Project.dataset))
    ]


def _counts(session: Session, project: Project, when: float) -> dict[str, Any]:
    own = and_(EpisodeRecord.project_id == project.id, PRESENT)
    episodes = session.scalar(select(func.count()).where(own)) or 0
    gold = session.scalar(select(func.count()).select_from(GoldEpisode).join(EpisodeRecord).where(own)) or 0
    work = select(func.count(Assignment.id)).join(EpisodeRecord).where(own, Assignment.gold == "")
    submitted, exported = Assignment.submitted.is_not(None), Assignment.exported.is_not(None)
    return {
        "episodes": episodes,
        "gold": gold,
        "wanted": (episodes - gold) * project.overlap,
        "submitted": session.scalar(work.where(submitted)) or 0,
        "begun": session.scalar(work.where(~submitted, Assignment.locked_until > when)) or 0,
        "exported": session.scalar(work.where(exported)) or 0,
        "marks_per_five_minutes": _per_five_minutes(*_marks_and_seconds(session, project_id=project.id)),
    }


def gold_episodes(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return a project's gold episodes: purpose, source of the marks, and how many raters have marked each as gold."""
    done = select(Assignment.episode_id, func.count().label("done")).where(
        Assignment.submitted.is_not(None), Assignment.gold != ""
    )
    counted = done.group_by(Assignment.episode_id).subquery()
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
    """Return everybody, and how much they have played, marked and judged.

    Args:
      session: of the database.
      played: recorded episodes by the pseudonym of who played in them.
    """
    listed, restricted = [], _memberships(session)
    submitted = select(JudgingAssignment.judge_id, func.count()).where(JudgingAssignment.submitted.is_not(None))
    judged = {judge: count for judge, count in session.execute(submitted.group_by(JudgingAssignment.judge_id))}
    wanted = select(Consent).where(Consent.version == wanted_version())
    consents = {found.person_id: found.agreed for found in session.scalars(wanted)}
    for person in session.scalars(select(Person).order_by(Person.created)):
        mine = (Assignment.rater_id == person.id, Assignment.submitted.is_not(None))
        count, active_sec = session.execute(
            select(func.count(), func.coalesce(func.sum(Assignment.active_sec), 0.0)).where(*mine)
        ).one()
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
    wanted = [Assignment.submitted.is_not(None)]
    wanted += [EpisodeRecord.project_id == project_id] if project_id else []
    wanted += [Assignment.rater_id == rater_id] if rater_id else []
    seconds = session.scalar(
        select(func.sum(EpisodeRecord.steps / Project.steps_per_second))
        .select_from(Assignment)
        .join(EpisodeRecord)
        .join(Project)
        .where(*wanted)
    )
    marks = session.scalar(
        select(func.count()).select_from(MarkRecord).join(Assignment).join(EpisodeRecord)
        .where(*wanted, MarkRecord.deleted.is_(False))
    )  # fmt: skip
    return marks or 0, float(seconds or 0.0)


def _per_five_minutes(marks: int, seconds: float) -> float | None:
    return round(marks / seconds * FIVE_MINUTES, 1) if seconds else None
