"""The dashboard's numbers, computed by a process of its own, so that raters never wait for them, and kept.

python -m annotation.server.services.measuring < QUESTION > ANSWER
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from annotation.agreement.dashboard import measure
from annotation.agreement.submission import Submission
from annotation.server.clock import now
from annotation.server.db.database import Database
from annotation.server.db.tables import Assignment, EpisodeRecord, GoldEpisode, ItemRecord, Project
from annotation.server.services.gold import given_marks, gold_in, known_marks
from annotation.server.services.seen import seen_share
from annotation.server.services.submissions import SUBMITTED_MARKS
from annotation.server.services.tasks import settings_of
from annotation.tasks import MARKING
from annotation.viewer.indexing import own_modules
from rlhf.run.processes import end_with

LEAST_SEC = 10.0  # between two computations for one project
_PATIENCE_SEC = 900.0
COMMAND = (sys.executable, "-P", "-m", "annotation.server.services.measuring")


class Measuring:
    """The measures last computed of each project."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._known: dict[str, dict[str, Any]] = {}
        self._state: dict[str, Any] = {}  # of what each was computed
        self._working: set[str] = set()
        self._begun: dict[str, float] = {}

    def of(self, project_id: str, state: Any) -> dict[str, Any]:
        """Return what is known of a project, and compute it again in the background if its state has changed.

        Returns:
          ``measures`` (None: not yet), when they were ``computed``, whether they are being computed (``working``) or
          will be soon (``outdated``), and what went wrong (``trouble``).
        """
        with self._lock:
            outdated = self._state.get(project_id) != state
            rested = time.monotonic() - self._begun.get(project_id, -LEAST_SEC) >= LEAST_SEC
            if outdated and rested and project_id not in self._working:
                self._working.add(project_id)
                self._begun[project_id] = time.monotonic()
                threading.Thread(target=self._work, args=(project_id, state), daemon=True).start()
            known = self._known.get(project_id, {"measures": None, "computed": None, "trouble": ""})
            return known | {"working": project_id in self._working, "outdated": outdated}

    def forget(self) -> None:
        """Forget what was computed, as when a person's data is deleted."""
        with self._lock:
            self._known, self._state, self._begun = {}, {}, {}

    def _work(self, project_id: str, state: Any) -> None:
        with self._turn:  # one at a time
            found, trouble = None, ""
            try:
                found = _ask(self._url, project_id)
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                trouble = f"the numbers could not be computed ({type(error).__name__}); they are tried again"
        with self._lock:
            self._working.discard(project_id)
            if found is None:
                self._known.setdefault(project_id, {"measures": None, "computed": None})["trouble"] = trouble
            else:
                self._known[project_id] = {"measures": found, "computed": now(), "trouble": ""}
                self._state[project_id] = state


def _ask(url: str, project_id: str) -> dict[str, Any]:
    question = json.dumps({"url": url, "project": project_id})  # not an argument: the URL may hold a password
    done = subprocess.run(
        COMMAND, input=question, capture_output=True, text=True, timeout=_PATIENCE_SEC, env=own_modules(), check=True
    )
    return json.loads(done.stdout)


def state_of(session: Session, project: Project) -> tuple[Any, ...]:
    """Return a value that changes when work is submitted or deleted, or known marks or the tolerance change."""
    work = select(func.count(), func.max(Assignment.submitted)).select_from(Assignment).join(ItemRecord)
    work = work.where(ItemRecord.project_id == project.id, SUBMITTED_MARKS)
    gold = select(func.count(), func.max(GoldEpisode.created)).select_from(GoldEpisode).join(EpisodeRecord)
    gold = gold.where(EpisodeRecord.project_id == project.id)
    return (
        *session.execute(work).one(),
        *session.execute(gold).one(),
        settings_of(session, MARKING, project.id).tolerance,
    )


def submissions_of(session: Session, project_id: str) -> list[Submission]:
    """Return all marking that was submitted in a project."""
    query = select(Assignment).join(ItemRecord).where(ItemRecord.project_id == project_id, SUBMITTED_MARKS)
    query = query.options(selectinload(Assignment.answers), selectinload(Assignment.rater))
    return [_submission(one) for one in session.scalars(query)]


def _submission(one: Assignment) -> Submission:
    episode, rater = one.item.episode, one.rater.pseudonym
    return Submission(
        rater, episode.id, episode.steps, given_marks(one, rater), one.gold, one.submitted or 0.0,
        one.active_sec, seen_share(one.seen_steps, episode.steps),
    )  # fmt: skip


def measured(url: str, project_id: str) -> dict[str, Any]:
    """Compute the measures of a project."""
    with closing(Database(url, migrate=False)) as database, database.reading() as session:
        project = session.get_one(Project, project_id)
        return measure(
            submissions_of(session, project.id),
            {gold.episode_id: known_marks(gold) for gold in gold_in(session, project.id)},
            settings_of(session, MARKING, project.id).tolerance,
            steps_per_second=project.steps_per_second,
        )


def main() -> None:
    """Answer the question on standard input."""
    end_with(os.getppid())
    os.nice(10)
    asked = json.load(sys.stdin)
    json.dump(measured(asked["url"], asked["project"]), sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main()
