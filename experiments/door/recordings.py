"""Demonstrations of the Adroit door by people in virtual reality, and the clip pairs that crowd workers judged.

Rajeswaran et al., 2018, "Learning complex dexterous manipulation with deep reinforcement learning and demonstrations",
and Yuan et al., 2024, "Uni-RLHF". The user downloads both; ``docs/own-recordings.md`` has the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.records.episode import AGENT, Episode
from rlhf.records.preferences import SAME, A, B, ClipPair
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import EpisodeStore
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec, Continuous
from worlds.spaces.observation import ObservationSpec, PlayerSpec, Vector

WORLD = "adroit_door"
INSTRUCTION = "open the door"
CLIP_STEPS = 50
DOOR_ANGLE = 28  # of the observation, in radians
REWARDS = "rewards"  # in the notes of an episode: the environment's own, one a step; for evaluation only
_SIZES = {"observation": 39, "action": 28}
_ANSWERS = {"a": A, "b": B, "undecided": SAME}
_LARGEST_ACTION = 2.0  # the controllers cut at 1; people's recorded actions reach 1.37

SPACES = EpisodeSpaces(
    PlayerSpec(
        ObservationSpec(vector=Vector(_SIZES["observation"])),
        ActionSpec(
            tuple(Continuous(f"actuator {i}", -_LARGEST_ACTION, _LARGEST_ACTION) for i in range(_SIZES["action"])),
            tick_sec=0.02,
        ),
    ),
    ActionSpec(()),
)


@dataclass(frozen=True)
class Imported:
    """Numbers of records that were imported."""

    episodes: int
    clip_pairs: int


def import_door(steps: Path, pairs: Path, store: EpisodeStore) -> Imported:
    """Write the demonstrations and the clip pairs into ``store``.

    Args:
      steps: Parquet file with columns episode, step, observation [39], action [28] and reward.
      pairs: Parquet file with columns episode_a, start_a, episode_b, start_b and preferred ("a", "b" or "undecided").
      store: an empty dataset.

    Raises:
      UserError: a file is missing, damaged, or has other columns or values; nothing is imported then.
    """
    episodes = list(_episodes(_table(steps, ("episode", "step", "observation", "action", "reward")), steps))
    judged = _clip_pairs(_table(pairs, ("episode_a", "start_a", "episode_b", "start_b", "preferred")), pairs, episodes)
    for episode in episodes:
        store.write(episode)
    store.write_preferences(judged)
    return Imported(len(episodes), len(set(judged)))


def _table(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}; docs/own-recordings.md says where to download it") from None
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is no Parquet file that can be read ({' '.join(str(error).split())})") from error
    missing = next((name for name in columns if name not in table.column_names), None)
    if missing is not None:
        raise UserError(f"{path} has no column {missing!r}; it has {', '.join(table.column_names)}")
    return table


def _numbers(table: pa.Table, name: str, path: Path) -> np.ndarray:
    """Column ``name`` as float32 [N, size]."""
    try:
        values = np.array(table[name].to_pylist(), dtype=np.float32)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (table.num_rows, _SIZES[name]) or not np.isfinite(values).all():
        raise UserError(f"{path}: column {name!r} does not have {_SIZES[name]} finite numbers in every row")
    return values


def _episodes(table: pa.Table, path: Path) -> Iterable[Episode]:
    number, step = (np.array(table[name].to_pylist()) for name in ("episode", "step"))
    seen, done = _numbers(table, "observation", path), _numbers(table, "action", path)
    rewards = np.array(table["reward"].to_pylist(), dtype=np.float64)
    largest = float(np.abs(done).max(initial=0.0))
    if largest > _LARGEST_ACTION:
        raise UserError(f"{path}: an action is {largest:.3g}, larger than {_LARGEST_ACTION:g}; it is of another task")
    for one in sorted(set(number.tolist())):
        rows = np.flatnonzero(number == one)
        if step[rows].tolist() != list(range(len(rows))):
            raise UserError(f"{path}: the steps of episode {one} are not numbered 0 to {len(rows) - 1} in order")
        yield _episode(_name(one), seen[rows], done[rows], rewards[rows].tolist())


def _episode(name: str, seen: np.ndarray, done: np.ndarray, rewards: list[float]) -> Episode:
    steps = len(seen)
    nobody = np.zeros((steps, 1, 0), np.int8)
    said: dict[str, Any] = {
        "setter_text": (INSTRUCTION,) * steps,
        "setter_utterance": ("",) * steps,
        "solver_text": ("",) * steps,
        "utterance": ("",) * steps,
    }
    return Episode(
        episode_id=name,
        world=WORLD,
        config={},
        setter="instruction",
        solver="human:demonstrator",
        image=None,
        movement=nobody,
        setter_movement=nobody,
        continuous=done[:, None],
        controller=np.full(steps, AGENT, np.uint8),
        spaces=SPACES,
        seen={"vector": seen},
        notes={REWARDS: rewards},
        **said,
    )


def _clip_pairs(table: pa.Table, path: Path, episodes: Sequence[Episode]) -> list[ClipPair]:
    lengths, found = {episode.episode_id: len(episode) for episode in episodes}, list[ClipPair]()
    for row in table.to_pylist():
        clips = [(_name(row[f"episode_{side}"]), row[f"start_{side}"]) for side in ("a", "b")]
        for name, start in clips:
            if name not in lengths or not 0 <= start <= lengths[name] - CLIP_STEPS:
                raise UserError(f"{path}: a clip begins at step {start} of {name}, where no {CLIP_STEPS} steps follow")
        if row["preferred"] not in _ANSWERS:
            raise UserError(f"{path}: preferred is {row['preferred']!r}, not {', '.join(_ANSWERS)}")
        (one, begin), (other, start) = clips
        answer = _ANSWERS[row["preferred"]]
        found.append(
            ClipPair(one, begin, begin + CLIP_STEPS, other, start, start + CLIP_STEPS, answer, "crowd", None, False)
        )
    return found


def _name(number: int) -> str:
    return f"door-{number:03d}"
