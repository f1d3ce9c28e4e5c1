"""Gold episodes of a study: chosen by an admin, compared with raters' marks after training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from annotation.agreement.gold import TRAINING, Comparison, compare
from annotation.server.db.tables import Assignment, EpisodeRecord, GoldEpisode
from annotation.server.errors import Refused
from annotation.server.services.tasks import settings_of
from annotation.tasks import MARKING
from annotation.tasks.marking import marks_of
from rlhf.records.marks import Mark


def make_gold(
    session: Session, record: EpisodeRecord, marks: Sequence[Mark], rater: str, purpose: str, when: float
) -> None:
    """Make an episode gold: its known marks are those that ``rater`` gave, as they are now.

    Raises Refused if that rater gave none.
    """
    known = sorted({(mark.step, mark.sign) for mark in marks if mark.rater == rater})
    if not known:
        raise Refused(422, f"{rater} has no marks of this episode; mark it and submit it first")
    gold = session.get(GoldEpisode, record.id)
    if gold is None:
        gold = GoldEpisode(episode_id=record.id)
        session.add(gold)
    gold.purpose, gold.source, gold.created = purpose, rater, when
    gold.marks = [list(mark) for mark in known]


def feedback(session: Session, assignment: Assignment) -> dict[str, Any]:
    """Return a rater's marks compared with the known ones. Raises Refused unless the episode was for training."""
    gold = session.get(GoldEpisode, assignment.item.episode_id)
    if assignment.submitted is None or assignment.gold != TRAINING or gold is None:
        raise Refused(404, "your marks of this episode cannot be compared with known ones")
    tolerance = settings_of(session, MARKING, assignment.item.project_id).tolerance
    found = compare(given_marks(assignment), known_marks(gold), tolerance)
    return {"tolerance": tolerance, **_as_json(found)}


def gold_in(session: Session, project_id: str) -> list[GoldEpisode]:
    """Return the gold episodes of a project."""
    query = select(GoldEpisode).join(EpisodeRecord).where(EpisodeRecord.project_id == project_id)
    return list(session.scalars(query))


def known_marks(gold: GoldEpisode) -> tuple[Mark, ...]:
    """Return the known marks of an episode, in order."""
    return tuple(Mark(gold.episode_id, "", step, sign, scripted=False) for step, sign in sorted(gold.marks))


def given_marks(assignment: Assignment, rater: str = "") -> tuple[Mark, ...]:
    """Return the marks of an assignment that are not deleted, in order."""
    said = [answer.said for answer in assignment.answers if not answer.empty]
    marks = marks_of(said, assignment.item.episode_id, rater)
    return tuple(sorted(marks, key=lambda mark: (mark.step, mark.sign)))


def _as_json(found: Comparison) -> dict[str, Any]:
    matched = [{"step": given.step, "known": known.step, "sign": given.sign} for given, known in found.matched]
    return {"matched": matched, "missed": _marks(found.missed), "extra": _marks(found.extra)}


def _marks(marks: Sequence[Mark]) -> list[dict[str, int]]:
    return [{"step": mark.step, "sign": mark.sign} for mark in marks]
