"""Exports in batches, project after project; an episode that a dataset has lost does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import update
from sqlalchemy.sql import Select

from annotation.server.db.database import Database
from annotation.server.services.datasets import Datasets
from rlhf.store import ParquetStore
from worlds.errors import UserError

BATCH_SIZE = 500  # submissions of one transaction


def export_projects(projects: Iterable[tuple[str, str]], export_some: Callable[[str, str], int]) -> int:
    """Call ``export_some`` for each project until it returns 0.

    Args:
      projects: id and dataset of each.
      export_some: takes both, exports a batch, and returns its size.

    Returns:
      how many submissions were exported.

    Raises:
      UserError: if ``export_some`` raised it for a project; the others are exported all the same.
    """
    done, trouble = 0, None
    for project_id, dataset in projects:
        try:
            while exported := export_some(project_id, dataset):
                done += exported
        except UserError as error:
            trouble = error
    if trouble is not None:
        raise trouble
    return done


def export_batch(
    database: Database,
    datasets: Datasets,
    dataset: str,
    episodes: Select[str, str],
    waiting: Callable[[Collection[str]], Mapping[str, Any]],
    write: Callable[[ParquetStore, Mapping[str, Any]], None],
    submissions: Any,
    when: float,
) -> int:
    """Export the next submissions of a project; return how many. The lock keeps deletions out meanwhile.

    Args:
      database: of the study.
      datasets: of the study.
      dataset: name of the project's.
      episodes: ids, the database's and the dataset's, of the episodes with submissions to export.
      waiting: takes the database's ids of episodes to leave out, and returns the records of the next submissions, by
        the submission's id.
      write: adds records to a dataset, those that it has already excepted.
      submissions: table of the submissions.
      when: present time.

    Raises:
      UserError: if only submissions are left whose episodes the dataset no longer has.
    """
    with datasets.exporting():
        store = datasets.store(dataset)
        with database.reading() as session:
            found = session.execute(episodes.distinct()).all()
        gone = {id: episode_id for id, episode_id in found if episode_id not in store}
        batch = waiting(gone)
        if batch:
            write(store, batch)
            with database.writing() as session:
                session.execute(update(submissions).where(submissions.id.in_(list(batch))).values(exported=when))
    if gone and not batch:
        raise UserError(
            f"{len(gone)} episodes with submissions are no longer in {dataset}, e.g. {min(gone.values())}; the "
            "submissions stay in the database"
        )
    return len(batch)
