"""The episodes of a study's datasets, listed in the database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from annotation.server.db.tables import (
    GONE,
    AnswerRecord,
    Assignment,
    EpisodeRecord,
    GoldEpisode,
    ItemRecord,
    Project,
    TaskProject,
    set_aside,
)
from annotation.server.services.datasets import Datasets
from annotation.tasks import COMPARING, MARKING, TASKS
from rlhf.store import ParquetStore
from worlds.errors import UserError


class _Listed(NamedTuple):
    """An episode as the database has it."""

    id: str
    fingerprint: str
    place: int


def list_episodes(session: Session, datasets: Datasets, when: float) -> list[str]:
    """List every present dataset and episode in the database; called whenever one may be new.

    Every episode is an item of marking at once; other tasks have to read it first. Episodes that have been dropped from
    their dataset are deleted, with their assignments. Those with answers or with submitted work are kept, out of every
    queue (``GONE``). An episode that was recorded again with other content is
    another episode: the old one is treated as a dropped one, under another name. If its content comes back, so does it.

    Returns errors of datasets that cannot be read now, such as one being copied; their rows are left as they were.
    """
    known = {project.dataset: project for project in session.scalars(select(Project))}
    troubles = []
    for name in datasets.names():
        try:
            with session.begin_nested():
                _list_project(session, known.get(name) or new_project(session, name, when), datasets.store(name))
        except UserError as error:
            troubles.append(str(error))
    return troubles


def new_project(session: Session, dataset: str, when: float) -> Project:
    """Return a new project, of which episodes are marked, and clips are compared if the leader wants some."""
    project = Project(dataset=dataset, open=True, created=when)
    session.add(project)
    session.flush()
    session.add_all(TaskProject(project_id=project.id, kind=task.kind) for task in (MARKING, COMPARING))
    session.flush()
    return project


def _list_project(session: Session, project: Project, store: ParquetStore) -> None:
    project.steps_per_second = store.description.steps_per_second
    rows = store.rows()
    prints = store.fingerprints(row.episode_id for row in rows)
    there = {row.episode_id: (prints[row.episode_id], place) for place, row in enumerate(rows)}
    query = select(EpisodeRecord.episode_id, EpisodeRecord.id, EpisodeRecord.fingerprint, EpisodeRecord.place)
    found = session.execute(query.where(EpisodeRecord.project_id == project.id))
    known = {name: _Listed(id, fingerprint, place) for name, id, fingerprint, place in found}
    if there == {name: (one.fingerprint, one.place) for name, one in known.items() if one.place != GONE}:
        return
    if not known and any(task.unmarked and task.holds(store) for task in TASKS.values()):
        session.get_one(TaskProject, (project.id, MARKING.kind)).open = False
    same = {name: _same_content(known, name, fingerprint) for name, (fingerprint, _) in there.items()}
    _retire(session, known, {one.id for one in same.values() if one is not None}, there)
    for row in rows:
        fingerprint, place = there[row.episode_id]
        one = same[row.episode_id]
        values = {"episode_id": row.episode_id, "fingerprint": fingerprint, "place": place}
        if one is None:
            episode = EpisodeRecord(project_id=project.id, steps=row.steps, **values)
            session.add(ItemRecord(kind=MARKING.kind, project_id=project.id, episode=episode))
        elif (one.fingerprint, one.place) != (fingerprint, place):  # some before it were dropped, or it is back
            session.execute(update(EpisodeRecord).where(EpisodeRecord.id == one.id).values(**values))


def _same_content(known: Mapping[str, _Listed], name: str, fingerprint: str) -> _Listed | None:
    """Return the record of an episode with this content; None if there is none."""
    found = known.get(name)
    if found is not None and found.fingerprint == fingerprint:
        return found
    return known.get(set_aside(name, fingerprint))


def _retire(session: Session, known: Mapping[str, _Listed], kept: Collection[str], there: Collection[str]) -> None:
    """Take out of every queue, or delete, what the dataset has no longer."""
    gone = {name: one for name, one in known.items() if one.id not in kept}
    worked_on = _worked_on(session) if gone else ()
    for name, one in gone.items():
        chosen = EpisodeRecord.id == one.id
        if one.id in worked_on:
            renamed = set_aside(name, one.fingerprint) if name in there else name
            session.execute(update(EpisodeRecord).where(chosen).values(place=GONE, episode_id=renamed))
        else:
            session.execute(delete(EpisodeRecord).where(chosen))


def _worked_on(session: Session) -> set[str | None]:
    """Return ids in the database of all episodes with answers, known ones too, or with submitted work."""
    items = select(ItemRecord.episode_id, ItemRecord.other_id).join(Assignment).distinct()
    found = set[str | None](session.scalars(select(GoldEpisode.episode_id)))
    for query in (items.where(Assignment.submitted.is_not(None)), items.join(AnswerRecord)):
        for episodes in session.execute(query):
            found.update(episodes)
    return found
