"""The setters' sides of datasets, drawn once and kept in each dataset's folder: what agents in that role learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from pipelines.stages.episodes.play_kinds import PlayKinds
from pipelines.stages.episodes.recordings import in_order
from rlhf.data.source import Source
from rlhf.records.episode import Episode
from rlhf.replay.setter_side import PROMPT, SIDE_OF, setter_side
from rlhf.run.config import lock_file
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeRow, ParquetStore, open_store
from rlhf.store.files.durable import explained
from rlhf.store.group_writer import GroupWriter
from rlhf.store.parquet import SETTER_SIDES
from rlhf.store.read_ahead import read_ahead
from worlds.errors import UserError

_REPLAYED = "replay:"  # begins the name of a setter that says again what another one said


def setter_sides(
    data: Sequence[Path], split: str, setter: str | None, kinds: PlayKinds, threads: int = 2
) -> list[Path]:
    """Return the datasets of the setters' sides of recorded play, in the order of ``data``.

    What is missing is drawn, and what is no longer in its dataset, or has changed there, is dropped. Setters that were
    replayed are left out: what they say was said before, in a place where it made sense.

    Args:
      setter: setter of the episodes, if ``kinds`` is empty; None takes all.
      kinds: weights by kind of setter, e.g. "human".

    Raises:
      UserError: there are no such episodes, one of them does not replay, or another process draws them now.
    """
    is_wanted = partial(_is_wanted, setter=setter, kinds=tuple(kinds))
    stores = [open_store(folder) for folder in data]
    wanted = {store: in_order([row for row in store.rows(split=split) if is_wanted(row)]) for store in stores}
    if not any(wanted.values()):
        raise UserError(_none(stores, split, setter))
    return [_draw_missing(store, rows, threads) for store, rows in wanted.items() if rows]


def sides_of(data: Sequence[Path]) -> list[Path]:
    """Return the folders in which the setters' sides of datasets are kept, whether they have been drawn or not."""
    return [folder / SETTER_SIDES for folder in data]


def are_prompted(sides: Sequence[Source]) -> bool:
    """Return True if the setter of any of these episodes, of the setters' sides, was given a prompt."""
    return any(side.store.read_transcript(side.episode_id).notes.get(PROMPT) for side in sides)


def _is_wanted(row: EpisodeRow, setter: str | None, kinds: Sequence[str]) -> bool:
    if row.setter.startswith(_REPLAYED):
        return False
    if kinds:
        return row.setter.partition(":")[0] in kinds
    return setter is None or row.setter == setter or row.setter.startswith(f"{setter}:")


def _none(stores: Sequence[ParquetStore], split: str, setter: str | None) -> str:
    found = Counter(row.setter for store in stores for row in store.rows(split=split))
    there = ", ".join(f"{name} ({count:,})" for name, count in found.most_common(5)) or "none"
    who = "" if setter is None else f" of the setter {setter}"
    folders = ", ".join(map(str, stores))
    return f"no episodes{who} in {folders}; setters of the split {split}: {there}; name one with --solver, or None"


def _draw_missing(store: ParquetStore, rows: Sequence[EpisodeRow], threads: int) -> Path:
    """Bring the setters' sides of ``rows`` up to date; return their dataset."""
    folder = store.folder / SETTER_SIDES
    with _locked(folder):
        sides = open_store(folder, create=True)
        prints = store.fingerprints()
        noted = {name: sides.read_transcript(name).notes.get(SIDE_OF) for name in sides.ids()}
        if old := [name for name, fingerprint in noted.items() if prints.get(name) != fingerprint]:
            sides.drop(old)
        missing = [row.episode_id for row in rows if row.episode_id not in sides]
        if missing:
            _draw(store, missing, lambda episode: setter_side(episode, prints[episode.episode_id]), sides, threads)
    return folder


def _draw(
    store: ParquetStore,
    missing: Sequence[str],
    turn: Callable[[Episode], Episode],
    sides: ParquetStore,
    threads: int,
) -> None:
    """Write the sides of the episodes ``missing`` into ``sides``; those of an interrupted call are durable."""

    def drawn() -> Iterator[Episode]:
        yield from read_ahead(lambda name: turn(store.read(name)), missing, threads)

    announce(f"{len(missing):,} episodes of {store} are replayed for what their setters saw, and kept in {sides}")
    with GroupWriter(sides.write_group) as writer:
        for side in progress(drawn(), len(missing), "drawing the setters' side"):
            writer.add(side)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with explained("what its setters saw", folder.parents[1]):
        folder.parent.mkdir(exist_ok=True)
        lock = folder.with_name(f"{folder.name}.lock")
        with lock_file(lock, folder, hint="wait for it to end"):
            yield
