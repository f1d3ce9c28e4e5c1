"""Exports in batches, project after project. A submission or a dataset that cannot be written stops no other.

It stays in the database, and the next export tries it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import update

from annotation.server.db.database import Database
from annotation.server.db.tables import EpisodeRecord
from annotation.server.services.datasets import Datasets, is_as_listed
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import Statement
from rlhf.store import EpisodeRow, ParquetStore
from rlhf.store.contract import check_steps
from worlds.errors import UserError

BATCH_SIZE = 500  # submissions of one transaction


class NotExported(UserError):
    """Something could not be written; everything else is exported.

    Args:
      reasons: a line for each submission, or for a dataset as a whole.
      exported: how many submissions were written.
    """

    def __init__(self, reasons: Sequence[str], exported: int) -> None:
        more = f" (and {len(reasons) - 1} more; `rlhf marks collect` lists them)" if len(reasons) > 1 else ""
        super().__init__(reasons[0] + more)
        self.reasons, self.exported = tuple(reasons), exported


@dataclass(frozen=True)
class Submitted:
    """A submission as a dataset is to hold it.

    Args:
      rater: pseudonym of who submitted it.
      episodes: those that it is about.
      records: what is written.
      problem: why there can be no records; "" if there can.
    """

    rater: str
    episodes: tuple[EpisodeRecord, ...]
    records: tuple[Mark | Judgement | Statement, ...] = ()
    problem: str = ""

    @classmethod
    def of(
        cls, rater: str, episodes: Iterable[EpisodeRecord], make: Callable[[], Iterable[Mark | Judgement | Statement]]
    ) -> Submitted:
        """Return the submission with the records that ``make`` returns, or with the ValueError that it raises."""
        try:
            return cls(rater, tuple(episodes), tuple(make()))
        except ValueError as error:
            return cls(rater, tuple(episodes), problem=str(error))


def export_projects(
    projects: Iterable[tuple[str, str]], export_some: Callable[[str, str, dict[str, str]], int | None]
) -> int:
    """Call ``export_some`` for each project until it returns None.

    Args:
      projects: id and dataset of each.
      export_some: takes both, and submissions of the project that cannot be exported, to which it adds: reasons by id.
        It exports a batch and returns how many submissions it wrote; None if there are no others.

    Returns:
      how many submissions were exported.

    Raises:
      NotExported: if a submission could not be, or ``export_some`` raised UserError for a project.
    """
    done, reasons = 0, list[str]()
    for project_id, dataset in projects:
        refused: dict[str, str] = {}
        try:
            while (exported := export_some(project_id, dataset, refused)) is not None:
                done += exported
        except UserError as error:
            reasons.append(str(error))
        reasons += refused.values()
    if reasons:
        raise NotExported(reasons, done)
    return done


def export_waiting(
    database: Database,
    datasets: Datasets,
    projects: Iterable[tuple[str, str]],
    waiting: Callable[[Database, str, Collection[str]], Mapping[str, Submitted]],
    write: Callable[[ParquetStore, Sequence[Any]], None],
    submissions: Any,
    when: float,
) -> int:
    """Export the submissions of one kind that are not exported yet.

    Args:
      database: of the study.
      datasets: of the study.
      projects: id and dataset of each with something to export.
      waiting: takes the database, a project's id and ids of submissions to leave out, and returns the next ones by id.
      write: adds records to a dataset, those that it has already excepted.
      submissions: table of the submissions.
      when: present time.

    Returns:
      how many were exported.

    Raises:
      NotExported: if some could not be; the others are written all the same.
    """

    def export_some(project_id: str, dataset: str, refused: dict[str, str]) -> int | None:
        of_project = partial(waiting, database, project_id)
        return _export_batch(database, datasets, dataset, of_project, write, submissions, refused, when)

    return export_projects(projects, export_some)


def _export_batch(
    database: Database,
    datasets: Datasets,
    dataset: str,
    waiting: Callable[[Collection[str]], Mapping[str, Submitted]],
    write: Callable[[ParquetStore, Sequence[Any]], None],
    submissions: Any,
    refused: dict[str, str],
    when: float,
) -> int | None:
    """Export the next submissions of a project. The lock keeps deletions out meanwhile.

    Args:
      database: of the study.
      datasets: of the study.
      dataset: name of the project's.
      waiting: takes ids of submissions to leave out, and returns the next ones by id.
      write: adds records to a dataset, those that it has already excepted.
      submissions: table of the submissions.
      refused: reasons of those that cannot be exported, by id; more are added.
      when: present time.

    Returns:
      how many were written; None if there are no others.

    Raises:
      UserError: if the dataset cannot be read or written.
    """
    with datasets.exporting():
        store = datasets.store(dataset)
        batch = waiting(refused)
        rows = {row.episode_id: row for row in store.rows()}
        refused |= {id: line for id, one in batch.items() if (line := _refusal(one, dataset, rows, store))}
        good = [id for id in batch if id not in refused]
        if good:
            write(store, [record for id in good for record in batch[id].records])
            with database.writing() as session:
                session.execute(update(submissions).where(submissions.id.in_(good)).values(exported=when))
    return len(good) if batch else None


def _refusal(one: Submitted, dataset: str, rows: Mapping[str, EpisodeRow], store: ParquetStore) -> str:
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
    """Return why nothing can be said of an episode any more; "" if it is as it was."""
    if episode.episode_id not in rows:
        return f"{episode.episode_id} is no longer in {dataset}"
    if not is_as_listed(episode, store):
        return f"{episode.episode_id} was recorded again in {dataset}, with other content"
    return ""
