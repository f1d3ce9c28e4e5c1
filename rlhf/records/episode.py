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
    check_play,
    check_requests,
    check_texts,
    check_truth,
    not_an_array,
)
from rlhf.records.spaces import EpisodeSpaces, playhouse_spaces
from worlds.contract import Action, Event, TaskSpec
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec

SCRIPTED = "scripted"  # in place of the name of a player: one that the world scripts
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
      setter: who asked, e.g. "scripted", "human:ann", "agent:setter", "replay:<episode_id>".
      solver: who acted, e.g. "scripted", "human:ann", "agent:bc".
      image: uint8 [T, height, width, channels], the solver's view; None where ``spaces`` have none.
      setter_text: [T], what the setter had last said when the solver decided.
      solver_text: [T], what the solver had last said.
      movement: int8 or int16 [T, ticks, discrete components and pointers], the solver's movement: bins; of pointers 0
        for nothing and i for the entity in row i - 1.
      utterance: [T], its words, "" for silence.
      setter_movement: likewise as ``spaces.setter`` has it, the setter's movement, for replay.
      setter_utterance: [T], the setter's words, for replay.
      controller: uint8 [T], AGENT or CO_PILOT.
      requests: what was asked for, when, and how success is checked (scripted setters only).
      truth: events of the tasks' ground truth; for evaluation and scripted raters, never for agents.
      success_step: per request, the step at which it succeeded, or None.
      seed: of the players, 64 bits.
      created: ISO time.
      split: "train" or "held_out".
      notes: JSON, free for the recorder.
      spaces: what the players could observe and do; None becomes those of the Playhouse with a picture of the size of
        ``image``.
      continuous: float32 [T, ticks, continuous components], the rest of the solver's movement; None without such.
      setter_continuous: likewise of the setter.
      seen: arrays that the solver observed besides the image, as far as ``spaces`` declare them: ``grid`` int16
        [T, height, width, channels]; ``vector`` float32 [T, length]; ``legal`` bool [T, values of all discrete
        components and pointers]; ``entity_counts`` int32 [T], and the entities of all steps end to end,
        ``entity_categories`` int16 [sum of counts, categorical features] and ``entity_values`` float32 [sum of counts,
        real features].
      texts: by key, further texts that it observed, [T] each.

    Raises:
      InvalidField: if a field is of another type, shape or dtype, or has a value that does not exist: a bin of
        movement, a controller, a step outside the episode, or whatever the declared spaces do not have.
    """

    episode_id: str
    world: str
    config: Mapping[str, Any]
    setter: str
    solver: str
    image: np.ndarray | None
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
    spaces: EpisodeSpaces = None  # type: ignore[assignment]  # becomes the Playhouse's
    continuous: np.ndarray | None = None
    setter_continuous: np.ndarray | None = None
    seen: Mapping[str, np.ndarray] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.spaces is None:
            object.__setattr__(self, "spaces", _of_the_playhouse(self))
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
            for name in ("setter_text", "solver_text", "utterance", "setter_utterance"):
                check_texts(name, getattr(self, name), steps)
            if not isinstance(self.spaces, EpisodeSpaces):
                raise InvalidField(f"spaces are a {type(self.spaces).__name__}, not EpisodeSpaces or None")
            check_play(vars(self), self.spaces, steps)
            check_controller(self.controller, steps)
            check_requests(self.requests, self.success_step, steps)
            check_truth(self.truth, steps)
        except InvalidField as error:
            raise InvalidField(f"episode {self.episode_id}: {error}") from None

    def __len__(self) -> int:
        return len(self.utterance)

    def pictures(self) -> np.ndarray:
        """Return ``image``, for what cannot do without: uint8 [T, height, width, channels].

        Raises:
          UserError: the episode has none.
        """
        if self.image is None:
            raise UserError(f"episode {self.episode_id} has no pictures: its world {self.world} declares none")
        return self.image

    def rgb(self) -> np.ndarray:
        """Return the pictures for people: uint8 [T, height, width, 3].

        Of one or two channels the first is shown in grey, of more than three the first three.

        Raises:
          UserError: the episode has none.
        """
        return as_rgb(self.pictures())

    def solver_action(self, step: int) -> Action:
        """Return the solver's action at ``step``."""
        return _action(self.movement, self.continuous, self.utterance, step)

    def setter_action(self, step: int) -> Action:
        """Return the setter's action at ``step``."""
        return _action(self.setter_movement, self.setter_continuous, self.setter_utterance, step)

    def previous_movement(self) -> np.ndarray:
        """Return the solver's movement of the step before, neutral at the first: as ``movement``."""
        return movement_before(self.movement, self.spaces.solver.action)

    def previous_continuous(self) -> np.ndarray | None:
        """Return the rest of the solver's movement of the step before, neutral at the first: as ``continuous``."""
        return continuous_before(self.continuous, self.spaces.solver.action)

    def demonstrated(self) -> np.ndarray:
        """Return the steps, bool [T], whose actions are to be imitated, see :func:`demonstrated_steps`."""
        return demonstrated_steps(self.solver, self.controller) & possible_steps(
            self.movement, self.seen, self.spaces.solver.action
        )


def _of_the_playhouse(episode: Episode) -> EpisodeSpaces:
    """Return the Playhouse's spaces for the pictures of ``episode``. Raises InvalidField if it has none."""
    image = episode.image
    if isinstance(image, np.ndarray) and image.ndim == 4 and image.size:
        return playhouse_spaces(*image.shape[1:3])
    raise InvalidField(f"episode {episode.episode_id}: {not_an_array('image', image, np.uint8, ('T', 'H', 'W', 3))}")


def as_rgb(pictures: np.ndarray) -> np.ndarray:
    """Return pictures of any number of channels in three, as :meth:`Episode.rgb` does: uint8 [..., 3]."""
    return np.repeat(pictures[..., :1], 3, axis=-1) if pictures.shape[-1] < 3 else pictures[..., :3]


def _action(movement: np.ndarray, continuous: np.ndarray | None, utterance: Sequence[str], step: int) -> Action:
    action: Action = {"movement": movement[step], "utterance": utterance[step]}
    if continuous is not None:
        action["continuous"] = continuous[step]
    return action


def without_frames(episode: Episode) -> Episode:
    """Return ``episode`` with black frames that take no memory, for when many are held at once and no frame is needed.

    Frames are nearly all of an episode: 23 MB of five minutes.
    """
    black = None if episode.image is None else np.broadcast_to(np.uint8(0), episode.image.shape)
    return replace(episode, image=black)


def is_agent(solver: str) -> bool:
    """Return True if a recorded solver is an agent, whose own actions are not imitated."""
    return solver == "agent" or solver.startswith("agent:")


def demonstrated_steps(solver: str, controller: np.ndarray) -> np.ndarray:
    """Return the steps, bool [T], whose actions are to be imitated.

    These are the actions of people, of scripted demonstrators, and of a co-pilot who has taken over from an agent; an
    agent's own actions are not imitated.

    Args:
      controller: uint8 [T], AGENT or CO_PILOT.
    """
    return np.full(len(controller), not is_agent(solver)) | (np.asarray(controller) == CO_PILOT)


def possible_steps(movement: np.ndarray, seen: Mapping[str, np.ndarray], action: ActionSpec) -> np.ndarray | np.bool_:
    """Return the steps, bool [T], whose actions the observations declared legal; True where none rules any out.

    What the world declares impossible cannot be imitated: a policy gives it no probability.

    Args:
      seen: arrays of its observations, see :class:`Episode`.
    """
    return legal_steps(movement, seen["legal"], action.counts) if action.masked else np.bool_(True)


def legal_steps(movement: np.ndarray, legal: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the steps, bool [T], at which every choice was legal.

    Args:
      movement: [T, ticks, components].
      legal: bool [T, values of all components].
    """
    places = (movement + (np.cumsum(counts) - counts)).reshape(len(movement), -1)
    return np.asarray(np.take_along_axis(legal, places, axis=1).all(axis=1))


def movement_before(movement: np.ndarray, action: ActionSpec) -> np.ndarray:
    """Return the ``movement`` [T, ticks, components] of the step before each, neutral at the first."""
    return np.concatenate([action.neutral_movement()[None], movement[:-1]])


def continuous_before(continuous: np.ndarray | None, action: ActionSpec) -> np.ndarray | None:
    """Return the ``continuous`` [T, ticks, components] of the step before each, neutral at the first."""
    return None if continuous is None else np.concatenate([action.neutral_continuous()[None], continuous[:-1]])
