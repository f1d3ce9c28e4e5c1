"""The frozen record of one episode of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rlhf.records.fields import AGENT as AGENT
from rlhf.records.fields import (
    CO_PILOT,
    InvalidField,
    check_about,
    check_controller,
    check_image,
    check_movement,
    check_requests,
    check_texts,
    check_truth,
)
from worlds.contract import Action, Event, Observation, TaskSpec, neutral_movement

WORLD_OPTIONS = "world_options"  # in the notes of an episode: the options with which its world was played


@dataclass(frozen=True)
class Request:
    """One thing the setter asked for, from the step at which it was said."""

    step: int
    task: TaskSpec


@dataclass(frozen=True, eq=False)
class Episode:
    """T steps of play. Row t holds the solver's observation at step t and the actions of both players at t.

    Args:
      episode_id: unique in its dataset.
      world: registered name of the world.
      config: the world's initial configuration; with the recorded controls it replays bit-exactly.
      setter: who asked, e.g. "scripted", "human:ann", "replay:<episode_id>".
      solver: who acted, e.g. "scripted", "human:ann", "agent:bc".
      image: uint8 [T, height, width, 3], the solver's view.
      setter_text: [T], what the setter had last said when the solver decided.
      solver_text: [T], what the solver had last said.
      movement: int8 [T, 8, components], the solver's movement.
      utterance: [T], its words, "" for silence.
      setter_movement: int8 [T, 8, components], the setter's movement, for replay.
      setter_utterance: [T], the setter's words, for replay.
      controller: uint8 [T], AGENT or CO_PILOT.
      requests: what was asked for, when, and how success is checked (scripted setters only).
      truth: events of the tasks' ground truth; for evaluation and scripted raters, never for agents.
      success_step: per request, the step at which it succeeded, or None.
      seed: of the players, 64 bits.
      created: ISO time.
      split: "train" or "held_out".

    Raises:
      InvalidField: if a field is of another type, shape or dtype, or has a value that does not exist: a bin of
        movement, a controller, or a step outside the episode.
    """

    episode_id: str
    world: str
    config: Mapping[str, Any]
    setter: str
    solver: str
    image: np.ndarray
    setter_text: tuple[str, ...]
    solver_text: tuple[str, ...]
    movement: np.ndarray
    utterance: tuple[str, ...]
    setter_movement: np.ndarray
    setter_utterance: tuple[str, ...]
    controller: np.ndarray
    requests: tuple[Request, ...] = ()
    truth: tuple[Event, ...] = ()
    success_step: tuple[int | None, ...] = ()
    seed: int = 0
    created: str = ""
    split: str = "train"
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Check every field again, as arrays may have been changed since the episode was made.

        Raises:
          InvalidField: naming the first wrong field, its value, and what it should be.
        """
        try:
            if not isinstance(self.utterance, tuple) or not self.utterance:
                raise InvalidField("utterance is empty or no tuple, not a tuple of a text for every step")
            steps = len(self)
            check_about(vars(self))
            check_image(self.image, steps)
            for name in ("setter_text", "solver_text", "utterance", "setter_utterance"):
                check_texts(name, getattr(self, name), steps)
            for name in ("movement", "setter_movement"):
                check_movement(name, getattr(self, name), steps)
            check_controller(self.controller, steps)
            check_requests(self.requests, self.success_step, steps)
            check_truth(self.truth, steps)
        except InvalidField as error:
            raise InvalidField(f"episode {self.episode_id}: {error}") from None

    def __len__(self) -> int:
        return len(self.utterance)

    def solver_action(self, step: int) -> Action:
        """Return the solver's action at ``step``."""
        return {"movement": self.movement[step], "utterance": self.utterance[step]}

    def setter_action(self, step: int) -> Action:
        """Return the setter's action at ``step``."""
        return {"movement": self.setter_movement[step], "utterance": self.setter_utterance[step]}

    def previous_movement(self) -> np.ndarray:
        """Return the solver's movement of the step before, neutral at the first: int8 [T, 8, components]."""
        return movement_before(self.movement)

    def demonstrated(self) -> np.ndarray:
        """Return the steps, bool [T], whose actions are to be imitated, see :func:`demonstrated_steps`."""
        return demonstrated_steps(self.solver, self.controller)


def without_frames(episode: Episode) -> Episode:
    """Return ``episode`` with black frames that take no memory, for when many are held at once and no frame is needed.

    Frames are nearly all of an episode: 23 MB of five minutes.
    """
    return replace(episode, image=np.broadcast_to(np.uint8(0), episode.image.shape))


def demonstrated_steps(solver: str, controller: np.ndarray) -> np.ndarray:
    """Return the steps, bool [T], whose actions are to be imitated.

    These are the actions of people, of scripted demonstrators, and of a co-pilot who has taken over from an agent; an
    agent's own actions are not imitated.

    Args:
      solver: who played.
      controller: uint8 [T], AGENT or CO_PILOT.
    """
    by_agent = solver == "agent" or solver.startswith("agent:")
    return np.full(len(controller), not by_agent) | (np.asarray(controller) == CO_PILOT)


def episode_columns(rows: Sequence[tuple[Observation, Action, Action]], controller: Sequence[int]) -> dict[str, Any]:
    """Return the fields of an :class:`Episode` that have a row for every step.

    Args:
      rows: [T], the solver's observation, its action and the setter's action of each step.
      controller: [T], AGENT or CO_PILOT.
    """
    seen, solver, setter = zip(*rows, strict=True)
    return {
        "image": np.stack([o["image"] for o in seen]),
        "setter_text": tuple(o["setter_text"] for o in seen),
        "solver_text": tuple(o["solver_text"] for o in seen),
        "movement": _bins([a["movement"] for a in solver]),
        "utterance": tuple(a["utterance"] for a in solver),
        "setter_movement": _bins([a["movement"] for a in setter]),
        "setter_utterance": tuple(a["utterance"] for a in setter),
        "controller": np.array(controller, np.uint8),
    }


def _bins(movement: Sequence[np.ndarray]) -> np.ndarray:
    """Stack T movements as int8 [T, 8, components]; a bin too large for int8 becomes one that ``check`` refuses."""
    return np.clip(np.stack(movement), -1, np.iinfo(np.int8).max).astype(np.int8)


def movement_before(movement: np.ndarray) -> np.ndarray:
    """Return the ``movement`` [T, 8, components] of the step before each, neutral at the first."""
    return np.concatenate([neutral_movement()[None], movement[:-1]])
