"""A Minari dataset such as its ``DataCollector`` writes, for tests of what reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from gymnasium import spaces

from pipelines.exchange.minari.spaces import space_json

_LIMITS = np.array([4.8, np.inf, 0.4, np.inf], np.float32)
CARTPOLE = spaces.Box(-_LIMITS, _LIMITS, dtype=np.float32)
BABYAI = spaces.Dict(
    {
        "direction": spaces.Discrete(4),
        "image": spaces.Box(0, 255, (7, 7, 3), np.uint8),
        "mission": spaces.Text(200, charset="abcdefghijklmnopqrstuvwxyz "),
    }
)


def cartpole_episode(steps: int = 5) -> dict[str, Any]:
    """Columns of an episode of CartPole of which the last step terminates."""
    rng = np.random.default_rng(steps)
    return _columns(
        rng.uniform(-0.1, 0.1, (steps + 1, 4)).astype(np.float32), rng.integers(0, 2, steps), np.ones(steps)
    )


def babyai_episode(steps: int = 5, mission: str = "go to the red ball") -> dict[str, Any]:
    """Columns of an episode of BabyAI."""
    rng = np.random.default_rng(steps)
    observations = {
        "direction": rng.integers(0, 4, steps + 1),
        "image": rng.integers(0, (11, 6, 4), (steps + 1, 7, 7, 3)).astype(np.uint8),
        "mission": [mission] * (steps + 1),
    }
    return _columns(observations, rng.integers(0, 7, steps), np.eye(steps)[-1] * 0.9)


def _columns(observations: Any, actions: Any, rewards: np.ndarray) -> dict[str, Any]:
    last = np.eye(len(rewards), dtype=np.bool_)[-1]
    ends = {"terminations": last, "truncations": np.zeros_like(last)}
    return {"observations": observations, "actions": actions, "rewards": rewards, "infos": {}} | ends


def write_minari(
    folder: Path,
    observation_space: spaces.Space,
    action_space: spaces.Space,
    episodes: Sequence[Mapping[str, Any]],
    env_id: str = "",
    changed: Mapping[str, Any] | None = None,
) -> Path:
    """Write a dataset into ``folder``; return its HDF5 file.

    ``changed`` has metadata that differ from the usual ones; None leaves one out.
    """
    (folder / "data").mkdir(parents=True)
    usual = {
        "total_episodes": len(episodes),
        "total_steps": sum(len(one["rewards"]) for one in episodes),
        "data_format": "hdf5",
        "jpeg_encoding": True,
        "observation_space": json.dumps(space_json(observation_space)),
        "action_space": json.dumps(space_json(action_space)),
        "env_spec": json.dumps({"id": env_id, "entry_point": "os:abort"}),
        "dataset_id": "lab/test-v0",
        "minari_version": "0.5.4",
    } | dict(changed or {})
    said = {name: value for name, value in usual.items() if value is not None}
    (folder / "data" / "metadata.json").write_text(json.dumps(said))
    path = folder / "data" / "main_data.hdf5"
    with h5py.File(path, "w") as file:
        for number, columns in enumerate(episodes):
            group = file.create_group(f"episode_{number}")
            group.attrs.update({"id": number, "seed": 7 + number, "total_steps": len(columns["rewards"])})
            _write(group, columns)
    return path


def _write(group: h5py.Group, columns: Mapping[str, Any]) -> None:
    for name, column in columns.items():
        if isinstance(column, Mapping):
            _write(group.create_group(name), column)
        elif isinstance(column, list):
            group.create_dataset(name, data=column, dtype=h5py.string_dtype("utf-8"))
        else:
            group.create_dataset(name, data=column, chunks=True, maxshape=(None, *np.shape(column)[1:]))


def write_rows(
    folder: Path,
    observation_space: spaces.Space,
    action_space: spaces.Space,
    seen: Sequence[Any],
    done: Sequence[Any],
    data_format: str,
) -> None:
    """Write a dataset of one episode in one of Minari's formats; it has one observation more than actions."""
    columns = _columns(_tree(observation_space, seen), _tree(action_space, done), np.arange(len(done)) / 2)
    if data_format == "hdf5":
        write_minari(folder, observation_space, action_space, [columns])
        return
    write_minari(folder, observation_space, action_space, [], changed={"total_episodes": 1, "data_format": data_format})
    table = {
        "observations": _arrow(observation_space, seen, 0),
        "actions": _arrow(action_space, done, 1),
        **{name: np.append(columns[name], columns[name][:1]) for name in ("rewards", "terminations", "truncations")},
    }
    (folder / "data" / "0").mkdir()
    path, rows = folder / "data" / "0" / f"part-0.{data_format}", pa.table(table)
    if data_format == "parquet":
        pq.write_table(rows, path)
        return
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)


def _tree(space: spaces.Space, rows: Sequence[Any]) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _tree(part, [row[key] for row in rows]) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return {f"_index_{key}": _tree(part, [row[key] for row in rows]) for key, part in enumerate(space.spaces)}
    return list(rows) if isinstance(space, spaces.Text) else np.array(rows)


def _arrow(space: spaces.Space, rows: Sequence[Any], pad: int) -> pa.Array:
    """A column as Minari writes it: a Box as lists of one length, what it does not know as it comes."""
    if isinstance(space, spaces.Dict | spaces.Tuple):
        parts = space.spaces.items() if isinstance(space, spaces.Dict) else enumerate(space.spaces)
        inner = {str(key): _arrow(part, [row[key] for row in rows], pad) for key, part in parts}
        return pa.StructArray.from_arrays(list(inner.values()), names=list(inner))
    if isinstance(space, spaces.Box):
        flat = np.pad(np.array(rows).reshape(len(rows), -1), ((0, pad), (0, 0)))
        return pa.FixedSizeListArray.from_arrays(flat.ravel(), flat.shape[1])
    if isinstance(space, spaces.Discrete):
        return pa.array(np.pad(np.array(rows), (0, pad)), pa.int32())
    return pa.array([*rows, *[None] * pad])
