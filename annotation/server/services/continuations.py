"""The datasets that hold continuations of a suite, and the facts of each that the database needs.

An episode whose notes have ``scenario`` is a continuation (`rlhf suite play`); a dataset is judged by its first one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from annotation.server.db.database import Database
from annotation.server.db.judging_tables import Continuation, JudgedProject
from annotation.server.db.tables import PRESENT, Assignment, EpisodeRecord, Project
from annotation.server.services.datasets import SCENARIO_NOTE, Datasets, holds_continuations
from annotation.server.services.listing import list_episodes
from worlds.errors import UserError

_AT_ONCE = 200  # that one transaction makes known, so that nobody waits long


def list_continuations(database: Database, datasets: Datasets, when: float) -> None:
    """Make the database know every continuation there is now; called whenever one may be new.

    Raises:
      UserError: if one cannot be read, or its notes are not what `rlhf suite play` writes. Those of other datasets are
        known all the same.
    """
    there, trouble = set(datasets.names()), None
    with database.writing() as session:
        list_episodes(session, datasets, when)
        new = select(Project).where(~exists().where(JudgedProject.project_id == Project.id), Project.dataset.in_(there))
        for project in session.scalars(new):
            with suppress(UserError):  # it cannot be read now; its study leader is notified
                _know_project(session, project, datasets)
    while batch := _unknown(database, there):
        found = []
        for record_id, dataset, episode_id in batch:
            try:
                found.append((record_id, _scenario_of(datasets, dataset, episode_id)))
            except UserError as error:
                trouble = error
                there.discard(dataset)
        with database.writing() as session:
            for record_id, about in found:
                if session.get(EpisodeRecord, record_id) is not None and session.get(Continuation, record_id) is None:
                    session.add(Continuation(episode_id=record_id, **about))
    if trouble is not None:
        raise trouble


def _know_project(session: Session, project: Project, datasets: Datasets) -> None:
    """If the project's episodes are continuations, have them judged, and not marked unless a rater has begun to."""
    if not holds_continuations(datasets.store(project.dataset)):
        return
    session.add(JudgedProject(project_id=project.id, overlap=1, open=True))
    marked = exists().where(Assignment.episode_id == EpisodeRecord.id, EpisodeRecord.project_id == project.id)
    if not session.scalar(select(marked)):
        project.marking = False


def _unknown(database: Database, there: Collection[str]) -> list[tuple[str, str, str]]:
    """Some continuations of the datasets ``there`` of which the database knows nothing else: id, dataset, id in it."""
    query = (
        select(EpisodeRecord.id, Project.dataset, EpisodeRecord.episode_id)
        .select_from(EpisodeRecord)
        .join(Project)
        .join(JudgedProject, JudgedProject.project_id == Project.id)
        .where(
            ~exists().where(Continuation.episode_id == EpisodeRecord.id),
            Project.dataset.in_(there),
            PRESENT,
        )
        .limit(_AT_ONCE)
    )
    with database.reading() as session:
        return [(record_id, dataset, episode_id) for record_id, dataset, episode_id in session.execute(query)]


def _scenario_of(datasets: Datasets, dataset: str, episode_id: str) -> Mapping[str, Any]:
    about = datasets.store(dataset).read_transcript(episode_id).notes.get(SCENARIO_NOTE)
    try:
        assert about is not None
        return {"step": int(about["step"]), "request_step": int(about["request_step"]), "request": about["request"]}
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"episode {episode_id} of {dataset} is no continuation of a suite, others there are; take it out of that "
            "dataset (`rlhf episodes drop`)"
        ) from error
