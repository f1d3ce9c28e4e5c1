"""Minari's datasets: a folder ``data`` with metadata and, by the data format, one HDF5 file or Arrow tables."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces

from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.formats import Exported, Imported
from pipelines.exchange.gym_import import ASKED, ForeignPlay, ForeignSource, asked_texts, with_bounds
from pipelines.exchange.gym_play import GymPlay, Texts, action_space, info_space, observation_space
from pipelines.exchange.minari.arrow import ArrowReader
from pipelines.exchange.minari.hdf5 import HDF5_FILE, Hdf5Reader, Hdf5Writer
from pipelines.exchange.minari.spaces import space_json, space_of
from pipelines.exchange.settings import MinariExport, MinariImport
from pipelines.exchange.sidecar import SIDECAR_FILE, Sidecar
from pipelines.exchange.source_files import read_json
from rlhf.records.episode import Episode
from rlhf.store import ParquetStore
from rlhf.store.columns.json_text import from_json
from rlhf.store.files.durable import explained
from worlds.errors import UserError

DATA, METADATA_FILE = "data", "metadata.json"
WRITTEN_VERSION = "0.5.4"  # the first that keeps pictures without loss
_VERSIONS = re.compile(r"0\.[45]\.\d+")
_DATASET_ID = re.compile(r"([-_\w][-_\w/]*[-_\w]+/)?[-_\w]+-v\d+")
_SUCCESS = ("success", "is_success")  # of infos
FORMATS = ("hdf5", "arrow", "parquet")
_NOTES = (
    "the last observation of an episode is the one before it, with the words and the own action that followed",
    "rewards are the recorded ones where there are any, else 1 where a request succeeded; marks are in infos",
)


class Reader(Protocol):
    """Reader of the episodes of a dataset, see :class:`pipelines.exchange.minari.hdf5.Hdf5Reader`."""

    def rewards(self, episode: int) -> np.ndarray: ...
    def ends(self, episode: int, steps: int) -> tuple[bool, bool]: ...
    def seed(self, episode: int) -> int | None: ...
    def tree(self, episode: int, name: str, space: spaces.Space, rows: int) -> Any: ...
    def info(self, episode: int, name: str) -> np.ndarray | list[str] | None: ...
    def close(self) -> None: ...


def export(store: ParquetStore, ids: Sequence[str], out: Path, settings: MinariExport) -> Exported:
    """Write the episodes ``ids`` of ``store`` as a Minari dataset into the empty folder ``out``.

    Raises UserError if the dataset's id is none, or HDF5 cannot hold a text.
    """
    if not _DATASET_ID.fullmatch(settings.dataset_id):
        raise UserError(f"--minari.dataset-id is {settings.dataset_id!r}; give e.g. play-v0 or lab/door/play-v0")
    sidecar, texts = Sidecar.of(store, ids), Texts()
    (out / DATA).mkdir()
    with explained("a Minari dataset", out):
        with Hdf5Writer(out / DATA / HDF5_FILE) as file:
            for episode, marks in sidecar.export(store, ids):
                play = GymPlay.of(episode, marks)
                texts.add(play.observations, play.actions)
                _write(file, play, episode)
        _write_metadata(out / DATA, settings.dataset_id, sidecar, texts)
        sidecar.write(out / SIDECAR_FILE)
    return Exported(len(ids), sidecar.steps, _NOTES)


def _write(file: Hdf5Writer, play: GymPlay, episode: Episode) -> None:
    last = np.zeros((2, len(episode)), np.bool_)
    last[int(not play.terminated), -1] = True
    columns = {
        "observations": play.observations,
        "actions": play.actions,
        "rewards": play.rewards,
        "terminations": last[0],
        "truncations": last[1],
        "infos": play.infos,
    }
    try:
        file.add(columns, {"total_steps": len(episode), "seed": episode.seed, "episode_id": episode.episode_id})
    except ValueError as error:
        raise UserError(f"episode {episode.episode_id} cannot be written as HDF5: {error}") from error


def _write_metadata(data: Path, dataset_id: str, sidecar: Sidecar, texts: Texts) -> None:
    solver = sidecar.declared.solver
    parts = {
        "observation_space": observation_space(solver, texts),
        "action_space": action_space(solver.action, texts),
    }
    said: dict[str, Any] = {name: json.dumps(space_json(space)) for name, space in parts.items()}
    said |= {"dataset_id": dataset_id, "minari_version": WRITTEN_VERSION, "data_format": "hdf5", "jpeg_encoding": False}
    size = (data / HDF5_FILE).stat().st_size / 1e6
    said |= {
        "total_episodes": len(sidecar.episodes),
        "total_steps": sidecar.steps,
        "dataset_size": round(size, 1),
    }
    (data / METADATA_FILE).write_text(json.dumps(said), encoding="utf-8")


def import_(source: Path, store: ParquetStore, settings: MinariImport, bad: BadEpisodes) -> Imported:
    """Write the episodes of the Minari dataset in ``source`` into the empty ``store``.

    Raises UserError naming what is missing, damaged, of another version, or refused.
    """
    data = source if (source / METADATA_FILE).is_file() else source / DATA
    metadata = Metadata.read(data / METADATA_FILE)
    reader: Reader = Hdf5Reader(data) if metadata.data_format == "hdf5" else ArrowReader(data, metadata.data_format)
    try:
        sidecar = data.resolve().parent / SIDECAR_FILE
        if sidecar.is_file():
            return _import_own(Sidecar.read(sidecar), metadata, reader, store, bad)
        return _import_foreign(metadata, reader, store, settings, bad)
    finally:
        reader.close()


def _import_own(
    sidecar: Sidecar, metadata: Metadata, reader: Reader, store: ParquetStore, bad: BadEpisodes
) -> Imported:
    """Import what :func:`export` wrote."""
    if len(sidecar.episodes) != metadata.episodes:
        found = f"{metadata.name} has {metadata.episodes} episodes, {SIDECAR_FILE} {len(sidecar.episodes)}"
        raise UserError(f"{found}; without {SIDECAR_FILE} it is imported as another program's")
    infos = info_space(sidecar.declared.setter)

    def read(number: int) -> Episode:
        rows = sidecar.episodes[number].steps
        parts = (
            reader.tree(number, "observations", metadata.observation_space, rows + 1),
            reader.tree(number, "actions", metadata.action_space, rows),
            reader.tree(number, "infos", infos, rows + 1),
        )
        return sidecar.episode(number, f"episode {number} of {metadata.name}", *parts)

    reads = ((f"episode {number}", partial(read, number)) for number in range(metadata.episodes))
    steps = bad.write_all(store, reads, metadata.episodes)
    return Imported(len(store), steps, sidecar.write_records(store))


def _import_foreign(
    metadata: Metadata, reader: Reader, store: ParquetStore, settings: MinariImport, bad: BadEpisodes
) -> Imported:
    """Import what another program wrote."""

    def actions_of(number: int) -> Any:
        return reader.tree(number, "actions", metadata.action_space, len(_rewards(metadata, reader, number)))

    known = [name for name in ASKED if name not in settings.leave_out]
    read = (bad.read(f"episode {number}", partial(actions_of, number)) for number in range(metadata.episodes))
    action_space = with_bounds(metadata.action_space, (actions for actions in read if actions is not None))
    bad.check_some(metadata.name)
    source = ForeignSource(
        metadata.name,
        metadata.observation_space,
        action_space,
        world=settings.world or f"minari:{metadata.dataset_id}",
        solver=settings.solver,
        instruction=settings.instruction,
        asked=asked_texts(metadata.name, metadata.observation_space, known, settings.instruction_column),
        leave_out=settings.leave_out,
        env_id=metadata.env_id,
        options="--minari",
    )
    prefix = re.sub(r"\W+", "-", metadata.dataset_id).strip("-")
    reads = (
        (f"episode {number}", partial(_episode, metadata, reader, source, number, f"{prefix}-{number:06d}"))
        for number in range(metadata.episodes)
    )
    steps = bad.write_all(store, reads, metadata.episodes)
    return Imported(len(store), steps, notes=tuple(source.notes()))


def _rewards(metadata: Metadata, reader: Reader, number: int) -> np.ndarray:
    """Return the rewards of an episode: float64 [T], T > 0."""
    rewards = reader.rewards(number)
    if not len(rewards):
        raise UserError(f"episode {number} of {metadata.name} has no steps")
    return rewards


def _episode(metadata: Metadata, reader: Reader, source: ForeignSource, number: int, episode_id: str) -> Episode:
    rewards = _rewards(metadata, reader, number)
    play = ForeignPlay(
        f"episode {number} of {metadata.name}",
        reader.tree(number, "observations", source.observation_space, len(rewards) + 1),
        reader.tree(number, "actions", source.action_space, len(rewards)),
        rewards,
        *reader.ends(number, len(rewards)),
        reader.seed(number),
        _success(reader, number),
    )
    return source.episode(play, episode_id)


def _success(reader: Reader, episode: int) -> bool | None:
    """Return whether infos say that the episode is a success; None if they say nothing."""
    columns = (reader.info(episode, name) for name in _SUCCESS)
    found = next((column for column in columns if isinstance(column, np.ndarray) and column.dtype.kind in "biuf"), None)
    return None if found is None else bool(found.any())


@dataclass(frozen=True)
class Metadata:
    """The metadata of a dataset.

    Args:
      dataset_id: e.g. "D4RL/door/human-v2".
      data_format: "hdf5", "arrow" or "parquet".
      env_id: of the environment; "" if it is not known.
    """

    dataset_id: str
    data_format: str
    episodes: int
    observation_space: spaces.Space
    action_space: spaces.Space
    env_id: str

    @property
    def name(self) -> str:
        """Name of the dataset in messages."""
        return f"the Minari dataset {self.dataset_id}"

    @classmethod
    def read(cls, path: Path) -> Metadata:
        """Read the metadata; nothing that they name is imported or made.

        Raises UserError if the file is missing or damaged, or of another version.
        """
        said = read_json(path, f"{path} is missing; name the folder of a Minari dataset, with {DATA}/{METADATA_FILE}")
        version, form = said.get("minari_version"), said.get("data_format", "hdf5")
        if not isinstance(version, str) or not _VERSIONS.fullmatch(version):
            raise UserError(f"{path} is of Minari {str(version)[:40]!r}; this program reads versions 0.4 and 0.5")
        if form not in FORMATS:
            raise UserError(f"{path}: data_format is {str(form)[:40]!r}, not {', '.join(FORMATS)}")
        episodes, dataset_id = said.get("total_episodes"), said.get("dataset_id")
        if (
            not isinstance(episodes, int)
            or isinstance(episodes, bool)
            or episodes < 1
            or not isinstance(dataset_id, str)
        ):
            raise UserError(f"{path} has no total_episodes above 0, or no dataset_id; it is damaged")
        found = {}
        for name in ("observation_space", "action_space"):
            if not isinstance(said.get(name), str):
                raise UserError(f"{path} has no {name}; make the dataset again with Minari 0.5, which writes it")
            found[name] = space_of(_parsed(said[name], f"{path}, {name}"), f"{path}, {name}")
        return cls(dataset_id, form, episodes, **found, env_id=_env_id(said.get("env_spec")))


def _parsed(text: str, where: str) -> Any:
    try:
        return from_json(text)
    except ValueError as error:
        raise UserError(f"{where} is no JSON: {error}") from error


def _env_id(spec: Any) -> str:
    """Return the id in a serialised specification of an environment; "" if there is none."""
    try:
        found = from_json(spec).get("id") if isinstance(spec, str) else None
    except (AttributeError, ValueError):
        return ""
    return found if isinstance(found, str) else ""
