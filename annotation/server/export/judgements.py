"""Export of submitted judgements into the datasets; interrupted, it can be done again, as with marks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from annotation.server.db.database import Database
from annotation.server.db.judging_tables import Continuation, JudgingAssignment
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.export.batches import BATCH_SIZE, Submitted, export_waiting
from annotation.server.services.datasets import Datasets
from rlhf.records.marks import Judgement
from rlhf.store import ParquetStore

_NOT_EXPORTED = (JudgingAssignment.submitted.is_not(None), JudgingAssignment.exported.is_(None))


def export_judgements(database: Database, datasets: Datasets, when: float) -> int:
    """Write every submitted judgement that is not exported yet into its dataset; return how many there were.

    Raises:
      NotExported: if some could not be; the others are written all the same.
    """
    return export_waiting(database, datasets, _projects_waiting(database), _waiting, _write, JudgingAssignment, when)


def _write(store: ParquetStore, judgements: Sequence[Judgement]) -> None:
    known = {said for one in judgements for said in store.judgements(one.episode_id)}
    store.write_judgements(set(judgements) - known)


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Continuation).join(JudgingAssignment)
        return [(id, dataset) for id, dataset in session.execute(query.where(*_NOT_EXPORTED).distinct())]


def _waiting(database: Database, project_id: str, refused: Collection[str]) -> dict[str, Submitted]:
    """Return the next judgements to export, by assignment, but ``refused``, under the judges' pseudonyms."""
    with database.reading() as session:
        query = select(JudgingAssignment).join(Continuation).join(EpisodeRecord).where(*_NOT_EXPORTED)
        query = query.where(EpisodeRecord.project_id == project_id, JudgingAssignment.id.not_in(refused))
        query = query.options(joinedload(JudgingAssignment.judge)).order_by(JudgingAssignment.submitted)
        found = session.scalars(query.limit(BATCH_SIZE)).all()
        return {one.id: _submitted(one) for one in found}


def _submitted(said: JudgingAssignment) -> Submitted:
    episode, judge = said.continuation.episode, said.judge.pseudonym

    def judgements() -> list[Judgement]:
        if said.success is None and not said.left_out:
            raise ValueError("it is no verdict")
        return [Judgement(episode.episode_id, judge, bool(said.success), said.step, False, said.left_out)]

    return Submitted.of(judge, [episode], judgements)
