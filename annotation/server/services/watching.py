"""Watching: demonstrations go to raters, who say what the setter wanted.

Raters see the demonstrations in a random order of their own, and nothing that names the goal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from annotation.assignment import Waiting, next_episode
from annotation.server.db.tables import PRESENT, EpisodeRecord, Project
from annotation.server.db.watching_tables import Demonstration, GoalAnswer, WatchedProject
from annotation.server.errors import Refused
from annotation.server.security.visitors import Visitor
from annotation.server.services.members import project_of, projects_of
from annotation.server.services.revisions import is_newer
from rlhf.records.preferences import goal_text
from worlds.contract import WorldError
from worlds.goal_choices import GoalChoices

_ORDER = "shuffled"  # demonstrations of one activity lie one after the other in the dataset


def open_next(
    session: Session, visitor: Visitor, there: Sequence[str], when: float, lock_sec: float
) -> GoalAnswer | None:
    """Return the demonstration that the rater has begun, or else a new one; None if there is nothing to do.

    As in marking, work whose lock has expired can be continued.

    Args:
      session: of the database, for writing.
      visitor: the rater.
      there: datasets that the study has now.
      when: present time.
      lock_sec: seconds for which the demonstration stays with the rater.
    """
    seen = {project.id for project in projects_of(session, visitor)}
    query = select(WatchedProject).join(Project).where(WatchedProject.open, Project.open, Project.dataset.in_(there))
    query = query.order_by(Project.created, Project.dataset)
    every = session.scalars(query.with_for_update(of=WatchedProject)).all()
    projects = [project for project in every if project.project_id in seen]
    begun = _begun(session, visitor.person_id, [project.project_id for project in projects])
    if begun is not None:
        begun.locked_until = when + lock_sec
        return begun
    for project in projects:
        waiting = _waiting(session, project.project_id, visitor.person_id, when)
        found = next_episode(waiting, project.overlap, _ORDER, visitor.person_id)
        if found is not None:
            new = GoalAnswer(
                demonstration=session.get_one(Demonstration, found.key), rater_id=visitor.person_id, opened=when,
                locked_until=when + lock_sec,
            )  # fmt: skip
            session.add(new)
            session.flush()
            return new
    return None


def _begun(session: Session, rater_id: str, project_ids: list[str]) -> GoalAnswer | None:
    return session.scalar(
        select(GoalAnswer)
        .join(Demonstration)
        .join(EpisodeRecord)
        .where(
            GoalAnswer.rater_id == rater_id,
            GoalAnswer.submitted.is_(None),
            EpisodeRecord.project_id.in_(project_ids),
            PRESENT,
        )
        .order_by(GoalAnswer.opened)
        .limit(1)
    )


def _waiting(session: Session, project_id: str, rater_id: str, when: float) -> list[Waiting]:
    """Return the demonstrations of a project that the rater has not had, with the number of raters of each."""
    counts = and_(
        GoalAnswer.episode_id == Demonstration.episode_id,
        or_(GoalAnswer.submitted.is_not(None), GoalAnswer.locked_until > when),
    )
    had = select(GoalAnswer.episode_id).where(GoalAnswer.rater_id == rater_id).correlate(None)
    query = (
        select(Demonstration.episode_id, func.count(GoalAnswer.id))
        .join(EpisodeRecord, EpisodeRecord.id == Demonstration.episode_id)
        .outerjoin(GoalAnswer, counts)
        .where(
            EpisodeRecord.project_id == project_id, Demonstration.shown, PRESENT, Demonstration.episode_id.not_in(had)
        )
        .group_by(Demonstration.episode_id)
    )
    return [Waiting(key, 0, raters) for key, raters in session.execute(query)]


def own_answer(session: Session, answer_id: str, visitor: Visitor) -> GoalAnswer:
    """Return the rater's answer. Raises Refused if they have none of that id in a project of theirs."""
    answer = session.get(GoalAnswer, answer_id)
    if answer is None or answer.rater_id != visitor.person_id:
        raise Refused(404, "you have no such demonstration to watch")
    project_of(session, visitor, answer.demonstration.episode.project_id)
    return answer


def say(answer: GoalAnswer, goal: Mapping[str, int], revision: int, offered: GoalChoices, when: float) -> None:
    """Save an answer; answers may arrive twice or in any order.

    Args:
      answer: the rater's.
      goal: count of each predicate, by name.
      revision: number of the edit, from 1; of two answers the one with the higher revision counts.
      offered: what can be said.
      when: present time.

    Raises:
      Refused: if that cannot be said, or the answer was submitted, or another window has said something else in this
        revision.
    """
    try:
        offered.check(goal)
    except WorldError as error:
        raise Refused(422, str(error)) from error
    said = goal_text(goal)
    if not is_newer(revision, answer.revision, said == answer.goal):
        return
    if answer.submitted is not None:
        raise Refused(409, "you have opened the next one; your answer to this stays as it is")
    answer.revision, answer.goal, answer.saved = revision, said, when


def submit(answer: GoalAnswer, revision: int, when: float) -> None:
    """Submit the answer, also one without any predicate. Raises Refused if the browser shows another one."""
    if answer.submitted is not None:
        return
    if answer.revision != revision:
        raise Refused(409, "the server has not what your browser shows; load the page again")
    answer.submitted = when


def answer_of(answer: GoalAnswer) -> dict[str, Any]:
    """Return the answer as the rater's browser gets it."""
    return {"revision": answer.revision, "goal": json.loads(answer.goal)}


def progress_of(session: Session, rater_id: str) -> dict[str, Any]:
    """Return how many demonstrations the rater has answered, and whether one is begun."""
    mine = GoalAnswer.rater_id == rater_id
    submitted = session.scalar(select(func.count()).where(mine, GoalAnswer.submitted.is_not(None))) or 0
    begun = session.scalar(select(func.count()).where(mine, GoalAnswer.submitted.is_(None))) or 0
    return {"submitted": submitted, "begun": begun > 0}


def watched_projects(session: Session, when: float) -> list[dict[str, Any]]:
    """Return every project of demonstrations, with its progress."""
    query = select(WatchedProject).join(Project).order_by(Project.created, Project.dataset)
    return [_progress(session, watched, when) for watched in session.scalars(query)]


def _progress(session: Session, watched: WatchedProject, when: float) -> dict[str, Any]:
    of_project = and_(EpisodeRecord.project_id == watched.project_id, PRESENT)
    count = select(func.count(Demonstration.episode_id)).join(EpisodeRecord)
    work = select(func.count(GoalAnswer.id)).join(Demonstration).join(EpisodeRecord).where(of_project)
    demonstrations = session.scalar(count.where(of_project, Demonstration.shown)) or 0
    submitted, held = GoalAnswer.submitted.is_not(None), GoalAnswer.locked_until > when
    return {
        "id": watched.project_id,
        "dataset": watched.project.dataset,
        "title": watched.project.title,
        "overlap": watched.overlap,
        "open": watched.open,
        "demonstrations": demonstrations,
        "wanted": demonstrations * watched.overlap,
        "submitted": session.scalar(work.where(submitted)) or 0,
        "begun": session.scalar(work.where(~submitted, held)) or 0,
        "exported": session.scalar(work.where(GoalAnswer.exported.is_not(None))) or 0,
    }
