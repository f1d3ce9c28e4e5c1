"""The columns in which an episode's steps lie, by its spaces. One frame is one step.

What LeRobot has a name for has that name. The rest begins with ``play.``, which its policies leave alone: they learn
from columns that begin with ``observation`` or ``action``. Arrays of several dimensions are written row by row as one
list of numbers, as LeRobot's tools cannot rewrite others. What the solver had been asked is the frame's task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pipelines.exchange.lerobot.action_vector import ActionVector
from pipelines.exchange.lerobot.layout import ACTION, CAMERA, INTERVENTION, STATE, Feature
from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.png import encode_frames
from worlds.spaces.steps import ENTITIES, ENTITY_COUNTS, padded, step_arrays, unpadded

SETTER_ACTION = "play.setter_action"
PIXELS = "play.pixels"  # pictures with as many channels as LeRobot's do not have
TEXTS = ("solver_text", "utterance", "setter_utterance")  # the setter's text is the task
_PICTURED = (1, 3)  # channels of LeRobot's pictures


@dataclass(frozen=True)
class Column:
    """One column.

    Args:
      values: function from an episode to [T, *shape], to texts [T], or to PNG files [T]; frames of a video come apart.
    """

    feature: Feature
    values: Callable[[Episode], Any]


def columns_of(spaces: EpisodeSpaces, images: str) -> dict[str, Column]:
    """Return the columns of episodes of ``spaces``, by name."""
    solver, setter = ActionVector(spaces.solver.action), ActionVector(spaces.setter)
    columns = _picture(spaces, images)
    if solver.size:
        columns[ACTION] = Column(
            Feature("float32", (solver.size,), solver.names), lambda one: solver.encode(one.movement, one.continuous)
        )
    columns |= _seen(spaces)
    if solver.size and STATE not in columns:  # LeRobot's policies do not train without a state
        columns[STATE] = Column(
            Feature("float32", (solver.size,), solver.names),
            lambda one: solver.encode(one.previous_movement(), one.previous_continuous()),
        )
    columns[INTERVENTION] = Column(Feature("bool", (1,)), lambda one: one.controller == CO_PILOT)
    for name in TEXTS:
        columns[f"play.{name}"] = Column(Feature("string", (1,)), lambda one, name=name: getattr(one, name))
    for name, key in further_texts(spaces).items():
        columns[name] = Column(Feature("string", (1,), (key,)), lambda one, key=key: one.texts[key])
    if setter.size:
        columns[SETTER_ACTION] = Column(
            Feature("float32", (setter.size,), setter.names),
            lambda one: setter.encode(one.setter_movement, one.setter_continuous),
        )
    return columns


def further_texts(spaces: EpisodeSpaces) -> dict[str, str]:
    """Return the keys of further texts that the solver observed, by the column of each."""
    return {f"play.text_{number}": key for number, key in enumerate(spaces.solver.observation.texts)}


def camera_of(spaces: EpisodeSpaces) -> str | None:
    """Return the column of pictures; None without pictures."""
    image = spaces.solver.observation.image
    return None if image is None else CAMERA if image.channels in _PICTURED else PIXELS


def play_fields(arrays: Mapping[str, Any], spaces: EpisodeSpaces) -> dict[str, Any]:
    """Return the fields of an episode, except pictures and the setter's text, from the values of its columns.

    Args:
      arrays: [T, *shape] or texts, by column.

    Raises ValueError if an action is none that the spaces have.
    """
    steps = len(arrays[INTERVENTION])
    fields: dict[str, Any] = {"controller": arrays[INTERVENTION].reshape(steps).astype(np.uint8)}
    for player, name, spec in (("", ACTION, spaces.solver.action), ("setter_", SETTER_ACTION, spaces.setter)):
        vectors = arrays[name] if name in arrays else np.zeros((steps, 0), np.float32)
        movement, continuous = ActionVector(spec).decode(vectors)
        fields |= {f"{player}movement": movement, f"{player}continuous": continuous}
    fields |= {name: arrays[f"play.{name}"] for name in TEXTS}
    fields["texts"] = {key: arrays[name] for name, key in further_texts(spaces).items()}
    fields["seen"] = _seen_fields(arrays, spaces)
    return fields


def _picture(spaces: EpisodeSpaces, images: str) -> dict[str, Column]:
    image, name = spaces.solver.observation.image, camera_of(spaces)
    if image is None or name is None:
        return {}
    if name == PIXELS:
        return {name: Column(_flat("uint8", image.shape), lambda one: one.image)}
    kind = "video" if images == "video" and image.channels == 3 else "image"
    feature = Feature(kind, image.shape, ("height", "width", "channels"))
    return {name: Column(feature, lambda one: encode_frames(one.pictures()))}


def _seen(spaces: EpisodeSpaces) -> dict[str, Column]:
    """Columns of the solver's observations besides pictures; entities are padded to as many as there can be."""
    known, columns = spaces.solver.observation, {}
    if known.vector is not None:
        names = known.vector.names or None
        columns[STATE] = Column(Feature("float32", (known.vector.length,), names), lambda one: one.seen["vector"])
    for name, (dtype, shape) in step_arrays(spaces.solver).items():
        if name in ("image", "vector") or 0 in shape:
            continue
        sides = tuple(_most(spaces) if side is None else side for side in shape)
        columns[f"play.{name}"] = Column(_flat(dtype.name, sides), partial(_seen_rows, name=name, most=_most(spaces)))
    return columns


def _most(spaces: EpisodeSpaces) -> int:
    entities = spaces.solver.observation.entities
    return 0 if entities is None else entities.most


def _seen_rows(episode: Episode, name: str, most: int) -> np.ndarray:
    rows = episode.seen[name]
    return padded(rows, episode.seen[ENTITY_COUNTS], most) if name in ENTITIES else rows


def _flat(dtype: str, shape: tuple[int, ...]) -> Feature:
    return Feature(dtype, (math.prod(shape),))


def _seen_fields(arrays: Mapping[str, Any], spaces: EpisodeSpaces) -> dict[str, np.ndarray]:
    seen: dict[str, np.ndarray] = {}
    for name, (dtype, shape) in step_arrays(spaces.solver).items():
        if name in ENTITIES:
            counts = seen[ENTITY_COUNTS]
            rows = arrays[f"play.{name}"] if 0 not in shape else np.zeros(0, dtype)
            seen[name] = unpadded(rows.reshape(len(counts), _most(spaces), -1 if rows.size else 0), counts)
        elif name != "image":
            seen[name] = arrays[STATE if name == "vector" else f"play.{name}"].reshape(-1, *shape)
    return seen
