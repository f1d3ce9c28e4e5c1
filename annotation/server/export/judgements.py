"""Export of submitted judgements into the datasets; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.database import Database
from annotation.server.db.judging_tables import Continuation, JudgingAssignment
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.export.batches import BATCH_SIZE, export_batch, export_projects
from annotation.server.services.datasets import Datasets
from rlhf.records.marks import Judgement
from rlhf.store import ParquetStore

_NOT_EXPORTED = (JudgingAssignment.submitted.is_not(None), JudgingAssignment.exported.is_(None))


def export_judgements(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted judgement that is not exported yet into its dataset; return how many there were.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; the others are written all the same.
    """
    return export_projects(
        _projects_waiting(database), lambda project, dataset: _export_some(database, datasets, project, dataset, when)
    )


def _export_some(database: Database, datasets: Datasets, project_id: str, dataset: str, when: float) -> int:
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).join(Continuation).join(JudgingAssignment)
    episodes = query.where(EpisodeRecord.project_id == project_id, *_NOT_EXPORTED)
    waiting = partial(_waiting, database, project_id)
    return export_batch(database, datasets, dataset, episodes, waiting, _write, JudgingAssignment, when)


def _write(store: ParquetStore, batch: Mapping[str, Judgement]) -> None:
    known = {said for one in batch.values() for said in store.judgements(one.episode_id)}
    store.write_judgements(set(batch.values()) - known)


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Continuation).join(JudgingAssignment)
        return [(id, dataset) for id, dataset in session.execute(query.where(*_NOT_EXPORTED).distinct())]


def _waiting(database: Database, project_id: str, gone: Collection[str]) -> dict[str, Judgement]:
    """Return the next judgements to export, by assignment, under the judges' pseudonyms."""
    with database.reading() as session:
        query = select(JudgingAssignment).join(Continuation).join(EpisodeRecord)
        query = query.where(EpisodeRecord.project_id == project_id, EpisodeRecord.id.not_in(gone), *_NOT_EXPORTED)
        query = query.options(joinedload(JudgingAssignment.judge)).order_by(JudgingAssignment.submitted)
        found = session.scalars(query.limit(BATCH_SIZE)).all()
        return {one.id: _judgement(one) for one in found}


def _judgement(said: JudgingAssignment) -> Judgement:
    assert said.success is not None or said.left_out  # or it could not have been submitted
    episode_id = said.continuation.episode.episode_id
    return Judgement(episode_id, said.judge.pseudonym, bool(said.success), said.step, False, said.left_out)
