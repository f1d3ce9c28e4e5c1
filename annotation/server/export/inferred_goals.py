"""Export of submitted answers into the datasets as inferred goals; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.database import Database
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.db.watching_tables import Demonstration, GoalAnswer
from annotation.server.export.batches import BATCH_SIZE, export_batch, export_projects
from annotation.server.services.datasets import Datasets
from rlhf.records.preferences import InferredGoal
from rlhf.store import ParquetStore

_NOT_EXPORTED = (GoalAnswer.submitted.is_not(None), GoalAnswer.exported.is_(None))


def export_inferred_goals(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted answer that is not exported yet into its dataset; return how many there were.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; the others are written all the same.
    """
    return export_projects(
        _projects_waiting(database), lambda project, dataset: _export_some(database, datasets, project, dataset, when)
    )


def _export_some(database: Database, datasets: Datasets, project_id: str, dataset: str, when: float) -> int:
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).join(Demonstration).join(GoalAnswer)
    episodes = query.where(EpisodeRecord.project_id == project_id, *_NOT_EXPORTED)
    waiting = partial(_waiting, database, project_id)
    return export_batch(database, datasets, dataset, episodes, waiting, _write, GoalAnswer, when)


def _write(store: ParquetStore, batch: Mapping[str, InferredGoal]) -> None:
    store.write_preferences(set(batch.values()) - set(store.preferences(InferredGoal)))


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Demonstration).join(GoalAnswer)
        return [(id, dataset) for id, dataset in session.execute(query.where(*_NOT_EXPORTED).distinct())]


def _waiting(database: Database, project_id: str, gone: Collection[str]) -> dict[str, InferredGoal]:
    """Return the next answers to export, by id, under the raters' pseudonyms."""
    with database.reading() as session:
        query = select(GoalAnswer).join(Demonstration).join(EpisodeRecord)
        query = query.where(EpisodeRecord.project_id == project_id, EpisodeRecord.id.not_in(gone), *_NOT_EXPORTED)
        query = query.options(joinedload(GoalAnswer.rater)).order_by(GoalAnswer.submitted)
        found = session.scalars(query.limit(BATCH_SIZE)).all()
        return {one.id: _inferred(one) for one in found}


def _inferred(answer: GoalAnswer) -> InferredGoal:
    record = answer.demonstration.episode
    return InferredGoal(
        record.episode_id, 0, record.steps, answer.goal, answer.rater.pseudonym, answer.active_sec, scripted=False
    )
