"""The datasets of a study, found in its folder and listed in the database."""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from annotation.games.config import GameConfig
from annotation.games.places import (
    DEFAULT_WORLD,
    UNKNOWN,
    KnownPlaces,
    Sources,
    check_places,
    common_places,
    places_of_dataset,
)
from annotation.games.unfinished import Unfinished
from annotation.server.db.comparing_tables import ClipPairRecord, Comparison
from annotation.server.db.judging_tables import JudgingAssignment
from annotation.server.db.tables import GONE, PRESENT, Assignment, EpisodeRecord, Project
from annotation.server.db.watching_tables import GoalAnswer
from annotation.viewer.frames_file import pack_frames
from rlhf.replay.demonstrations import demonstrated_goal, goal_choices_of
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.contract import people_in
from rlhf.store.files.durable import UNFINISHED, only_writer
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.errors import UserError
from worlds.own_settings import own_settings
from worlds.spaces.action_words import action_words

KEPT_BYTES = 128 * 1024 * 1024  # of packed frames in memory
UNFINISHED_FOLDER = "annotation.games"  # in the study's
LOCK_FILE = "annotation.export.lock"  # see :meth:`Datasets.exporting`
SCENARIO_NOTE = "scenario"  # in the notes of an episode that continues a scenario of a suite


@dataclass(frozen=True)
class Shown:
    """The part of an episode that raters see: nothing of its truth.

    Args:
      frames: recorded images as one file, see :mod:`annotation.viewer.frames_file`; None where none were recorded.
      words: step, "setter" or "solver", and what was said, in order.
      actions: what the solver did at every step, by declared names; None of the Playhouse, whose pictures show it.
    """

    frames: bytes | None
    words: tuple[tuple[int, str, str], ...]
    actions: tuple[str, ...] | None = None

    @property
    def declared(self) -> dict[str, Any]:
        """Fields that pages get besides, of an episode with declared spaces; none of the Playhouse."""
        return {} if self.actions is None else {"actions": self.actions, "pictured": self.frames is not None}


class Datasets:
    """Every dataset in ``folder``: itself, or the folders right below it. Safe for threads.

    Attributes:
      unfinished: games whose episodes are not in their dataset yet, or not known.

    Raises:
      UserError: if there is no such folder, or a dataset in it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unfinished = Unfinished(self.folder / UNFINISHED_FOLDER)
        self._stores: dict[str, ParquetStore] = {}
        self._shown: OrderedDict[tuple[str, str], Shown] = OrderedDict()  # by dataset and episode, latest last
        self._lock, self._showing = threading.Lock(), threading.Lock()
        self._reading: dict[tuple[str, str], threading.Lock] = {}  # episodes that are being read
        if not self.folder.is_dir():
            if self.folder.exists():
                raise UserError(f"{folder} is a file; name the study's folder, with the datasets in it")
            raise UserError(f"there is no folder {folder}; create it, or name the study's, with the datasets in it")
        names = self.names()
        for name in names:
            self.store(name)
        if names and not self.readable():  # otherwise the other datasets are shown
            self.store(names[0])

    def names(self) -> list[str]:
        """Return the present datasets by their folder's name; "." is the study's folder itself."""
        found = [self.folder, *sorted(path for path in self.folder.iterdir() if path.is_dir())]
        names = [str(path.relative_to(self.folder)) for path in found if (path / DESCRIPTION_FILE).is_file()]
        return [name for name in names if not name.endswith(UNFINISHED)]

    def store(self, name: str) -> ParquetStore:
        """Return the dataset ``name``. Raises UserError if it cannot be read."""
        with self._lock:
            found = self._stores.get(name)
            if found is None or found.description.world is None:  # it had no episode yet, and may have its first now
                found = self._stores[name] = open_store(self.folder / name)
            return found

    def readable(self) -> list[str]:
        """Return those of :meth:`names` that can be read; one that is being copied cannot."""
        return [name for name in self.names() if self._is_readable(name)]

    def holds(self, record: EpisodeRecord) -> bool:
        """Return whether an episode is still in its dataset, and the dataset can be read."""
        with suppress(UserError):
            return record.episode_id in self.store(record.project.dataset)
        return False

    def episodes_played(self) -> Counter[str]:
        """Return in how many recorded episodes each person played, by pseudonym."""
        stores = (self.store(name) for name in self.readable())
        return Counter(person for store in stores for row in store.rows() for person in people_in(row))

    def _is_readable(self, name: str) -> bool:
        with suppress(UserError):
            self.store(name).rows()
            return True
        return False

    @contextmanager
    def exporting(self) -> Iterator[None]:
        """Hold the lock, across processes, for moving marks and judgements into the datasets or out of them."""
        with only_writer(self.folder, name=LOCK_FILE):
            yield

    def shown(self, name: str, episode_id: str) -> Shown:
        """Return what raters see of an episode. Raises UserError if it cannot be read."""
        key = name, episode_id
        with self._reading_of(key):  # words and frames are asked for together: one request reads, the other waits
            with self._showing:
                if key in self._shown:
                    self._shown.move_to_end(key)
                    return self._shown[key]
            episode = self.store(name).read_compressed(episode_id)
            frames = None if episode.frames is None else pack_frames(episode.frames)
            shown = Shown(frames, tuple(spoken(episode)), acted(episode))
            with self._showing:
                self._shown[key] = shown
                while (
                    sum(len(shown.frames or b"") for shown in self._shown.values()) > KEPT_BYTES
                    and len(self._shown) > 1
                ):
                    self._shown.popitem(last=False)
            return shown

    def forget_shown(self, name: str, episode_ids: Sequence[str]) -> None:
        """Drop these episodes from memory, after requests that are reading them."""
        for key in ((name, episode_id) for episode_id in episode_ids):
            with self._reading_of(key), self._showing:
                self._shown.pop(key, None)

    @contextmanager
    def _reading_of(self, key: tuple[str, str]) -> Iterator[None]:
        """Hold the lock of one episode while it is read."""
        with self._showing:
            reading = self._reading.setdefault(key, threading.Lock())
        with reading:
            yield


def recorded_places(datasets: Datasets) -> dict[str, KnownPlaces]:
    """Return what every dataset that can be read now says of the places of its play, by name."""
    found = dict[str, KnownPlaces]()
    for name in datasets.names():
        with suppress(UserError):
            store = datasets.store(name)
            found[name] = places_of_dataset(store, store.description.world or DEFAULT_WORLD)
    return found


def game_sources(project: Project, recorded: Mapping[str, KnownPlaces]) -> Sources:
    """Return everything but an agent that says where games in a project are played.

    Args:
      project: the project.
      recorded: of :func:`recorded_places`.
    """
    others = (places for name, places in recorded.items() if name != project.dataset)
    own = recorded.get(project.dataset, UNKNOWN)
    return Sources(places_of_project(project), dataset=own, study=common_places(others))


def places_of_project(project: Project) -> KnownPlaces:
    """Return the places of a project's games as far as the study's leader set them."""
    settings, options = project.place_settings, project.world_options
    return KnownPlaces(
        settings=own_settings(settings, "place settings") if settings else None,
        options=own_settings(options, "world options") if options else None,
    )


def check_project_places(store: ParquetStore, given: Mapping[str, str]) -> dict[str, str]:
    """Return settings of a project's games, checked by playing a step with them.

    Args:
      store: the project's dataset.
      given: JSON texts ``place_settings`` and ``world_options``; "" is not set.

    Raises:
      UserError: they are no JSON objects, are not possible in the dataset's world, or its episodes have other options.
    """
    read = {name: own_settings(text, name.replace("_", " ")) if text else None for name, text in given.items()}
    places = KnownPlaces(settings=read.get("place_settings"), options=read.get("world_options"))
    if places.known:
        world = store.description.world or DEFAULT_WORLD
        recorded = places_of_dataset(store, world).options if store.ids() else None
        if None not in (places.options, recorded) and places.options != dict(recorded or {}):
            raise UserError(
                f"the dataset was recorded with world options {json.dumps(recorded)}; make another for others"
            )
        height, width = store.description.image_size or (GameConfig.height, GameConfig.width)
        check_places(world, places, height, width)
    return {name: "" if value is None else json.dumps(value, ensure_ascii=False) for name, value in read.items()}


def holds_continuations(store: ParquetStore) -> bool:
    """Return whether a dataset holds continuations of a suite, by its first episode. Raises UserError."""
    first = next(iter(store.ids()), None)
    return first is not None and SCENARIO_NOTE in store.read_transcript(first).notes


def holds_demonstrations(store: ParquetStore) -> bool:
    """Return whether a dataset holds demonstrations, by its first episode. Raises UserError."""
    first = next(iter(store.ids()), None)
    if first is None or goal_choices_of(store.description.world) is None:
        return False
    return demonstrated_goal(store.read(first)) is not None


def spoken(episode: CompressedEpisode) -> list[tuple[int, str, str]]:
    """Return step, player and words of every utterance; at one step the setter's first."""
    said = []
    for step, (setter, solver) in enumerate(zip(episode.setter_utterance, episode.utterance, strict=True)):
        said += [(step, who, words) for who, words in (("setter", setter), ("solver", solver)) if words]
    return said


def acted(episode: CompressedEpisode) -> tuple[str, ...] | None:
    """Return what the solver did at every step, by declared names; None of the Playhouse."""
    if episode.spaces is None:
        return None
    action = episode.spaces.solver.action
    values = episode.continuous if episode.continuous is not None else [None] * len(episode)
    return tuple(action_words(action, *both) for both in zip(episode.movement, values, strict=True))


def list_episodes(session: Session, datasets: Datasets, when: float) -> list[str]:
    """List every present dataset and episode in the database; called whenever one may be new.

    Episodes that have been dropped from their dataset are deleted, with their assignments. Those with submitted work
    are kept, out of every queue (``GONE``).

    Args:
      session: of the database, for writing.
      datasets: the study's.
      when: seconds since 1970.

    Returns:
      errors of datasets that cannot be read now, such as one being copied; their rows are left as they were.
    """
    known = {project.dataset: project for project in session.scalars(select(Project))}
    troubles = []
    for name in datasets.names():
        try:
            with session.begin_nested():
                project = known.get(name) or Project(
                    dataset=name, overlap=1, strategy="breadth", open=True, created=when
                )
                session.add(project)
                session.flush()
                _list_project(session, project, datasets.store(name))
        except UserError as error:
            troubles.append(str(error))
    return troubles


def _list_project(session: Session, project: Project, store: ParquetStore) -> None:
    project.steps_per_second = store.description.steps_per_second
    rows = store.rows()
    own = EpisodeRecord.project_id == project.id
    listed = session.scalar(select(func.count()).where(own, PRESENT)) or 0
    last = session.scalar(select(EpisodeRecord.episode_id).where(own).order_by(EpisodeRecord.place.desc()).limit(1))
    if listed == len(rows) and (not rows or last == rows[-1].episode_id):
        return
    there = select(EpisodeRecord.episode_id, EpisodeRecord.id, EpisodeRecord.place).where(own)
    known = {episode_id: (id, place) for episode_id, id, place in session.execute(there)}
    if not known and (holds_continuations(store) or holds_demonstrations(store)):  # they are judged, or watched
        project.marking = False
    gone = [id for episode_id, (id, _) in known.items() if episode_id not in store]
    worked_on = set(session.scalars(select(Assignment.episode_id).where(Assignment.submitted.is_not(None))))
    judged = session.scalars(select(JudgingAssignment.episode_id).where(JudgingAssignment.submitted.is_not(None)))
    compared = session.scalars(
        select(EpisodeRecord.id)
        .join(ClipPairRecord, EpisodeRecord.id.in_((ClipPairRecord.episode_a, ClipPairRecord.episode_b)))
        .join(Comparison)
        .where(own, Comparison.submitted.is_not(None))
    )
    watched = session.scalars(select(GoalAnswer.episode_id).where(GoalAnswer.submitted.is_not(None)))
    kept = worked_on | set(judged) | set(compared) | set(watched)
    for id in gone:
        chosen = EpisodeRecord.id == id
        if id in kept:
            session.execute(update(EpisodeRecord).where(chosen).values(place=GONE))
        else:
            session.execute(delete(EpisodeRecord).where(chosen))
    for place, row in enumerate(rows):
        if row.episode_id not in known:
            session.add(EpisodeRecord(project_id=project.id, episode_id=row.episode_id, place=place, steps=row.steps))
        elif known[row.episode_id][1] != place:  # some before it were dropped
            moved = update(EpisodeRecord).where(EpisodeRecord.id == known[row.episode_id][0])
            session.execute(moved.values(place=place))
