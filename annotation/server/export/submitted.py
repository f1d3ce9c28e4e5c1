"""Export of submitted work into the datasets, after every submission and on request, project after project.

The records of a submission are first written to the dataset; then it is noted as exported. Interrupted in between, the
next export writes those records again; records are sets, so they are stored once. A submission or a dataset that cannot
be written stops no other: it stays in the database, and the next export tries it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import ColumnElement, select, true, update
from sqlalchemy.orm import Session, joinedload, selectinload

from annotation.server.clock import now
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, EpisodeRecord, ItemRecord, Project
from annotation.server.services.background import Background
from annotation.server.services.datasets import Datasets, is_as_listed
from annotation.server.services.items import item_of
from annotation.server.services.tasks import settings_of, submission_of
from annotation.tasks import TASKS
from annotation.tasks.contract import RaterTask, Record
from rlhf.store import EpisodeRow, ParquetStore
from rlhf.store.contract import check_steps
from worlds.errors import UserError

BATCH_SIZE = 500  # submissions of one transaction
_WAITING = (Assignment.submitted.is_not(None), Assignment.exported.is_(None), Assignment.withdrawing.is_(False))


class NotExported(UserError):
    """Something could not be written; everything else is exported.

    Args:
      reasons: a line for each submission, or for a dataset as a whole.
    """

    def __init__(self, reasons: Sequence[str], exported: int) -> None:
        more = f" (and {len(reasons) - 1} more; `rlhf marks collect` lists them)" if len(reasons) > 1 else ""
        super().__init__(reasons[0] + more)
        self.reasons, self.exported = tuple(reasons), exported


@dataclass(frozen=True)
class _Submitted:
    """A submission as a dataset is to hold it.

    Args:
      problem: why there can be no records; "" if there can.
    """

    rater: str
    episodes: tuple[EpisodeRecord, ...]
    records: tuple[Record, ...] = ()
    problem: str = ""


def export_everything(database: Database, datasets: Datasets, when: float) -> int:
    """Take what was said in returned work out of the datasets, and write everything that was submitted into them.

    Returns:
      how many submissions were written.

    Raises NotExported if something could not be written; everything else is all the same.
    """
    reasons, done = list[str](), 0
    for project_id, dataset in _projects(database, Assignment.withdrawing.is_(True)):
        _until_done(partial(_withdraw_some, database, datasets, project_id, dataset), reasons)
    for task in TASKS.values():
        for project_id, dataset in _projects(database, *_WAITING, ItemRecord.kind == task.kind):
            done += _until_done(partial(_export_some, database, datasets, task, project_id, dataset, when), reasons)
    if reasons:
        raise NotExported(reasons, done)
    return done


def _projects(database: Database, *conditions: ColumnElement[bool]) -> list[tuple[str, str]]:
    """Return id and dataset of every project with such assignments."""
    query = select(Project.id, Project.dataset).join(ItemRecord, ItemRecord.project_id == Project.id).join(Assignment)
    with database.reading() as session:
        return [(id, dataset) for id, dataset in session.execute(query.where(*conditions).distinct())]


def _until_done(export_some: Callable[[dict[str, str]], int | None], reasons: list[str]) -> int:
    """Export batches of a project until there are no others.

    Args:
      export_some: takes submissions of the project that cannot be exported, to which it adds: reasons by id. It exports
        a batch and returns how many submissions it wrote; None if there are no others.

    Returns how many submissions were exported.
    """
    done, refused = 0, dict[str, str]()
    try:
        while (exported := export_some(refused)) is not None:
            done += exported
    except UserError as error:
        reasons.append(str(error))
    reasons += refused.values()
    return done


def _withdraw_some(
    database: Database, datasets: Datasets, project_id: str, dataset: str, refused: dict[str, str]
) -> int | None:
    """Take what the next returned submissions of a project say out of its dataset; None if there are none."""
    query = select(Assignment).join(ItemRecord).where(ItemRecord.project_id == project_id, Assignment.withdrawing)
    with datasets.exporting():
        with database.reading() as session:
            found = session.scalars(query.options(joinedload(Assignment.rater)).limit(BATCH_SIZE)).all()
            returned = [(one.id, TASKS[one.item.kind], item_of(one.item, None), one.rater.pseudonym) for one in found]
        store = datasets.store(dataset)
        for _, task, item, rater in returned:
            task.withdraw(store, item, rater)
        with database.writing() as session:
            withdrawn = Assignment.id.in_([assignment_id for assignment_id, *_ in returned])
            session.execute(update(Assignment).where(withdrawn).values(withdrawing=False, exported=None))
    return len(returned) or None


def _export_some(
    database: Database,
    datasets: Datasets,
    task: RaterTask,
    project_id: str,
    dataset: str,
    when: float,
    refused: dict[str, str],
) -> int | None:
    """Export the next submissions of a project. The lock keeps deletions out meanwhile.

    Returns how many were written; None if there are no others.

    Raises UserError if the dataset cannot be read or written.
    """
    with datasets.exporting():
        with database.reading() as session:
            batch = _next(session, task, project_id, refused)
        if not batch:
            return None
        store = datasets.store(dataset)
        rows = {row.episode_id: row for row in store.rows()}
        refused |= {id: line for id, one in batch.items() if (line := _refusal(one, dataset, rows, store))}
        good = [id for id in batch if id not in refused]
        if good:
            task.write(store, [record for id in good for record in batch[id].records])
            with database.writing() as session:
                session.execute(update(Assignment).where(Assignment.id.in_(good)).values(exported=when))
    return len(good)


def _next(session: Session, task: RaterTask, project_id: str, refused: Collection[str]) -> dict[str, _Submitted]:
    """Return the next submissions to export, by assignment, except ``refused``."""
    gold = task.gold and not settings_of(session, task, project_id).export_gold
    query = select(Assignment).join(ItemRecord).options(joinedload(Assignment.rater), selectinload(Assignment.answers))
    query = query.where(
        ItemRecord.project_id == project_id, ItemRecord.kind == task.kind, Assignment.id.not_in(refused), *_WAITING,
        Assignment.gold == "" if gold else true(),
    )  # fmt: skip
    found = session.scalars(query.order_by(Assignment.submitted).limit(BATCH_SIZE)).all()
    return {one.id: _submitted(task, one) for one in found}


def _submitted(task: RaterTask, assignment: Assignment) -> _Submitted:
    rater, episodes = assignment.rater.pseudonym, tuple(assignment.item.episodes)
    try:
        return _Submitted(rater, episodes, tuple(task.records(submission_of(task, assignment, None))))
    except ValueError as error:
        return _Submitted(rater, episodes, problem=str(error))


def _refusal(one: _Submitted, dataset: str, rows: Mapping[str, EpisodeRow], store: ParquetStore) -> str:
    """Return a line on why a submission cannot be exported; "" if it can."""
    problem = next((why for episode in one.episodes if (why := _lost(episode, dataset, rows, store))), one.problem)
    if not problem:
        try:
            check_steps(one.records, rows, store)
        except UserError as error:
            problem = str(error)
    about = " and ".join(dict.fromkeys(episode.episode_id for episode in one.episodes))
    return f"what {one.rater} submitted of {about} stays in the database: {problem}" if problem else ""


def _lost(episode: EpisodeRecord, dataset: str, rows: Mapping[str, EpisodeRow], store: ParquetStore) -> str:
    """Return why marks of an episode no longer count; "" if the episode is unchanged."""
    if episode.episode_id not in rows:
        return f"{episode.episode_id} is no longer in {dataset}"
    if not is_as_listed(episode, store):
        return f"{episode.episode_id} was recorded again in {dataset}, with other content"
    return ""


class Exporter(Background):
    """Exports in the background, so that no request waits for it."""

    def __init__(self, database: Database, datasets: Datasets) -> None:
        super().__init__(self.now, "export-marks", "marks wait to be exported")
        self._database, self._datasets = database, datasets

    def now(self) -> int:
        """Export now, see :func:`export_everything`."""
        return export_everything(self._database, self._datasets, now())
