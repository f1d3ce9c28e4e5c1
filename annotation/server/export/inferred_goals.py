"""Export of submitted answers into the datasets as inferred goals; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.database import Database
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.db.watching_tables import Demonstration, GoalAnswer
from annotation.server.export.batches import BATCH_SIZE, Submitted, export_waiting
from annotation.server.services.datasets import Datasets
from rlhf.records.preferences import InferredGoal
from rlhf.store import ParquetStore

_NOT_EXPORTED = (GoalAnswer.submitted.is_not(None), GoalAnswer.exported.is_(None))


def export_inferred_goals(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted answer that is not exported yet into its dataset; return how many there were.

    Raises:
      NotExported: if some could not be; the others are written all the same.
    """
    return export_waiting(database, datasets, _projects_waiting(database), _waiting, _write, GoalAnswer, when)


def _write(store: ParquetStore, goals: Sequence[InferredGoal]) -> None:
    store.write_preferences(set(goals) - set(store.preferences(InferredGoal)))


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Demonstration).join(GoalAnswer)
        return [(id, dataset) for id, dataset in session.execute(query.where(*_NOT_EXPORTED).distinct())]


def _waiting(database: Database, project_id: str, refused: Collection[str]) -> dict[str, Submitted]:
    """Return the next answers to export, by id, but ``refused``, under the raters' pseudonyms."""
    with database.reading() as session:
        query = select(GoalAnswer).join(Demonstration).join(EpisodeRecord)
        query = query.where(EpisodeRecord.project_id == project_id, GoalAnswer.id.not_in(refused), *_NOT_EXPORTED)
        query = query.options(joinedload(GoalAnswer.rater)).order_by(GoalAnswer.submitted)
        found = session.scalars(query.limit(BATCH_SIZE)).all()
        return {one.id: _submitted(one) for one in found}


def _submitted(answer: GoalAnswer) -> Submitted:
    record, rater = answer.demonstration.episode, answer.rater.pseudonym

    def goals() -> list[InferredGoal]:
        name, steps = record.episode_id, record.steps
        return [InferredGoal(name, 0, steps, answer.goal, rater, answer.active_sec, scripted=False)]

    return Submitted.of(rater, [record], goals)
