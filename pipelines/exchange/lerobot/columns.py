"""The columns in which an episode's steps lie, by its spaces. One frame is one step.

What LeRobot has a name for has that name. The rest begins with ``play.``, which its policies leave alone: they learn
from columns that begin with ``observation`` or ``action``. Arrays of several dimensions are written row by row as one
list of numbers, as LeRobot's tools cannot rewrite others. What the solver had been asked is the frame's task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipelines.exchange.lerobot.action_vector import ActionVector
from pipelines.exchange.lerobot.layout import ACTION, CAMERA, INTERVENTION, STATE, Feature
from rlhf.records.declared_fields import ENTITY_COUNTS
from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.png import encode_frames

SETTER_ACTION = "play.setter_action"
PIXELS = "play.pixels"  # pictures with as many channels as LeRobot's do not have
TEXTS = ("solver_text", "utterance", "setter_utterance")  # the setter's text is the task
_ENTITIES = ("entity_categories", "entity_values")
_PICTURED = (1, 3)  # channels of LeRobot's pictures


@dataclass(frozen=True)
class Column:
    """One column.

    Args:
      feature: as ``meta/info.json`` declares it.
      values: function from an episode to [T, *shape], to texts [T], or to PNG files [T]; frames of a video come apart.
    """

    feature: Feature
    values: Callable[[Episode], Any]


def columns_of(spaces: EpisodeSpaces, images: str) -> dict[str, Column]:
    """Return the columns of episodes of ``spaces``, by name.

    Args:
      spaces: of every episode, also those of the Playhouse.
      images: "png" or "video".
    """
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
    """Return the fields of an episode, but for pictures and the setter's text, of the values of its columns.

    Args:
      arrays: [T, *shape] or texts, by column.
      spaces: of the episode.

    Raises:
      ValueError: an action is none that the spaces have.
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
    """Columns of what the solver observed besides pictures; entities fill the first rows of as many as there can be."""
    known, columns = spaces.solver.observation, {}
    if known.vector is not None:
        names = known.vector.names or None
        columns[STATE] = Column(Feature("float32", (known.vector.length,), names), lambda one: one.seen["vector"])
    if known.grid is not None:
        columns["play.grid"] = Column(_flat("int16", known.grid.shape), lambda one: one.seen["grid"])
    if known.entities is not None:
        most, things = known.entities.most, known.entities
        columns[f"play.{ENTITY_COUNTS}"] = Column(Feature("int32", (1,)), lambda one: one.seen[ENTITY_COUNTS])
        for name, dtype, features in zip(
            _ENTITIES, ("int16", "float32"), (len(things.categorical), len(things.real)), strict=True
        ):
            if features:
                columns[f"play.{name}"] = Column(
                    _flat(dtype, (most, features)),
                    lambda one, name=name: _padded(one.seen[name], one.seen[ENTITY_COUNTS], most),
                )
    if spaces.solver.action.masked:
        legal = int(spaces.solver.action.counts.sum())
        columns["play.legal"] = Column(Feature("bool", (legal,)), lambda one: one.seen["legal"])
    return columns


def _flat(dtype: str, shape: tuple[int, ...]) -> Feature:
    return Feature(dtype, (math.prod(shape),))


def _seen_fields(arrays: Mapping[str, Any], spaces: EpisodeSpaces) -> dict[str, np.ndarray]:
    known, seen = spaces.solver.observation, {}
    if known.grid is not None:
        seen["grid"] = arrays["play.grid"].reshape(-1, *known.grid.shape)
    if known.entities is not None:
        seen[ENTITY_COUNTS] = counts = arrays[f"play.{ENTITY_COUNTS}"].reshape(-1)
        there = np.arange(known.entities.most) < counts[:, None]
        features = (known.entities.categorical, known.entities.real)
        for name, some, dtype in zip(_ENTITIES, features, (np.int16, np.float32), strict=True):
            empty = np.zeros((there.sum(), 0), dtype)
            seen[name] = arrays[f"play.{name}"].reshape(*there.shape, -1)[there] if some else empty
    if known.vector is not None:
        seen["vector"] = arrays[STATE]
    if spaces.solver.action.masked:
        seen["legal"] = arrays["play.legal"]
    return seen


def _padded(rows: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Rows of entities [sum of counts, features], which lie end to end, as [T, most, features] with zeros behind."""
    padded = np.zeros((len(counts), most, rows.shape[1]), rows.dtype)
    padded[np.arange(most) < counts[:, None]] = rows
    return padded
