"""The demonstrations among the episodes of a study: which they are, and what can be said that their setter wanted.

A project is watched if its first episode is a demonstration (:mod:`rlhf.replay.demonstrations`).
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from annotation.server.db.database import Database
from annotation.server.db.tables import PRESENT, Assignment, EpisodeRecord, Project
from annotation.server.db.watching_tables import Demonstration, WatchedProject
from annotation.server.errors import Refused
from annotation.server.services.datasets import Datasets, holds_demonstrations
from annotation.server.services.listing import list_episodes
from rlhf.replay.demonstrations import demonstrated_goal, goal_choices_of
from worlds.errors import UserError
from worlds.goal_choices import GoalChoices

_AT_ONCE = 50  # that one transaction makes known, so that nobody waits long


def list_demonstrations(database: Database, datasets: Datasets, when: float) -> None:
    """Make the database know every demonstration there is now; called whenever one may be new.

    Raises:
      UserError: if one cannot be read. Those of other datasets are known all the same.
    """
    there, trouble = set(datasets.names()), None
    with database.writing() as session:
        list_episodes(session, datasets, when)
        new = select(Project).where(
            ~exists().where(WatchedProject.project_id == Project.id), Project.dataset.in_(there)
        )
        for project in session.scalars(new):
            with suppress(UserError):  # it cannot be read now; its study leader is notified
                _know_project(session, project, datasets)
    while batch := _unknown(database, there):
        found = []
        for record_id, dataset, episode_id in batch:
            try:
                goal = demonstrated_goal(datasets.store(dataset).read(episode_id))
                found.append((record_id, goal is not None))
            except UserError as error:
                trouble = error
                there.discard(dataset)
        with database.writing() as session:
            for record_id, shown in found:
                if session.get(EpisodeRecord, record_id) is not None and session.get(Demonstration, record_id) is None:
                    session.add(Demonstration(episode_id=record_id, shown=shown))
    if trouble is not None:
        raise trouble


def choices_of(datasets: Datasets, dataset: str) -> GoalChoices:
    """Return what can be said that the setters of a dataset wanted.

    Raises:
      Refused: if its world offers nothing, or is not known here any more.
    """
    found = goal_choices_of(datasets.store(dataset).description.world)
    if found is None:
        raise Refused(409, "the world of these demonstrations is not known here; ask the study's leader")
    return found


def _know_project(session: Session, project: Project, datasets: Datasets) -> None:
    """If the project's episodes are demonstrations, have them watched, and not marked unless a rater has begun to."""
    if not holds_demonstrations(datasets.store(project.dataset)):
        return
    session.add(WatchedProject(project_id=project.id, overlap=1, open=True))
    marked = exists().where(Assignment.episode_id == EpisodeRecord.id, EpisodeRecord.project_id == project.id)
    if not session.scalar(select(marked)):
        project.marking = False


def _unknown(database: Database, there: Collection[str]) -> list[tuple[str, str, str]]:
    """Some episodes of watched projects that were not looked at yet: id, dataset, id in it."""
    query = (
        select(EpisodeRecord.id, Project.dataset, EpisodeRecord.episode_id)
        .select_from(EpisodeRecord)
        .join(Project)
        .join(WatchedProject, WatchedProject.project_id == Project.id)
        .where(~exists().where(Demonstration.episode_id == EpisodeRecord.id), Project.dataset.in_(there), PRESENT)
        .limit(_AT_ONCE)
    )
    with database.reading() as session:
        return [(record_id, dataset, episode_id) for record_id, dataset, episode_id in session.execute(query)]
