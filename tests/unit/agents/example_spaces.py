"""Spaces of every kind for the tests of agents, by name, and made-up observations and actions of them."""

from __future__ import annotations

import numpy as np
import torch

from agents.batch import ActionBatch, ObservationBatch, observation_columns
from agents.config import AgentConfig
from tests.unit.agents import made_up_play
from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.observation import Category, Entities, Grid, Image, ObservationSpec, PlayerSpec, Vector

_THINGS = Entities(9, (Category("class", 12), Category("state", 3)), ("x", "y", "size"), ("x", "y"))
_MOVES = Discrete("move", ("left", "right", "forward", "pick up", "drop", "toggle", "done"), 6)
_VERB = Discrete("verb", ("wait", "walk to", "grab", "open"))
_ASKING = Grammar((("where is", "help", ""), ("Jack", "the door", "the lever")))

SPACES: dict[str, PlayerSpec] = {
    "grid": PlayerSpec(ObservationSpec(grid=Grid(7, 7, (11, 6, 3))), ActionSpec((_MOVES,))),
    "household": PlayerSpec(
        ObservationSpec(entities=_THINGS, texts=("inventory",)),
        ActionSpec((_VERB, Pointer("object", 9)), speech=FreeText(), masked=True),
    ),
    "arm": PlayerSpec(
        ObservationSpec(vector=Vector(5)),
        ActionSpec((Continuous("x", -2.0, 1.0, 0.5), Discrete("hand", ("open", "close")), Continuous("y", 0, 1)), 3),
    ),
    "school": PlayerSpec(
        ObservationSpec(image=Image(24, 24, 2), grid=Grid(9, 12, (5,))), ActionSpec((_MOVES,), speech=_ASKING)
    ),
    "everything": PlayerSpec(
        ObservationSpec(Image(24, 36), Grid(5, 5, (4, 2)), _THINGS, Vector(3), ("inventory", "goal")),
        ActionSpec(
            (Pointer("left", 9), _VERB, Continuous("turn", -1, 1), Pointer("right", 9)),
            2,
            0.1,
            FreeText(40),
            masked=True,
        ),
    ),
}


def batch(config: AgentConfig, steps: int, columns: int, seed: int = 0) -> tuple[ObservationBatch, ActionBatch]:
    """Random observations and legal actions [steps, columns, ...] of an agent's spaces."""
    rng, shape, total = np.random.default_rng(seed), (steps, columns), steps * columns
    counts = rng.integers(0 if total > 4 else 1, 10, size=total)
    done = _actions(config, rng, total, counts)
    parts: dict[str, np.ndarray] = {
        "previous_movement": _actions(config, rng, total, counts),
        "setter_tokens": made_up_play.tokens(total, config.setter_text_length, rng),
        "solver_tokens": made_up_play.tokens(total, config.solver_text_length, rng),
    }
    seen = config.player.observation
    for name, (dtype, tail) in observation_columns(config).items():
        if name == "image":
            parts[name] = rng.integers(0, 256, (total, *tail), dtype)
        elif name == "grid" and seen.grid is not None:
            parts[name] = rng.integers(0, seen.grid.categories, (total, *tail)).astype(dtype)
        elif name == "vector" or name == "entity_values":
            parts[name] = rng.normal(size=(total, *tail)).astype(dtype)
        elif name == "entity_categories" and seen.entities is not None:
            parts[name] = rng.integers(0, seen.entities.counts, (total, *tail)).astype(dtype)
        elif name == "entity_count":
            parts[name] = counts.astype(dtype)
        elif name == "legal":
            parts[name] = _legal(config, rng, done)
        elif name == "texts":
            words = made_up_play.tokens(total * tail[0], tail[1], rng)
            parts[name] = words.reshape(total, *tail)
    utterance = _utterances(config, rng, total)
    arrays = {name: torch.from_numpy(part).unflatten(0, shape) for name, part in parts.items()}
    absent = dict.fromkeys(set(ObservationBatch._fields) - arrays.keys())
    actions = (torch.from_numpy(part).unflatten(0, shape) for part in (done, utterance))
    return ObservationBatch(**{**absent, **arrays}), ActionBatch(*actions)  # type: ignore[arg-type]


def _actions(config: AgentConfig, rng: np.random.Generator, total: int, entities: np.ndarray) -> np.ndarray:
    columns = config.columns
    done = rng.integers(0, columns.counts, size=(total, columns.ticks, len(columns.counts)))
    there = np.broadcast_to(entities[:, None, None], done.shape)
    return np.where(columns.pointers, np.minimum(done, there), done).astype(columns.dtype)


def _legal(config: AgentConfig, rng: np.random.Generator, done: np.ndarray) -> np.ndarray:
    """About half of all values; those that are done, and pointing at nothing, are."""
    counts = config.player.action.counts
    begins = counts.cumsum() - counts
    legal = rng.random((len(done), int(counts.sum()))) < 0.5
    for column, begin in enumerate(begins.tolist()):
        np.put_along_axis(legal, begin + done[:, :, column].astype(np.int64), True, axis=1)
        legal[:, begin] |= config.columns.pointers[column]
    return legal


def _utterances(config: AgentConfig, rng: np.random.Generator, total: int) -> np.ndarray:
    speech = config.player.action.speech
    if speech is None:
        return np.zeros((total, config.utterance_length), np.int64)
    if isinstance(speech, Grammar):
        said = 1 + rng.integers(0, [len(slot) for slot in speech.slots], size=(total, len(speech.slots)))
        return np.where(rng.random((total, 1)) < 0.3, 0, said)
    return made_up_play.utterances(total, config.utterance_length, rng)
