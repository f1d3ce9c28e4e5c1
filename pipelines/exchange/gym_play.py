"""Episodes as Gymnasium's interface has them: trees of observations and of actions, rewards, ends and further columns.

Formats of reinforcement learning have one observation more than actions. A recording has none after its last step:
there the last pictures and numbers are repeated, while the words and the own action are those that followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces

from rlhf.records.episode import CO_PILOT, Episode
from rlhf.records.marks import Mark
from rlhf.records.spaces import EpisodeSpaces
from worlds.errors import UserError
from worlds.spaces.action import ActionSpec
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import PlayerSpec
from worlds.spaces.steps import ENTITIES, ENTITY_COUNTS, padded, step_arrays, unpadded

REWARDS, TERMINATED = "rewards", "terminated"  # in the notes of an imported episode
Columns = dict[str, Any]


@dataclass(frozen=True)
class GymPlay:
    """One episode of T steps.

    Args:
      observations: by key, [T + 1, ...].
      actions: by key, [T, ...].
      rewards: float64 [T].
      terminated: the world ended the episode; otherwise it was truncated.
      infos: by key, [T + 1, ...]: what was done at a step besides the solver's action; the last row is neutral.
    """

    observations: Columns
    actions: Columns
    rewards: np.ndarray
    terminated: bool
    infos: Columns

    @classmethod
    def of(cls, episode: Episode, marks: Iterable[Mark] = ()) -> GymPlay:
        """Return ``episode`` in this form; ``marks`` of it are summed step by step.

        Raises UserError if the name of a text would be a path.
        """
        declared = episode.spaces
        path = next((name for name in episode.texts if "/" in name), None)
        if path is not None:
            raise UserError(f"episode {episode.episode_id} has a text {path!r}, whose name would be a path; rename it")
        solver = _without_none(_action("", episode), declared.solver.action)
        setter = {f"setter_{name}": one for name, one in _action("setter_", episode).items()}
        infos = _without_none(setter, declared.setter, "setter_")
        infos |= {"controller": episode.controller, "mark": net_marks(marks, len(episode)).astype(np.int16)}
        return cls(
            _observations(episode),
            solver,
            rewards_of(episode),
            episode.notes.get(TERMINATED) is True,
            {name: _with_neutral(one) for name, one in infos.items()},
        )


def net_marks(marks: Iterable[Mark], steps: int) -> np.ndarray:
    """Return the sum of the signs of all raters' marks at every step: int64 [steps]."""
    net = np.zeros(steps, np.int64)
    for mark in marks:
        net[mark.step] += mark.sign
    return net


def rewards_of(episode: Episode) -> np.ndarray:
    """Return the rewards of an episode: those in its notes, or 1 at each step at which a request succeeded: [T]."""
    noted, steps = episode.notes.get(REWARDS), len(episode)
    if isinstance(noted, Sequence) and len(noted) == steps and all(isinstance(one, int | float) for one in noted):
        return np.array(noted, np.float64)
    rewards = np.zeros(steps)
    for step in episode.success_step:
        if step is not None:
            rewards[step] += 1
    return rewards


@dataclass
class Texts:
    """Characters and length of all texts, of which a space of text is made."""

    characters: set[str] = field(default_factory=lambda: set(" "))
    longest: int = 1

    def add(self, *columns: Mapping[str, Any]) -> None:
        """Note the texts among ``columns``."""
        for column in (column for one in columns for column in one.values() if isinstance(column, list)):
            for text in set(column):
                self.characters.update(text)
                self.longest = max(self.longest, len(text))

    def space(self) -> spaces.Text:
        return spaces.Text(self.longest, min_length=0, charset="".join(sorted(self.characters)))


def observation_space(player: PlayerSpec, texts: Texts) -> spaces.Dict:
    """Return the space of :attr:`GymPlay.observations`."""
    parts = dict(gym_observation_space(player).spaces)
    entities = player.observation.entities
    if entities is not None:
        parts[ENTITY_COUNTS] = spaces.Discrete(entities.most + 1)
        for name in ENTITIES:
            row: Any = parts[name].feature_space  # type: ignore[attr-defined]
            low, high = (np.broadcast_to(side, (entities.most, *row.shape)) for side in (row.low, row.high))
            parts[name] = spaces.Box(low, high, dtype=row.dtype)
    return _dict(parts, texts)


def action_space(action: ActionSpec, texts: Texts) -> spaces.Dict:
    """Return the space of :attr:`GymPlay.actions`."""
    parts = dict(gym_action_space(action).spaces)
    if action.speech is None:
        del parts["utterance"]
    return _dict(parts, texts)


def info_space(setter: ActionSpec) -> spaces.Dict:
    """Return the space of :attr:`GymPlay.infos`, as far as :func:`episode_columns` needs them."""
    done = action_space(setter, Texts()).spaces
    return spaces.Dict(
        {f"setter_{name}": part for name, part in done.items()} | {"controller": spaces.Box(0, CO_PILOT, (), np.uint8)}
    )


def episode_columns(observations: Columns, actions: Columns, infos: Columns, declared: EpisodeSpaces) -> Columns:
    """Return the fields of an episode that have a row for every step, and ``spaces``; the inverse of :class:`GymPlay`.

    Args:
      observations: [T or T + 1, ...].
      actions: [T or T + 1, ...].
      infos: [T or T + 1, ...].

    Raises KeyError naming the column that is missing.
    """
    steps, seen = len(infos["controller"]) - 1, Columns()
    for name, (dtype, shape) in step_arrays(declared.solver).items():
        if name not in ENTITIES:
            seen[name] = _rows(observations, name, steps)
        elif 0 in shape:
            seen[name] = np.zeros((int(seen[ENTITY_COUNTS].sum()), 0), dtype)
        else:
            seen[name] = unpadded(_rows(observations, name, steps), seen[ENTITY_COUNTS])
    known = declared.solver.observation.texts
    return {
        "image": seen.pop("image", None),
        "setter_text": tuple(_rows(observations, "setter_text", steps)),
        "solver_text": tuple(_rows(observations, "solver_text", steps)),
        **_done("", actions, declared.solver.action, steps),
        **_done("setter_", infos, declared.setter, steps),
        "controller": _rows(infos, "controller", steps),
        "spaces": declared,
        "seen": seen,
        "texts": {name: tuple(_rows(observations, name, steps)) for name in known},
    }


def _observations(episode: Episode) -> Columns:
    solver, seen = episode.spaces.solver, dict(episode.seen)
    found: Columns = {} if episode.image is None else {"image": episode.image}
    if solver.observation.entities is not None:
        most = solver.observation.entities.most
        seen |= {name: padded(seen[name], seen[ENTITY_COUNTS], most) for name in ENTITIES}
    found |= seen | {name: list(texts) for name, texts in episode.texts.items()}
    found = {name: _with_last(one) for name, one in found.items() if len(one) and np.asarray(one[0]).size}
    for player, said in (("setter", episode.setter_utterance), ("solver", episode.utterance)):
        heard = list(getattr(episode, f"{player}_text"))
        found[f"{player}_text"] = [*heard, said[-1] or heard[-1]]
    for name, rest in (
        ("movement", solver.action.neutral_movement()),
        ("continuous", solver.action.neutral_continuous()),
    ):
        done = getattr(episode, name)
        if done is not None and done.size:
            found[f"previous_{name}"] = np.concatenate([rest[None], done])
    return found


def _action(player: str, episode: Episode) -> Columns:
    names = ("movement", "continuous", "utterance")
    return {name: getattr(episode, f"{player}{name}") for name in names}


def _without_none(found: Columns, action: ActionSpec, player: str = "") -> Columns:
    """Return the columns that the action has; texts as lists."""
    kept = {f"{player}movement": bool(action.discrete), f"{player}continuous": bool(action.continuous)}
    kept[f"{player}utterance"] = action.speech is not None
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found.items() if kept[name]}


def _done(player: str, columns: Columns, action: ActionSpec, steps: int) -> Columns:
    """Return the fields of one player's actions; those that the action does not have are empty."""
    movement: Any = np.zeros((steps, action.ticks, 0), action.dtype)
    if action.discrete:
        movement = _rows(columns, f"{player}movement", steps)
    said = _rows(columns, f"{player}utterance", steps) if action.speech is not None else [""] * steps
    continuous = _rows(columns, f"{player}continuous", steps) if action.continuous else None
    return {f"{player}movement": movement, f"{player}utterance": tuple(said), f"{player}continuous": continuous}


def _rows(columns: Columns, name: str, steps: int) -> Any:
    return columns[name][:steps]


def _with_last(rows: Any) -> Any:
    """Return ``rows`` with the last one twice."""
    return [*rows, rows[-1]] if isinstance(rows, list) else np.concatenate([rows, rows[-1:]])


def _with_neutral(rows: Any) -> Any:
    """Return ``rows`` with one more of zeros, or without words."""
    return [*rows, ""] if isinstance(rows, list) else np.concatenate([rows, np.zeros_like(rows[:1])])


def _dict(parts: Mapping[str, spaces.Space], texts: Texts) -> spaces.Dict:
    """Return a space of the parts that have some numbers; those of text have the characters that occur."""
    text = texts.space()
    return spaces.Dict(
        {
            name: text if isinstance(part, spaces.Text) else part
            for name, part in parts.items()
            if isinstance(part, spaces.Text) or 0 not in (part.shape or ())
        }
    )
