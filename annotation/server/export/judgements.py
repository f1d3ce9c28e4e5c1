"""Export of submitted judgements into the datasets; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from annotation.server.db.database import Database
from annotation.server.db.judging_tables import Continuation, JudgingAssignment
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.export.batches import BATCH_SIZE, export_projects, missing_episodes
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
    """Export the next judgements of a project; return how many. The lock keeps deletions out meanwhile."""
    with datasets.exporting():
        store = datasets.store(dataset)
        gone = _gone(database, project_id, store)
        batch = _waiting(database, project_id, gone)
        if batch:
            known = {said for one in batch.values() for said in store.judgements(one.episode_id)}
            store.write_judgements(set(batch.values()) - known)
            _note(database, list(batch), when)
    if gone and not batch:
        raise missing_episodes(gone, dataset)
    return len(batch)


def _gone(database: Database, project_id: str, store: ParquetStore) -> list[str]:
    """Return episodes with judgements to export that the dataset no longer has."""
    query = select(EpisodeRecord.episode_id).join(Continuation).join(JudgingAssignment)
    with database.reading() as session:
        found = session.scalars(query.where(EpisodeRecord.project_id == project_id, *_NOT_EXPORTED).distinct())
        return sorted(episode_id for episode_id in found if episode_id not in store)


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Continuation).join(JudgingAssignment)
        return [(id, dataset) for id, dataset in session.execute(query.where(*_NOT_EXPORTED).distinct())]


def _waiting(database: Database, project_id: str, gone: Sequence[str]) -> dict[str, Judgement]:
    """Return the next judgements to export, by assignment, under the judges' pseudonyms."""
    with database.reading() as session:
        query = select(JudgingAssignment).join(Continuation).join(EpisodeRecord)
        query = query.where(
            EpisodeRecord.project_id == project_id, EpisodeRecord.episode_id.not_in(gone), *_NOT_EXPORTED
        )
        query = query.options(joinedload(JudgingAssignment.judge)).order_by(JudgingAssignment.submitted)
        found = session.scalars(query.limit(BATCH_SIZE)).all()
        return {one.id: _judgement(one) for one in found}


def _judgement(said: JudgingAssignment) -> Judgement:
    assert said.success is not None or said.left_out  # or it could not have been submitted
    episode_id = said.continuation.episode.episode_id
    return Judgement(episode_id, said.judge.pseudonym, bool(said.success), said.step, False, said.left_out)


def _note(database: Database, assignment_ids: Sequence[str], when: float) -> None:
    with database.writing() as session:
        chosen = JudgingAssignment.id.in_(assignment_ids)
        session.execute(update(JudgingAssignment).where(chosen).values(exported=when))
