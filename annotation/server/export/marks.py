"""Export of submitted marks into the datasets, after every submission and on request.

The marks of a submission are first written to the dataset; then it is noted as exported. Interrupted in between, the
next export writes those marks again; marks are sets, so they are stored once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session, joinedload

from annotation.server.clock import now
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, EpisodeRecord, MarkRecord, Project
from annotation.server.export.batches import BATCH_SIZE, NotExported, Submitted, export_projects, export_waiting
from annotation.server.export.clip_pairs import export_clip_pairs
from annotation.server.export.inferred_goals import export_inferred_goals
from annotation.server.export.judgements import export_judgements
from annotation.server.services.background import Background
from annotation.server.services.datasets import Datasets
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore

_NOT_EXPORTED = (
    Assignment.submitted.is_not(None),
    Assignment.exported.is_(None),
    Assignment.withdrawing.is_(False),
    or_(Assignment.gold == "", Project.export_gold),
)


def export_submitted(database: Database, datasets: Datasets, when: float) -> int:
    """Write the marks of every submission that is not exported yet into its dataset; return how many there were.

    Raises:
      NotExported: if some could not be; the others are written all the same.
    """
    return export_waiting(database, datasets, _projects_waiting(database), _waiting, _write, Assignment, when)


def withdraw_returned(database: Database, datasets: Datasets) -> int:
    """Take the marks of work that was sent back out of the datasets; return how many submissions they were of.

    Raises:
      NotExported: if a dataset cannot be written; the others are all the same.
    """
    chosen = Assignment.withdrawing
    query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Assignment).where(chosen).distinct()
    with database.reading() as session:
        projects = [(project_id, dataset) for project_id, dataset in session.execute(query)]
    return export_projects(projects, lambda project, dataset, _: _withdraw_some(database, datasets, project, dataset))


def _withdraw_some(database: Database, datasets: Datasets, project_id: str, dataset: str) -> int | None:
    """Take the marks of the next returned submissions of a project out of its dataset; None if there are none."""
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
    return len(returned) or None


def export_everything(database: Database, datasets: Datasets, when: float) -> int:
    """Take marks of returned work out of the datasets, and write everything that was submitted into them.

    Returns:
      how many submissions were written.

    Raises:
      NotExported: if something could not be written; everything else is all the same.
    """
    done, reasons = 0, list[str]()
    try:
        withdraw_returned(database, datasets)
    except NotExported as error:
        reasons += error.reasons
    for export in (export_judgements, export_clip_pairs, export_inferred_goals, export_submitted):
        try:
            done += export(database, datasets, when)
        except NotExported as error:
            done += error.exported
            reasons += error.reasons
    if reasons:
        raise NotExported(reasons, done)
    return done


def _write(store: ParquetStore, marks: Sequence[Mark]) -> None:
    known = {mark for episode_id in {mark.episode_id for mark in marks} for mark in store.marks(episode_id)}
    store.write_marks(set(marks) - known)


def _projects_waiting(database: Database) -> list[tuple[str, str]]:
    """Return id and dataset of every project that has something to export."""
    with database.reading() as session:
        query = select(Project.id, Project.dataset).join(EpisodeRecord).join(Assignment).where(*_NOT_EXPORTED)
        return [(project_id, dataset) for project_id, dataset in session.execute(query.distinct())]


def _waiting(database: Database, project_id: str, refused: Collection[str]) -> dict[str, Submitted]:
    """Return the next submissions to export, by assignment, but ``refused``."""
    with database.reading() as session:
        query = (
            select(Assignment)
            .join(EpisodeRecord)
            .join(Project)
            .where(Project.id == project_id, Assignment.id.not_in(refused), *_NOT_EXPORTED)
        )
        query = query.options(joinedload(Assignment.rater)).order_by(Assignment.submitted)
        assignments = session.scalars(query.limit(BATCH_SIZE)).all()
        return {assignment.id: _submitted(session, assignment) for assignment in assignments}


def _submitted(session: Session, assignment: Assignment) -> Submitted:
    """Return a submission with its marks that are not deleted, under the rater's pseudonym."""
    query = select(MarkRecord.step, MarkRecord.sign)
    found = session.execute(query.where(MarkRecord.assignment_id == assignment.id, MarkRecord.deleted.is_(False))).all()
    episode, rater = assignment.episode, assignment.rater.pseudonym

    def marks() -> list[Mark]:
        return [Mark(episode.episode_id, rater, step, sign, scripted=False) for step, sign in found]

    return Submitted.of(rater, [episode], marks)


class Exporter(Background):
    """Exports in the background, so that no request waits for it."""

    def __init__(self, database: Database, datasets: Datasets) -> None:
        super().__init__(self.now, "export-marks", "marks wait to be exported")
        self._database, self._datasets = database, datasets

    def now(self) -> int:
        """Export now, see :func:`export_everything`."""
        return export_everything(self._database, self._datasets, now())
