"""The datasets of a study, found in its folder, and what people see of their episodes."""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

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
from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.errors import Refused
from annotation.tasks.contract import Shown, acted, spoken
from annotation.viewer.frames_file import pack_frames
from rlhf.store import ParquetStore, open_store
from rlhf.store.contract import people_in
from rlhf.store.files.durable import UNFINISHED, only_writer
from rlhf.store.folder.description import DESCRIPTION_FILE
from worlds.contract.own_settings import own_settings
from worlds.errors import UserError

KEPT_BYTES = 128 * 1024 * 1024  # of packed frames in memory
UNFINISHED_FOLDER = "annotation.games"  # in the study's
LOCK_FILE = "annotation.export.lock"  # see :meth:`Datasets.exporting`


class Datasets:
    """Every dataset in ``folder``: itself, or the folders right below it. Safe for threads.

    Attributes:
      unfinished: games whose episodes are not in their dataset yet, or not known.

    Raises UserError if there is no such folder, or a dataset in it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unfinished = Unfinished(self.folder / UNFINISHED_FOLDER)
        self._stores: dict[str, tuple[Any, ParquetStore]] = {}  # with the version of its description
        # By dataset and episode, with the fingerprint of its content, latest last.
        self._shown: OrderedDict[tuple[str, str], tuple[str, Shown]] = OrderedDict()
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
        folder = self.folder / name
        with self._lock:
            version, found = self._stores.get(name, (None, None))
            now = _version(folder / DESCRIPTION_FILE)
            if found is None or version != now:  # it has its first episode now, or is another one
                found = open_store(folder)
                self._stores[name] = now, found
            return found

    def readable(self) -> list[str]:
        """Return those of :meth:`names` that can be read; one that is being copied cannot."""
        return [name for name in self.names() if self._is_readable(name)]

    def holds(self, record: EpisodeRecord) -> bool:
        """Return whether an episode is in its dataset as it was listed, and the dataset can be read."""
        with suppress(UserError):
            return is_as_listed(record, self.store(record.project.dataset))
        return False

    def check(self, record: EpisodeRecord) -> None:
        """Refuse an episode that is in its dataset no longer, or that was recorded again with other content.

        Raises Refused in both cases, or UserError if the dataset cannot be read.
        """
        if not is_as_listed(record, self.store(record.project.dataset)):
            raise Refused(
                409,
                "this episode is no longer in its dataset, or was recorded again with other content; "
                "go back and open the present one",
            )

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

    def shown(self, record: EpisodeRecord) -> Shown:
        """Return what raters see of an episode.

        Raises Refused if the dataset does not have it any more as it was listed, or UserError if it cannot be read.
        """
        self.check(record)
        key = record.project.dataset, record.episode_id
        with self._reading_of(key):  # words and frames are asked for together: one request reads, the other waits
            with self._showing:
                fingerprint, shown = self._shown.get(key, ("", None))
                if shown is not None and fingerprint == record.fingerprint:
                    self._shown.move_to_end(key)
                    return shown
            episode = self.store(record.project.dataset).read_compressed(record.episode_id)
            frames = None if episode.frames is None else pack_frames(episode.frames)
            shown = Shown(frames, tuple(spoken(episode)), acted(episode))
            with self._showing:
                self._shown[key] = record.fingerprint, shown
                self._shown.move_to_end(key)
                while sum(len(kept.frames or b"") for _, kept in self._shown.values()) > KEPT_BYTES:
                    if len(self._shown) == 1:
                        break
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


def _version(path: Path) -> tuple[int, int] | None:
    """Return what differs after a file was written again; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def is_as_listed(record: EpisodeRecord, store: ParquetStore) -> bool:
    """Return whether ``store`` has an episode with the content that it had when it was listed."""
    name = record.episode_id
    return name in store and record.fingerprint == store.fingerprints([name])[name]


def recorded_places(datasets: Datasets) -> dict[str, KnownPlaces]:
    """Return what every dataset that can be read now says of the places of its play, by name."""
    found = dict[str, KnownPlaces]()
    for name in datasets.names():
        with suppress(UserError):
            store = datasets.store(name)
            found[name] = places_of_dataset(store, store.description.world or DEFAULT_WORLD)
    return found


def game_sources(project: Project, recorded: Mapping[str, KnownPlaces]) -> Sources:
    """Return everything but an agent that says where games in a project are played."""
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
      given: JSON texts ``place_settings`` and ``world_options``; "" is not set.

    Raises UserError if they are no JSON objects, are not possible in the dataset's world, or its episodes have other
    options.
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
