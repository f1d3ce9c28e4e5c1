"""Comparing clips: pairs go to raters, who say in which clip the solver does better what it was asked.

Raters see the pairs in a random order of their own, the two clips on sides that are random for each of them, and
nothing that reveals the player.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from annotation.agreement.clip_agreement import clip_agreement
from annotation.assignment import Waiting, next_episode
from annotation.server.db.comparing_tables import ClipPairRecord, ComparedProject, Comparison
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.errors import Refused
from annotation.server.security.visitors import Visitor
from annotation.server.services.clip_pairs import whole_pairs
from annotation.server.services.members import project_of, projects_of
from annotation.server.services.revisions import is_newer
from rlhf.records.preferences import CANNOT_TELL, SAME, A, B

LEFT, RIGHT = "left", "right"
SIDED_ANSWERS = (LEFT, RIGHT, SAME, CANNOT_TELL)  # as the page has them
SETTINGS = ("pairs", "clip_seconds", "within_share", "seed", "overlap", "open")
_ORDER = "shuffled"
_SIDES = {LEFT: A, RIGHT: B}
_SWAPPED = {LEFT: B, RIGHT: A}


def open_next(
    session: Session, visitor: Visitor, there: Sequence[str], when: float, lock_sec: float
) -> Comparison | None:
    """Return the pair that the rater has begun, or else a new one; None if there is nothing to do.

    As in marking, work whose lock has expired can be continued.

    Args:
      session: of the database, for writing.
      visitor: the rater.
      there: datasets that the study has now.
      when: present time.
      lock_sec: seconds for which the pair stays with the rater.
    """
    seen = {project.id for project in projects_of(session, visitor)}
    query = select(ComparedProject).join(Project).where(ComparedProject.open, Project.open, Project.dataset.in_(there))
    query = query.order_by(Project.created, Project.dataset)
    every = session.scalars(query.with_for_update(of=ComparedProject)).all()
    projects = [project for project in every if project.project_id in seen]
    begun = _begun(session, visitor.person_id, [project.project_id for project in projects])
    if begun is not None:
        begun.locked_until = when + lock_sec
        return begun
    for project in projects:
        waiting = _waiting(session, project.project_id, visitor.person_id, when)
        found = next_episode(waiting, project.overlap, _ORDER, visitor.person_id)
        if found is not None:
            new = Comparison(
                pair=session.get_one(ClipPairRecord, found.key), rater_id=visitor.person_id,
                swapped=swapped(found.key, visitor.person_id), opened=when, locked_until=when + lock_sec,
            )  # fmt: skip
            session.add(new)
            session.flush()
            return new
    return None


def swapped(pair_id: str, rater_id: str) -> bool:
    """Return whether clip B of a pair is on the left of a rater's page: as often as not."""
    return hashlib.sha256(f"{rater_id} {pair_id}".encode()).digest()[0] % 2 == 1


def _begun(session: Session, rater_id: str, project_ids: list[str]) -> Comparison | None:
    query = whole_pairs(select(Comparison).join(ClipPairRecord)).where(
        Comparison.rater_id == rater_id,
        Comparison.submitted.is_(None),
        ClipPairRecord.project_id.in_(project_ids),
    )
    return session.scalar(query.order_by(Comparison.opened).limit(1))


def _waiting(session: Session, project_id: str, rater_id: str, when: float) -> list[Waiting]:
    """Return the pairs of a project that the rater has not had, with the number of raters of each."""
    counts = and_(
        Comparison.pair_id == ClipPairRecord.id,
        or_(Comparison.submitted.is_not(None), Comparison.locked_until > when),
    )
    had = select(Comparison.pair_id).where(Comparison.rater_id == rater_id).correlate(None)
    query = whole_pairs(select(ClipPairRecord.id, ClipPairRecord.number, func.count(Comparison.id)))
    query = query.outerjoin(Comparison, counts).where(
        ClipPairRecord.project_id == project_id, ClipPairRecord.id.not_in(had)
    )
    query = query.group_by(ClipPairRecord.id, ClipPairRecord.number)
    return [Waiting(key, number, raters) for key, number, raters in session.execute(query)]


def own_comparison(session: Session, comparison_id: str, visitor: Visitor) -> Comparison:
    """Return the rater's comparison. Raises Refused if they have none of that id in a project of theirs."""
    comparison = session.get(Comparison, comparison_id)
    if comparison is None or comparison.rater_id != visitor.person_id:
        raise Refused(404, "you have no such clips to compare")
    project_of(session, visitor, comparison.pair.project_id)
    return comparison


def sides(comparison: Comparison) -> list[tuple[EpisodeRecord, int, str]]:
    """Return episode, first step and request of the left clip and of the right one."""
    pair = comparison.pair
    clips = [(pair.of_a, pair.begin_a, pair.request_a), (pair.of_b, pair.begin_b, pair.request_b)]
    return clips[::-1] if comparison.swapped else clips


def answer(comparison: Comparison, said: str, revision: int, when: float) -> None:
    """Save an answer; answers may arrive twice or in any order.

    Args:
      comparison: the rater's.
      said: one of ``SIDED_ANSWERS``; "" takes the answer back.
      revision: number of the edit, from 1; of two answers the one with the higher revision counts.
      when: present time.

    Raises:
      Refused: if the answer was submitted, or another window has given another in this revision.
    """
    given = (_SWAPPED if comparison.swapped else _SIDES).get(said, said)
    if not is_newer(revision, comparison.revision, given == comparison.answer):
        return
    if comparison.submitted is not None:
        raise Refused(409, "you have opened the next clips; your answer to these stays as it is")
    comparison.revision, comparison.answer, comparison.saved = revision, given, when


def submit(comparison: Comparison, revision: int, when: float) -> None:
    """Submit the answer. Raises Refused if there is none, or the browser shows another one."""
    if comparison.submitted is not None:
        return
    if comparison.revision != revision:
        raise Refused(409, "the server has not what your browser shows; load the page again")
    if not comparison.answer:
        raise Refused(409, "give an answer first")
    comparison.submitted = when


def answer_of(comparison: Comparison) -> dict[str, Any]:
    """Return the answer to a comparison, as the rater's browser gets it."""
    sided = {clip: side for side, clip in (_SWAPPED if comparison.swapped else _SIDES).items()}
    return {"revision": comparison.revision, "answer": sided.get(comparison.answer, comparison.answer)}


def progress_of(session: Session, rater_id: str) -> dict[str, Any]:
    """Return how many pairs the rater has compared, and whether one is begun."""
    mine = Comparison.rater_id == rater_id
    submitted = session.scalar(select(func.count()).where(mine, Comparison.submitted.is_not(None))) or 0
    begun = session.scalar(select(func.count()).where(mine, Comparison.submitted.is_(None))) or 0
    return {"submitted": submitted, "begun": begun > 0}


def compared_projects(session: Session, when: float) -> list[dict[str, Any]]:
    """Return every project: its settings of comparing, its progress, and how far raters agree."""
    return [
        {"id": project.id, "dataset": project.dataset, "title": project.title} | _progress(session, project.id, when)
        for project in session.scalars(select(Project).order_by(Project.created, Project.dataset))
    ]


def _progress(session: Session, project_id: str, when: float) -> dict[str, Any]:
    compared = session.get(ComparedProject, project_id) or new_compared(project_id)
    own = ClipPairRecord.project_id == project_id
    drawn = session.scalar(whole_pairs(select(func.count(ClipPairRecord.id)).where(own))) or 0
    query = select(Comparison.pair_id, Comparison.answer, Comparison.exported).join(ClipPairRecord)
    submitted = session.execute(query.where(own, Comparison.submitted.is_not(None))).all()
    begun = select(func.count(Comparison.id)).join(ClipPairRecord)
    begun = begun.where(own, Comparison.submitted.is_(None), Comparison.locked_until > when)
    answers: defaultdict[str, list[str]] = defaultdict(list)
    for pair_id, given, _ in submitted:
        answers[pair_id].append(given)
    return {name: getattr(compared, name) for name in SETTINGS} | {
        "drawn": drawn,
        "wanted": drawn * compared.overlap,
        "submitted": len(submitted),
        "begun": session.scalar(begun) or 0,
        "exported": sum(exported is not None for *_, exported in submitted),
        "agreement": clip_agreement(answers),
    }


def new_compared(project_id: str) -> ComparedProject:
    """Return the settings of a project of which no clips are compared yet."""
    return ComparedProject(
        project_id=project_id, pairs=0, clip_seconds=4.0, within_share=0.5, seed=0, overlap=1, open=True, drawn_from=""
    )
