"""LeRobot's dataset v3: our datasets for its tools, and its datasets for ours.

``docs/exchange.md`` has the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.formats import Exported, Imported
from pipelines.exchange.gym_play import net_marks
from pipelines.exchange.lerobot.columns import PIXELS, camera_of, columns_of
from pipelines.exchange.lerobot.foreign import import_foreign
from pipelines.exchange.lerobot.layout import EVENTS, PROGRESS, Feature
from pipelines.exchange.lerobot.own import import_own
from pipelines.exchange.lerobot.progress import write_progress
from pipelines.exchange.lerobot.reader import Source
from pipelines.exchange.lerobot.words import FEATURE as EVENTS_FEATURE
from pipelines.exchange.lerobot.words import events
from pipelines.exchange.lerobot.writer import Writer
from pipelines.exchange.settings import LeRobotExport, LeRobotImport
from pipelines.exchange.sidecar import SIDECAR_FILE, Sidecar
from rlhf.records.fields import SPLITS
from rlhf.store import ParquetStore

MARK = "play.mark"


def export(store: ParquetStore, ids: Sequence[str], out: Path, settings: LeRobotExport) -> Exported:
    """Write the episodes ``ids`` of ``store`` as a LeRobot dataset into the empty folder ``out``.

    Raises UserError if the reward model is of other spaces.
    """
    splits = {row.episode_id: row.split for row in store.rows()}
    ids = sorted(ids, key=lambda name: SPLITS.index(splits[name]))
    spaces = store.description.spaces
    assert spaces is not None, "a dataset with episodes has spaces"
    columns = columns_of(spaces, settings.images)
    features = {name: column.feature for name, column in columns.items()} | {MARK: Feature("int64", (1,))}
    features |= {EVENTS: EVENTS_FEATURE} if settings.language else {}
    rate = round(spaces.solver.action.steps_per_second, 9)
    writer = Writer(out, features, rate, store.description.world or "", settings.file_mb)
    sidecar = Sidecar.of(store, ids)
    film = next((name for name, feature in features.items() if feature.dtype == "video"), None)
    for episode, marks in sidecar.export(store, ids):
        values = {name: column.values(episode) for name, column in columns.items() if name != film}
        values[MARK] = net_marks(marks, len(episode))
        values[EVENTS] = events(episode.setter_utterance, episode.utterance)
        pictures = episode.image if camera_of(spaces) != PIXELS else None
        writer.add(values, episode.setter_text, pictures, episode.split)
    writer.close()
    sidecar.write(out / SIDECAR_FILE)
    if settings.reward_model is not None:
        write_progress(store, ids, out / PROGRESS, settings.reward_model)
    held_out = sum(splits[name] == SPLITS[1] for name in ids)
    return Exported(len(ids), sidecar.steps, tuple(_notes(film is not None, held_out)))


def import_(source: Path, store: ParquetStore, settings: LeRobotImport, bad: BadEpisodes) -> Imported:
    """Write the episodes of the LeRobot dataset in ``source`` into the empty ``store``.

    Raises UserError if it is damaged, of another version, or its columns are not understood.
    """
    found, sidecar = Source(source, bad), source / SIDECAR_FILE
    return import_own(found, sidecar, store) if sidecar.is_file() else import_foreign(found, store, settings)


def _notes(film: bool, held_out: int) -> Iterator[str]:
    if film:
        yield "video loses details of pictures; --lerobot.images png keeps every pixel"
    if held_out:
        yield f"{held_out} held-out episodes come last (`splits` of meta/info.json); LeRobot trains on them, too"


__all__: Any = ["export", "import_"]
