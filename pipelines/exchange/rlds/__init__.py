"""RLDS datasets: folders of ``tensorflow_datasets`` whose examples are episodes made of steps.

An episode of T actions has T + 1 steps, of which the last has an observation only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.formats import Exported, Imported
from pipelines.exchange.gym_play import Columns, GymPlay
from pipelines.exchange.rlds.features import STEPS, Feature, is_within
from pipelines.exchange.rlds.folder import NAME, FolderWriter, RldsFolder
from pipelines.exchange.rlds.foreign import import_foreign
from pipelines.exchange.rlds.tfrecord import to_example
from pipelines.exchange.settings import RldsExport, RldsImport
from pipelines.exchange.sidecar import SIDECAR_FILE, Sidecar
from rlhf.records.episode import Episode
from rlhf.store import ParquetStore
from rlhf.store.files.durable import explained
from worlds.errors import UserError

_PARTS = tuple(f"{STEPS}/{part}" for part in ("observation", "action", "info"))
_NOTES = (
    "the last step of an episode has an observation only: the one before it, with the words that followed",
    "rewards are the recorded ones where there are any, else 1 where a request succeeded; marks are in steps/info",
)


def export(store: ParquetStore, ids: Sequence[str], out: Path, settings: RldsExport) -> Exported:
    """Write the episodes ``ids`` of ``store`` as an RLDS dataset into the empty folder ``out``.

    Raises UserError if the dataset's name is none.
    """
    if not NAME.fullmatch(settings.name):
        raise UserError(f"--rlds.name is {settings.name!r}; give letters, digits and _, e.g. play")
    sidecar = Sidecar.of(store, ids)
    features: dict[str, Feature] = {}
    writer = FolderWriter(out, settings.name, settings.file_mb)
    with explained("an RLDS dataset", out):
        for episode, marks in sidecar.export(store, ids):
            columns = _columns(GymPlay.of(episode, marks), episode)
            features = features or {name: Feature.of(column) for name, column in columns.items()}
            example = {name: features[name].encode(column) for name, column in columns.items()}
            writer.write(episode.split, to_example(example))
        writer.finish(features)
        sidecar.write(out / SIDECAR_FILE)
    return Exported(len(ids), sidecar.steps, _NOTES)


def _columns(play: GymPlay, episode: Episode) -> Columns:
    """Return the columns of an example by their paths."""
    step = np.arange(len(episode) + 1)
    last = step == len(episode)
    actions = {
        name: [*one, ""] if isinstance(one, list) else np.concatenate([one, np.zeros_like(one[:1])])
        for name, one in play.actions.items()
    }
    columns: Columns = {
        "reward": np.append(play.rewards, 0).astype(np.float32),
        "discount": np.where(last & play.terminated, 0, 1).astype(np.float32),
        "is_first": step == 0,
        "is_last": last,
        "is_terminal": last & play.terminated,
        "language_instruction": play.observations["setter_text"],
    }
    for folder, own in (("observation", play.observations), ("action", actions), ("info", play.infos)):
        columns |= {f"{folder}/{name}": column for name, column in own.items()}
    about: Columns = {"episode_metadata/episode_id": [episode.episode_id]}
    return {f"{STEPS}/{name}": column for name, column in columns.items()} | about


def import_(source: Path, store: ParquetStore, settings: RldsImport, bad: BadEpisodes) -> Imported:
    """Write the episodes of the RLDS dataset in ``source`` into the empty ``store``.

    Raises UserError naming what is missing, damaged, of another version, or refused.
    """
    folder = RldsFolder.open(source)
    if (source / SIDECAR_FILE).is_file():
        return _import_own(Sidecar.read(source / SIDECAR_FILE), folder, store, bad)
    return import_foreign(folder, store, settings, bad)


def _import_own(sidecar: Sidecar, folder: RldsFolder, store: ParquetStore, bad: BadEpisodes) -> Imported:
    """Import what :func:`export` wrote."""
    splits = {split: folder.examples(split, _PARTS) for split in folder.shards}

    def read(number: int, where: str, columns: Callable[[], Columns]) -> Episode:
        found = columns()
        return sidecar.episode(number, where, *(_below(part, found) for part in _PARTS))

    def reads() -> Iterator[tuple[str, Callable[[], Episode]]]:
        for number, about in enumerate(sidecar.episodes):
            _, where, columns = next(splits.get(about.row.get("split", ""), iter(())), (0, str(folder.folder), dict))
            yield f"episode {number}", partial(read, number, where, columns)

    steps = bad.write_all(store, reads(), len(sidecar.episodes))
    if any(next(rest, None) is not None for rest in splits.values()):
        raise UserError(f"{folder.folder} has more episodes than {SIDECAR_FILE}; it has changed since it was exported")
    return Imported(len(store), steps, sidecar.write_records(store))


def _below(folder: str, columns: Columns) -> Columns:
    return {path.removeprefix(f"{folder}/"): column for path, column in columns.items() if is_within(path, folder)}
