"""Submitted marks on their way into the datasets: after every submission, and whenever somebody asks.

A submission is exported once: its marks are written to the dataset, and then it is noted as exported. Whatever dies in
between, the next export writes those marks again; marks are sets, so they are there once.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select, update

from annotation.marks import Mark
from annotation.server.clock import now
from annotation.server.database import Database
from annotation.server.datasets import Datasets
from annotation.server.tables import Assignment, MarkRecord
from rlhf.errors import UserError

_AT_ONCE = 500  # submissions of one transaction
RETRY_SEC = 30.0

_log = logging.getLogger("rlhf.serve")


def export_submitted(database: Database, datasets: Datasets, when: float) -> int:
    """Write the marks of every submission that is not exported yet into its dataset; how many submissions there were.

    Raises:
      UserError: if a dataset cannot be written, or no longer has an episode; what was written before is noted.
    """
    done = 0
    while batch := _waiting(database):
        by_dataset: dict[str, list[tuple[str, list[Mark]]]] = defaultdict(list)
        for assignment_id, dataset, marks in batch:
            by_dataset[dataset].append((assignment_id, marks))
        for dataset, submissions in by_dataset.items():
            store = datasets.store(dataset)
            known = set(store.marks())
            store.write_marks({mark for _, marks in submissions for mark in marks} - known)
            _note(database, [assignment_id for assignment_id, _ in submissions], when)
        done += len(batch)
    return done


def _waiting(database: Database) -> list[tuple[str, str, list[Mark]]]:
    """Submissions to export: assignment, dataset and marks."""
    with database.reading() as session:
        query = select(Assignment).where(Assignment.submitted.is_not(None), Assignment.exported.is_(None))
        assignments = session.scalars(query.order_by(Assignment.submitted).limit(_AT_ONCE)).all()
        return [
            (
                assignment.id,
                assignment.episode.project.dataset,
                [
                    Mark(assignment.episode.episode_id, assignment.rater.pseudonym, step, sign, scripted=False)
                    for step, sign in session.execute(
                        select(MarkRecord.step, MarkRecord.sign).where(
                            MarkRecord.assignment_id == assignment.id, MarkRecord.deleted.is_(False)
                        )
                    )
                ],
            )
            for assignment in assignments
        ]


def _note(database: Database, assignment_ids: Sequence[str], when: float) -> None:
    with database.writing() as session:
        session.execute(update(Assignment).where(Assignment.id.in_(assignment_ids)).values(exported=when))


class Exporter:
    """Exports in the background, so that nobody waits for it: after ``wake``, and again after what went wrong."""

    def __init__(self, database: Database, datasets: Datasets) -> None:
        self._database, self._datasets = database, datasets
        self._wanted = threading.Event()
        self._ending = False
        self._thread: threading.Thread | None = None
        self.trouble = ""  # why the last export failed; "" if it did not

    def start(self) -> None:
        """Begin, with whatever an earlier server left."""
        self._thread = threading.Thread(target=self._work, name="export-marks", daemon=True)
        self._wanted.set()
        self._thread.start()

    def wake(self) -> None:
        """There is something new to export."""
        self._wanted.set()

    def now(self) -> int:
        """Export at once, see :func:`export_submitted`."""
        return export_submitted(self._database, self._datasets, now())

    def stop(self) -> None:
        """End, after the export that is going on."""
        self._ending = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._ending:
            self._wanted.wait(timeout=RETRY_SEC if self.trouble else None)
            self._wanted.clear()
            try:
                self.now()
                self.trouble = ""
            except UserError as error:
                self._complain(str(error))
            except Exception as error:  # the thread must live; what failed is tried again
                self._complain(f"{type(error).__name__}: {error}")

    def _complain(self, trouble: str) -> None:
        if trouble != self.trouble:
            _log.warning("marks wait to be exported: %s", trouble)
        self.trouble = trouble
