"""Import of our own exports, back to what they were."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from pipelines.exchange.arrow_columns import to_numpy, to_texts
from pipelines.exchange.formats import Imported
from pipelines.exchange.lerobot.arrow import files_of
from pipelines.exchange.lerobot.columns import camera_of, columns_of, play_fields
from pipelines.exchange.lerobot.films import Films
from pipelines.exchange.lerobot.reader import Place, Source
from pipelines.exchange.lerobot.tasks import Tasks
from pipelines.exchange.sidecar import EpisodeAbout, Sidecar
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, episode_fingerprint
from rlhf.store.columns.png import decode_frames
from worlds.errors import UserError


def import_own(source: Source, path: Path, store: ParquetStore) -> Imported:
    """Write the episodes, marks and judgements of an export into the empty ``store``.

    Raises UserError if a file is damaged, or the two are not of the same episodes.
    """
    sidecar = Sidecar.read(path)
    known, spaces = sidecar.episodes, sidecar.declared
    if [about.steps for about in known] != [place.steps for place in source.episodes]:
        raise UserError(f"{path} is about other episodes than meta/episodes; without it they are another program's")
    camera, changed = camera_of(spaces), list[str]()
    films = Films(source, camera) if camera is not None and _feature(source, camera).dtype == "video" else None
    lossy, tasks = films is not None, Tasks.read(source.folder)
    columns = [name for name in columns_of(spaces, "png") if not (lossy and name == camera)]

    def read(about: EpisodeAbout, place: Place) -> Episode:
        rows = source.rows(place, columns)
        arrays = {name: _values(source, place, rows, name) for name in columns}
        with source.explained(place, "its steps"):
            pictures = None if camera is None else films.read(place) if films else _shaped(arrays[camera], spaces)
            texts = tasks.of(source.task_numbers(place, rows), place.name)
            fields = about.fields() | play_fields(arrays, spaces)
            episode = Episode(**fields, image=pictures, setter_text=texts, spaces=spaces)
        changed.extend([place.name] if _has_changed(episode, about, lossy) else [])
        return episode

    reads = ((place.name, partial(read, about, place)) for about, place in zip(known, source.episodes, strict=True))
    steps = source.bad.write_all(store, reads, len(known))
    return Imported(len(store), steps, sidecar.write_records(store), tuple(_notes(len(changed), lossy)))


def _feature(source: Source, name: str) -> Any:
    if name not in source.features:
        raise UserError(f"{source.folder} declares no {name}, which the export had; export the dataset again")
    return source.features[name]


def _values(source: Source, place: Place, rows: pa.Table, name: str) -> Any:
    """Values of one column of an episode: an array [T, *shape], texts, or frames."""
    feature = _feature(source, name)
    with source.explained(place, name):
        if feature.dtype == "image":
            return decode_frames(files_of(rows[name]), feature.shape[-1])
        return to_texts(rows[name]) if feature.dtype == "string" else to_numpy(rows[name], feature.shape)


def _shaped(pictures: np.ndarray, spaces: EpisodeSpaces) -> np.ndarray:
    """Return pictures as [T, H, W, channels], those written as lists of numbers included."""
    image = spaces.solver.observation.image
    assert image is not None
    return pictures.reshape(-1, *image.shape)


def _has_changed(episode: Episode, about: EpisodeAbout, lossy: bool) -> bool:
    """Return whether an episode differs from the exported one, apart from pictures that come from video."""
    if not lossy:
        return episode_fingerprint(episode) != about.fingerprint
    return episode_fingerprint(episode, pictures=False) != about.unpictured


def _notes(changed: int, lossy: bool) -> Iterator[str]:
    if lossy:
        yield "pictures come from video, which loses details; they differ from those that were exported"
    if changed:
        yield (
            f"{changed} episodes are not what was exported, but were changed since, or lie in another order; "
            "ids and marks are those of the exported ones"
        )
