"""The items of rater tasks, found among the episodes of a study's datasets, or drawn when a project wants some."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from annotation.server.db.database import Database
from annotation.server.db.tables import (
    GONE,
    PRESENT,
    WHOLE,
    Assignment,
    EpisodeRecord,
    ItemRecord,
    Project,
    TaskProject,
)
from annotation.server.services.datasets import Datasets
from annotation.server.services.listing import list_episodes, new_project
from annotation.tasks import COMPARING, MARKING, TASKS, comparing
from annotation.tasks.contract import Item, RaterTask, Settings
from rlhf.records.preferences import Stretch
from worlds.errors import UserError

EVERYBODY = 100  # raters for each item
_AT_ONCE = 50  # episodes that one transaction makes known, so that nobody waits long


def list_items(database: Database, datasets: Datasets, task: RaterTask, when: float) -> None:
    """List every item of ``task`` in the database; called whenever one may be new.

    Raises:
      UserError: if an episode cannot be read, or is none for this task. The items of other datasets are known all the
        same.
    """
    with database.writing() as session:
        list_episodes(session, datasets, when)
        _know_projects(session, datasets, task)
    if task.drawn:
        _draw_missing(database, datasets, task)
    else:
        _know_episodes(database, datasets, task)


def list_all_items(database: Database, datasets: Datasets, when: float) -> None:
    """List the items of every task whose items are episodes, as a server does when it starts. Raises UserError."""
    for task in TASKS.values():
        if not task.drawn:
            list_items(database, datasets, task, when)


def item_of(record: ItemRecord, world: str | None) -> Item:
    """Return an item as its task knows it; ``world`` is the name of its dataset's world."""
    episodes = record.episodes
    names, steps = tuple(each.episode_id for each in episodes), tuple(each.steps for each in episodes)
    return Item(record.id, names, steps, world, record.facts)


def _know_projects(session: Session, datasets: Datasets, task: RaterTask) -> None:
    """Have projects hand out their items of ``task``, and no longer be marked unless a rater has begun to."""
    known = exists().where(TaskProject.project_id == Project.id, TaskProject.kind == task.kind)
    for project in session.scalars(select(Project).where(~known, Project.dataset.in_(datasets.names()))):
        with suppress(UserError):  # it cannot be read now; its study leader is notified
            if not task.holds(datasets.store(project.dataset)):
                continue
            session.add(TaskProject(project_id=project.id, kind=task.kind))
            begun = exists().where(
                Assignment.item_id == ItemRecord.id,
                ItemRecord.project_id == project.id,
                ItemRecord.kind == MARKING.kind,
            )
            if not session.scalar(select(begun)):
                session.get_one(TaskProject, (project.id, MARKING.kind)).open = False


def _know_episodes(database: Database, datasets: Datasets, task: RaterTask) -> None:
    there, trouble = set(datasets.names()), None
    while batch := _unknown(database, task, there):
        found = list[dict[str, Any]]()
        for record_id, project_id, dataset, episode_id in batch:
            about = {"episode_id": record_id, "project_id": project_id, "kind": task.kind}
            try:
                facts = task.facts(datasets.store(dataset), episode_id)
                found.append(about | {"facts": facts or {}, "shown": facts is not None})
            except UserError as error:
                trouble = error
                there.discard(dataset)
        with database.writing() as session:
            for item in found:
                known = select(ItemRecord.id).filter_by(episode_id=item["episode_id"], kind=task.kind)
                if session.get(EpisodeRecord, item["episode_id"]) is not None and session.scalar(known) is None:
                    session.add(ItemRecord(**item))
    if trouble is not None:
        raise trouble


def _unknown(database: Database, task: RaterTask, there: Collection[str]) -> list[tuple[str, str, str, str]]:
    """Return some episodes of the datasets ``there`` that were not looked at yet: id, project, dataset, id in it."""
    query = (
        select(EpisodeRecord.id, Project.id, Project.dataset, EpisodeRecord.episode_id)
        .join(Project, Project.id == EpisodeRecord.project_id)
        .join(TaskProject, TaskProject.project_id == Project.id)
        .where(
            TaskProject.kind == task.kind,
            ~exists().where(ItemRecord.episode_id == EpisodeRecord.id, ItemRecord.kind == task.kind),
            Project.dataset.in_(there),
            PRESENT,
        )
        .limit(_AT_ONCE)
    )
    with database.reading() as session:
        return [(id, project, dataset, name) for id, project, dataset, name in session.execute(query)]


# Items that are drawn: pairs of clips.


@dataclass(frozen=True)
class _Order:
    """A draw that is due; ids are the database's.

    Args:
      episodes: present episodes, the database's id and the dataset's.
    """

    project_id: str
    dataset: str
    settings: comparing.ComparingSettings
    first: int
    count: int
    known: frozenset[frozenset[Stretch]]
    episodes: tuple[tuple[str, str], ...]

    @property
    def source(self) -> str:
        """The episodes, as one short text."""
        return hashlib.sha256(" ".join(id for id, _ in self.episodes).encode()).hexdigest()


def change_draw(session: Session, project: TaskProject, before: Settings) -> None:
    """Adapt a project's pairs to its new settings.

    Pairs that a rater has opened stay. All others are drawn again if the draw changes; of too many, the last leave.
    """
    assert isinstance(before, comparing.ComparingSettings)
    now = comparing.ComparingSettings(**project.settings)
    project.drawn_from = ""
    own = (ItemRecord.project_id == project.project_id, ItemRecord.kind == project.kind)
    unopened = select(ItemRecord.id).where(*own, ItemRecord.id.not_in(select(Assignment.item_id)))
    if now.draw == before.draw:
        surplus = (session.scalar(select(func.count(ItemRecord.id)).where(*own, WHOLE)) or 0) - now.pairs
        unopened = unopened.order_by(ItemRecord.number.desc()).limit(max(0, surplus))
    leaving = list(session.scalars(unopened))
    session.execute(delete(ItemRecord).where(ItemRecord.id.in_(leaving)))


def compare_by_place(session: Session, dataset: str, pairs: int, when: float) -> None:
    """Have everybody compare so many pairs by place of a dataset, which may be yet to come, and nobody mark it."""
    project = session.scalar(select(Project).filter_by(dataset=dataset)) or new_project(session, dataset, when)
    session.get_one(TaskProject, (project.id, MARKING.kind)).open = False
    compared = session.get_one(TaskProject, (project.id, COMPARING.kind))
    compared.overlap, compared.settings = EVERYBODY, {"pairs": pairs, "by_place": True}


def _draw_missing(database: Database, datasets: Datasets, task: RaterTask) -> None:
    """Draw the pairs that are wanted and not there, if episodes or settings have changed since the last draw."""
    query = select(TaskProject).join(Project)
    query = query.where(TaskProject.kind == task.kind, Project.dataset.in_(datasets.names()))
    with database.reading() as session:
        orders = [order for project in session.scalars(query) if (order := _order(session, project)) is not None]
    trouble = None
    for order in orders:
        known, store = set(order.known), datasets.store(order.dataset)
        try:
            drawn = comparing.draw(store, dict(order.episodes), order.settings, order.first, order.count, known)
        except UserError as error:
            trouble = error
            continue
        with database.writing() as session:
            locked = select(TaskProject).filter_by(project_id=order.project_id, kind=task.kind)
            project = session.scalar(locked.with_for_update(of=TaskProject))
            if project is None or _order(session, project) != order:  # somebody else has drawn meanwhile
                continue
            session.add_all(
                ItemRecord(
                    project_id=order.project_id, kind=task.kind, number=pair.number, facts=comparing.facts_of(pair),
                    episode_id=pair.a.episode_id, other_id=pair.b.episode_id,
                )
                for pair in drawn
            )  # fmt: skip
            project.drawn_from = order.source
    if trouble is not None:
        raise trouble


def _order(session: Session, project: TaskProject) -> _Order | None:
    """Return the draw that is due in a project; None if there is none."""
    settings = comparing.ComparingSettings(**project.settings)
    if not settings.pairs:
        return None
    pairs = session.scalars(select(ItemRecord).filter_by(project_id=project.project_id, kind=project.kind)).all()
    missing = settings.pairs - sum(all(each.place != GONE for each in pair.episodes) for pair in pairs)
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).where(EpisodeRecord.project_id == project.project_id)
    episodes = tuple((id, name) for id, name in session.execute(query.where(PRESENT).order_by(EpisodeRecord.place)))
    order = _Order(
        project.project_id, project.project.dataset, settings,
        first=1 + max((pair.number for pair in pairs), default=-1), count=missing,
        known=frozenset(frozenset(_stretches(pair)) for pair in pairs), episodes=episodes,
    )  # fmt: skip
    return order if missing > 0 and order.source != project.drawn_from else None


def _stretches(pair: ItemRecord) -> tuple[Stretch, Stretch]:
    """Return clips A and B; episodes have the database's ids."""
    ids = (pair.episode_id, pair.other_id or pair.episode_id)
    return comparing.stretches(Item(pair.id, ids, (0, 0), None, pair.facts))
