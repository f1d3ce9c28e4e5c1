"""Export of submitted marks into the datasets, after every submission and on request.

The marks of a submission are first written to the dataset; then it is noted as exported. Interrupted in between, the
next export writes those marks again; marks are sets, so they are stored once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session, joinedload

from annotation.server.clock import now
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, EpisodeRecord, MarkRecord, Project
from annotation.server.export.batches import BATCH_SIZE, export_batch, export_projects
from annotation.server.export.clip_pairs import export_clip_pairs
from annotation.server.export.inferred_goals import export_inferred_goals
from annotation.server.export.judgements import export_judgements
from annotation.server.services.background import Background
from annotation.server.services.datasets import Datasets
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore
from worlds.errors import UserError

_NOT_EXPORTED = (
    Assignment.submitted.is_not(None),
    Assignment.exported.is_(None),
    Assignment.withdrawing.is_(False),
    or_(Assignment.gold == "", Project.export_gold),
)


def export_submitted(database: Database, datasets: Datasets, when: float) -> int:
    """Write the marks of every submission that is not exported yet into its dataset; return how many there were.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; the others are written all the same.
    """
    return export_projects(
        _projects_waiting(database), lambda project, dataset: _export_some(database, datasets, project, dataset, when)
    )


def withdraw_returned(database: Database, datasets: Datasets) -> int:
    """Take the marks of work that was sent back out of the datasets; return how many submissions they were of.

    Raises:
      UserError: if a dataset cannot be written; the others are all the same.
    """
    chosen = Assignment.withdrawing
    query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Assignment).where(chosen).distinct()
    with database.reading() as session:
        projects = [(project_id, dataset) for project_id, dataset in session.execute(query)]
    return export_projects(projects, lambda project, dataset: _withdraw_some(database, datasets, project, dataset))


def _withdraw_some(database: Database, datasets: Datasets, project_id: str, dataset: str) -> int:
    """Take the marks of the next returned submissions of a project out of its dataset; return how many they were."""
    query = select(Assignment).join(EpisodeRecord).where(EpisodeRecord.project_id == project_id, Assignment.withdrawing)
    with datasets.exporting():
        with database.reading() as session:
            found = session.scalars(query.options(joinedload(Assignment.rater)).limit(BATCH_SIZE)).all()
            returned = [(one.id, one.rater.pseudonym, one.episode.episode_id) for one in found]
        for _, rater, episode_id in returned:
            datasets.store(dataset).remove_marks(rater, episode_id)
        with database.writing() as session:
            withdrawn = Assignment.id.in_([assignment_id for assignment_id, _, _ in returned])
            session.execute(update(Assignment).where(withdrawn).values(withdrawing=False, exported=None))
    return len(returned)


def export_everything(database: Database, datasets: Datasets, when: float) -> int:
    """Take marks of returned work out of the datasets, and write everything that was submitted into them.

    Returns:
      how many submissions were written.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; everything else is done all the same.
    """
    done, trouble = 0, None
    try:
        withdraw_returned(database, datasets)
    except UserError as error:
        trouble = error
    for export in (export_judgements, export_clip_pairs, export_inferred_goals, export_submitted):
        try:
            done += export(database, datasets, when)
        except UserError as error:
            trouble = error
    if trouble is not None:
        raise trouble
    return done


def _export_some(database: Database, datasets: Datasets, project_id: str, dataset: str, when: float) -> int:
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).join(Assignment)
    episodes = query.join(Project, Project.id == EpisodeRecord.project_id).where(
        EpisodeRecord.project_id == project_id, *_NOT_EXPORTED
    )
    waiting = partial(_waiting, database, project_id)
    return export_batch(database, datasets, dataset, episodes, waiting, _write, Assignment, when)


def _write(store: ParquetStore, batch: Mapping[str, Sequence[Mark]]) -> None:
    marks = {mark for each in batch.values() for mark in each}
    known = {mark for episode_id in {mark.episode_id for mark in marks} for mark in store.marks(episode_id)}
    store.write_marks(marks - known)


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Assignment).where(*_NOT_EXPORTED)
        return [(project_id, dataset) for project_id, dataset in session.execute(query.distinct())]


def _waiting(database: Database, project_id: str, gone: Collection[str]) -> dict[str, list[Mark]]:
    """Return the marks of the next submissions to export, by assignment."""
    with database.reading() as session:
        query = (
            select(Assignment)
            .join(EpisodeRecord)
            .join(Project)
            .where(Project.id == project_id, EpisodeRecord.id.not_in(gone), *_NOT_EXPORTED)
        )
        query = query.options(joinedload(Assignment.rater)).order_by(Assignment.submitted)
        assignments = session.scalars(query.limit(BATCH_SIZE)).all()
        return {assignment.id: _marks(session, assignment) for assignment in assignments}


def _marks(session: Session, assignment: Assignment) -> list[Mark]:
    """Return the marks of a submission that are not deleted, under the rater's pseudonym."""
    query = select(MarkRecord.step, MarkRecord.sign)
    query = query.where(MarkRecord.assignment_id == assignment.id, MarkRecord.deleted.is_(False))
    return [
        Mark(assignment.episode.episode_id, assignment.rater.pseudonym, step, sign, scripted=False)
        for step, sign in session.execute(query)
    ]


class Exporter(Background):
    """Exports in the background, so that no request waits for it."""

    def __init__(self, database: Database, datasets: Datasets) -> None:
        super().__init__(self.now, "export-marks", "marks wait to be exported")
        self._database, self._datasets = database, datasets

    def now(self) -> int:
        """Export now, see :func:`export_everything`."""
        return export_everything(self._database, self._datasets, now())
