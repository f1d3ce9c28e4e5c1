"""Pairs of clips of a project's episodes, drawn into the database when they are wanted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, aliased
from sqlalchemy.sql import Select

from annotation.clip_sampling import ClipSampler, ClipSettings, DrawnPair
from annotation.server.db.comparing_tables import ClipPairRecord, ComparedProject, Comparison
from annotation.server.db.database import Database
from annotation.server.db.tables import GONE, PRESENT, EpisodeRecord, Project
from annotation.server.services.datasets import Datasets
from annotation.server.services.listing import list_episodes
from rlhf.records.preferences import Stretch
from worlds.errors import UserError

MOST_EPISODES = 1000  # whose words are read for a draw, so that it takes seconds
_SHORTEST_STEPS = 2  # in a single step nothing changes
_DRAW_SETTINGS = ("clip_seconds", "within_share", "seed")


@dataclass(frozen=True)
class _Order:
    """A draw that is due; ids are the database's.

    Args:
      project_id: the project.
      dataset: its dataset.
      seconds: length of a clip.
      within_share: see :class:`annotation.clip_sampling.ClipSettings`.
      seed: of the draw.
      first: number of the first new pair.
      count: how many are missing.
      known: the clips of the pairs that there are.
      episodes: present episodes, the database's id and the dataset's.
    """

    project_id: str
    dataset: str
    seconds: float
    within_share: float
    seed: int
    first: int
    count: int
    known: frozenset[frozenset[Stretch]]
    episodes: tuple[tuple[str, str], ...]

    @property
    def source(self) -> str:
        """The episodes, as one short text."""
        return hashlib.sha256(" ".join(id for id, _ in self.episodes).encode()).hexdigest()


def whole_pairs(query: Select) -> Select:
    """Return a query of pairs without those that have lost an episode."""
    one, other = aliased(EpisodeRecord), aliased(EpisodeRecord)
    query = query.join(one, one.id == ClipPairRecord.episode_a).join(other, other.id == ClipPairRecord.episode_b)
    return query.where(one.place != GONE, other.place != GONE)


def change_settings(session: Session, compared: ComparedProject, changes: dict[str, object]) -> None:
    """Change how a project's clips are compared.

    Pairs that a rater has opened stay. All others are drawn again if the draw changes; of too many, the last leave.

    Args:
      session: of the database, for writing.
      compared: the project's settings.
      changes: new values by the name of the setting.
    """
    redraw = any(getattr(compared, name) != changes[name] for name in _DRAW_SETTINGS if name in changes)
    for name, value in changes.items():
        setattr(compared, name, value)
    compared.drawn_from = ""
    own = ClipPairRecord.project_id == compared.project_id
    unopened = select(ClipPairRecord.id).where(own, ClipPairRecord.id.not_in(select(Comparison.pair_id)))
    if not redraw:
        surplus = (session.scalar(whole_pairs(select(func.count(ClipPairRecord.id)).where(own))) or 0) - compared.pairs
        unopened = unopened.order_by(ClipPairRecord.number.desc()).limit(max(0, surplus))
    leaving = list(session.scalars(unopened))
    session.execute(delete(ClipPairRecord).where(ClipPairRecord.id.in_(leaving)))


def draw_missing(database: Database, datasets: Datasets, when: float) -> None:
    """Draw the pairs that are wanted and not there, if episodes or settings have changed since the last draw.

    Raises:
      UserError: if a dataset cannot be read; pairs of the others are drawn all the same.
    """
    with database.writing() as session:
        list_episodes(session, datasets, when)
        there = datasets.names()
        query = select(ComparedProject).join(Project).where(Project.dataset.in_(there), ComparedProject.pairs > 0)
        orders = [order for compared in session.scalars(query) if (order := _order(session, compared)) is not None]
    trouble = None
    for order in orders:
        try:
            drawn = _drawn(datasets, order)
        except UserError as error:
            trouble = error
            continue
        with database.writing() as session:
            locked = select(ComparedProject).where(ComparedProject.project_id == order.project_id)
            compared = session.scalar(locked.with_for_update(of=ComparedProject))
            if compared is not None and _order(session, compared) == order:  # nobody else has drawn meanwhile
                session.add_all(_record(order.project_id, pair) for pair in drawn)
                compared.drawn_from = order.source
    if trouble is not None:
        raise trouble


def _order(session: Session, compared: ComparedProject) -> _Order | None:
    """Return the draw that is due in a project; None if there is none."""
    own = ClipPairRecord.project_id == compared.project_id
    pairs = session.scalars(select(ClipPairRecord).where(own)).all()
    missing = compared.pairs - sum(GONE not in (pair.of_a.place, pair.of_b.place) for pair in pairs)
    query = select(EpisodeRecord.id, EpisodeRecord.episode_id).where(EpisodeRecord.project_id == compared.project_id)
    episodes = tuple((id, name) for id, name in session.execute(query.where(PRESENT).order_by(EpisodeRecord.place)))
    order = _Order(
        compared.project_id, compared.project.dataset, compared.clip_seconds, compared.within_share, compared.seed,
        first=1 + max((pair.number for pair in pairs), default=-1), count=missing,
        known=frozenset(frozenset(stretches_of(pair)) for pair in pairs), episodes=episodes,
    )  # fmt: skip
    return order if missing > 0 and order.source != compared.drawn_from else None


def _drawn(datasets: Datasets, order: _Order) -> list[DrawnPair]:
    store = datasets.store(order.dataset)
    steps = max(_SHORTEST_STEPS, round(order.seconds * store.description.steps_per_second))
    chosen = order.episodes
    if len(chosen) > MOST_EPISODES:
        places = np.random.default_rng(order.seed).choice(len(chosen), MOST_EPISODES, replace=False)
        chosen = tuple(chosen[place] for place in sorted(places))
    heard = {id: store.read_transcript(episode_id).setter_text for id, episode_id in chosen}
    settings = ClipSettings(steps, order.within_share, order.seed)
    return list(ClipSampler(heard, settings).draw(order.first, order.count, set(order.known)))


def _record(project_id: str, pair: DrawnPair) -> ClipPairRecord:
    return ClipPairRecord(
        project_id=project_id, number=pair.number, steps=pair.a.end - pair.a.begin,
        episode_a=pair.a.episode_id, begin_a=pair.a.begin, request_a=pair.requests[0],
        episode_b=pair.b.episode_id, begin_b=pair.b.begin, request_b=pair.requests[1],
    )  # fmt: skip


def stretches_of(pair: ClipPairRecord) -> tuple[Stretch, Stretch]:
    """Return clips A and B; episodes have the database's ids."""
    return (
        Stretch(pair.episode_a, pair.begin_a, pair.begin_a + pair.steps),
        Stretch(pair.episode_b, pair.begin_b, pair.begin_b + pair.steps),
    )
