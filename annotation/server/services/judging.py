"""Judging: continuations go to judges, who say whether and when the request was fulfilled.

Judges see continuations in a random order of their own, and nothing that reveals the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from annotation.assignment import Waiting, next_episode
from annotation.server.db.judging_tables import Continuation, JudgedProject, JudgingAssignment
from annotation.server.db.tables import PRESENT, EpisodeRecord, Project
from annotation.server.errors import Refused
from annotation.server.security.visitors import Visitor
from annotation.server.services.members import project_of, projects_of
from annotation.server.services.revisions import is_newer

_ORDER = "shuffled"  # no other would be blind: agents' continuations lie one after the other in the dataset


@dataclass(frozen=True)
class SaidVerdict:
    """A verdict on a continuation as a browser sends it; of two the one with the higher revision counts.

    Args:
      revision: number of the edit, from 1.
      success: None withdraws the verdict, unless it is left out.
      step: step of a success.
      left_out: "no request" or "cannot tell", see :class:`rlhf.records.marks.Judgement`; else "".
    """

    revision: int
    success: bool | None
    step: int | None
    left_out: str = ""


def open_next(
    session: Session, visitor: Visitor, there: Sequence[str], when: float, lock_sec: float
) -> JudgingAssignment | None:
    """Return the continuation that the judge has begun, or else a new one; None if there is nothing to do.

    As in marking, work whose lock has expired can be continued.

    Args:
      session: of the database.
      visitor: the judge.
      there: datasets that the study has now.
      when: present time.
      lock_sec: seconds for which the continuation stays with the judge.
    """
    seen = {project.id for project in projects_of(session, visitor)}
    query = select(JudgedProject).join(Project).where(JudgedProject.open, Project.open, Project.dataset.in_(there))
    query = query.order_by(Project.created, Project.dataset)
    every = session.scalars(query.with_for_update(of=JudgedProject)).all()
    projects = [project for project in every if project.project_id in seen]
    begun = _begun(session, visitor.person_id, [project.project_id for project in projects])
    if begun is not None:
        begun.locked_until = when + lock_sec
        return begun
    for project in projects:
        waiting = _waiting(session, project.project_id, visitor.person_id, when)
        found = next_episode(waiting, project.overlap, _ORDER, visitor.person_id)
        if found is not None:
            return _assign(session, found.key, visitor.person_id, when, lock_sec)
    return None


def _begun(session: Session, judge_id: str, project_ids: list[str]) -> JudgingAssignment | None:
    return session.scalar(
        select(JudgingAssignment)
        .join(Continuation)
        .join(EpisodeRecord)
        .where(
            JudgingAssignment.judge_id == judge_id,
            JudgingAssignment.submitted.is_(None),
            EpisodeRecord.project_id.in_(project_ids),
            PRESENT,
        )
        .order_by(JudgingAssignment.opened)
        .limit(1)
    )


def _assign(session: Session, episode_id: str, judge_id: str, when: float, lock_sec: float) -> JudgingAssignment:
    continuation = session.get_one(Continuation, episode_id)
    new = JudgingAssignment(
        continuation=continuation, judge_id=judge_id, opened=when, locked_until=when + lock_sec,
        position=continuation.request_step,
    )  # fmt: skip
    session.add(new)
    session.flush()
    return new


def _waiting(session: Session, project_id: str, judge_id: str, when: float) -> list[Waiting]:
    """Return the continuations of a project that the judge has not had, with the number of judges of each."""
    counts = and_(
        JudgingAssignment.episode_id == Continuation.episode_id,
        or_(JudgingAssignment.submitted.is_not(None), JudgingAssignment.locked_until > when),
    )
    had = select(JudgingAssignment.episode_id).where(JudgingAssignment.judge_id == judge_id).correlate(None)
    query = (
        select(Continuation.episode_id, func.count(JudgingAssignment.id))
        .join(EpisodeRecord, EpisodeRecord.id == Continuation.episode_id)
        .outerjoin(JudgingAssignment, counts)
        .where(EpisodeRecord.project_id == project_id, PRESENT, Continuation.episode_id.not_in(had))
        .group_by(Continuation.episode_id)
    )
    return [Waiting(key, 0, judges) for key, judges in session.execute(query)]


def own_assignment(session: Session, assignment_id: str, visitor: Visitor) -> JudgingAssignment:
    """Return the judge's assignment. Raises Refused if they have none of that id in a project of theirs."""
    assignment = session.get(JudgingAssignment, assignment_id)
    if assignment is None or assignment.judge_id != visitor.person_id:
        raise Refused(404, "there is nothing of that kind for you to judge")
    project_of(session, visitor, assignment.continuation.episode.project_id)
    return assignment


def say(assignment: JudgingAssignment, said: SaidVerdict, when: float) -> None:
    """Save a verdict; verdicts may arrive twice or in any order.

    Raises:
      Refused: if a success has no moment, or none after the take-over, or the verdict was submitted, or another
        window has said something else in this revision.
    """
    continuation = assignment.continuation
    if said.left_out and said.success is not None:
        raise Refused(422, "a verdict that is left out is neither success nor failure")
    if (said.step is not None) != (said.success is True):
        raise Refused(422, "a success has a moment, and nothing else has")
    if said.step is not None and not continuation.step <= said.step < continuation.episode.steps:
        last = continuation.episode.steps - 1
        raise Refused(422, f"what is judged are steps {continuation.step} to {last}, not {said.step}")
    kept = SaidVerdict(assignment.revision, assignment.success, assignment.step, assignment.left_out)
    if not is_newer(said.revision, kept.revision, said == kept):
        return
    if assignment.submitted is not None:
        raise Refused(409, "you have opened the next one; what you said of this stays as it is")
    assignment.revision, assignment.success, assignment.step = said.revision, said.success, said.step
    assignment.left_out = said.left_out
    assignment.saved = when


def submit(assignment: JudgingAssignment, revision: int, when: float) -> None:
    """Submit the verdict. Raises Refused if there is none, or the browser shows another one."""
    if assignment.submitted is not None:
        return
    if assignment.revision != revision:
        raise Refused(409, "the server has not what your browser shows; load the page again")
    if assignment.success is None and not assignment.left_out:
        raise Refused(409, "give a verdict first")
    assignment.submitted = when


def work_of(session: Session, judge_id: str) -> dict[str, Any]:
    """Return how many continuations the judge has judged, and whether one is begun."""
    mine = JudgingAssignment.judge_id == judge_id
    submitted = session.scalar(select(func.count()).where(mine, JudgingAssignment.submitted.is_not(None))) or 0
    begun = session.scalar(select(func.count()).where(mine, JudgingAssignment.submitted.is_(None))) or 0
    return {"submitted": submitted, "begun": begun > 0}


def suites(session: Session, when: float) -> list[dict[str, Any]]:
    """Return every project that is judged, with its progress."""
    query = select(JudgedProject).join(Project).order_by(Project.created, Project.dataset)
    return [_suite(session, judged, when) for judged in session.scalars(query)]


def _suite(session: Session, judged: JudgedProject, when: float) -> dict[str, Any]:
    of_project = and_(EpisodeRecord.project_id == judged.project_id, PRESENT)
    count = select(func.count(Continuation.episode_id)).join(EpisodeRecord).where(of_project)
    work = select(func.count(JudgingAssignment.id)).join(Continuation).join(EpisodeRecord).where(of_project)
    submitted, held = JudgingAssignment.submitted.is_not(None), JudgingAssignment.locked_until > when
    continuations = session.scalar(count) or 0
    return {
        "id": judged.project_id,
        "dataset": judged.project.dataset,
        "overlap": judged.overlap,
        "open": judged.open,
        "continuations": continuations,
        "wanted": continuations * judged.overlap,
        "submitted": session.scalar(work.where(submitted)) or 0,
        "begun": session.scalar(work.where(~submitted, held)) or 0,
        "exported": session.scalar(work.where(JudgingAssignment.exported.is_not(None))) or 0,
    }


def verdict_of(assignment: JudgingAssignment) -> dict[str, Any]:
    """Return the verdict of an assignment, as browsers get it."""
    return {
        "revision": assignment.revision,
        "success": assignment.success,
        "step": assignment.step,
        "left_out": assignment.left_out,
    }
