"""Episodes that other programs recorded in Gymnasium's terms, turned into episodes of a dataset.

Their spaces are translated as those of a Gymnasium environment that is played as a world (``gym:ID``): an agent that is
cloned from them has the spaces of that world. A text ``mission`` among the observations is what the setter asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from pipelines.exchange.gym_play import REWARDS, TERMINATED
from rlhf.records.columns import episode_columns
from rlhf.records.episode import AGENT, Episode
from rlhf.records.spaces import EpisodeSpaces
from worlds.errors import UserError
from worlds.foreign.instructions import MISSIONS, mission_keys
from worlds.foreign.minigrid import ACTIONS, COLOURS, OBJECTS, STATES
from worlds.foreign.world import LARGEST_SEED, SPEECH
from worlds.spaces.action import MOST_BINS, ActionSpec
from worlds.spaces.gym_observation import translate_observation
from worlds.spaces.gym_spaces import Path, at, leaves, path_name, translate_action
from worlds.spaces.observation import PlayerSpec

SETTER = "instruction"
_SYMBOLS = (OBJECTS, COLOURS, STATES)
ASKED = ("setter_text", *MISSIONS)  # texts among observations that say what is asked for
_OWN = ("setter_text", "solver_text", "previous_movement", "previous_continuous")  # as this project exports them
_SPOKEN = "utterance"  # the text among actions that the solver says


@dataclass(frozen=True)
class ForeignPlay:
    """One episode of T steps of another program.

    Args:
      observations: tree of arrays [T or more, ...] and lists of text.
      actions: tree of arrays [T, ...].
      rewards: float64 [T].
      success: None if it is not known.
    """

    name: str
    observations: Any
    actions: Any
    rewards: np.ndarray
    terminated: bool
    truncated: bool
    seed: int | None = None
    success: bool | None = None


@dataclass(frozen=True)
class ForeignSource:
    """What all episodes of a source share.

    Args:
      instruction: what is asked for; None takes the texts ``asked``.
      asked: names of texts among the observations that say what is asked for; the first one that says anything in an
        episode is taken.
      leave_out: names of parts of observations and actions that are left out, e.g. "arm.camera".
      env_id: of the environment; "" if it is not known.
      options: beginning of the names of the format's options, e.g. "--minari".

    Raises UserError if a part that is left out is not there.
    """

    name: str
    observation_space: spaces.Space
    action_space: spaces.Space
    world: str
    solver: str
    instruction: str | None
    asked: Sequence[str] = ()
    leave_out: Sequence[str] = ()
    env_id: str = ""
    options: str = ""
    taken: Counter[str] = field(default_factory=Counter)  # episodes by the text that they took

    def __post_init__(self) -> None:
        known = [
            path_name(path, "") for space in (self.observation_space, self.action_space) for path, _ in leaves(space)
        ]
        unknown = next((name for name in self.leave_out if name not in known), None)
        if unknown is not None:
            raise UserError(f"{self.name} has no part {unknown!r} to leave out; it has {', '.join(known)}")
        for name in ("observation_space", "action_space"):
            object.__setattr__(self, name, _without(getattr(self, name), self.leave_out, ()))
        try:
            _ = self.spaces
        except (UserError, ValueError, OverflowError) as error:
            problem = " ".join(str(error).split())
            raise UserError(f"{self.name}: {problem} ({self.options}.leave-out leaves a part out)") from error

    @cached_property
    def spaces(self) -> EpisodeSpaces:
        """The spaces of the episodes."""
        seen, action = self._translations
        solver = ActionSpec(action.components, speech=SPEECH, masked=seen.masked)
        return EpisodeSpaces(PlayerSpec(seen.spec, solver), ActionSpec((), speech=SPEECH))

    @cached_property
    def _translations(self) -> Any:
        symbolic = self._is_minigrid
        names = ACTIONS if symbolic and getattr(self.action_space, "n", 0) == len(ACTIONS) else ()
        neutral = {"action": float(ACTIONS.index("done"))} if names else None
        grids = {"image": _SYMBOLS} if symbolic else None
        known = {path_name(path, "") for path, _ in leaves(self.observation_space)}
        without = {*self.asked, *mission_keys(self.observation_space), *known.intersection(_OWN)}
        action = translate_action(_silent(self.action_space), names, neutral)
        return translate_observation(self.observation_space, grids, tuple(without), action.counts), action

    @property
    def _is_minigrid(self) -> bool:
        """True where the observations are MiniGrid's symbols; pictures of it are larger."""
        image = _part(self.observation_space, "image")
        shape = getattr(image, "shape", None) or (0, 0, 0)
        return self.env_id.startswith(("MiniGrid-", "BabyAI-")) and shape[2:] == (3,) and max(shape) < 32

    def episode(self, play: ForeignPlay, episode_id: str, split: str = "train") -> Episode:
        """Return ``play`` as an episode. Raises UserError if something in it is outside its space."""
        steps = len(play.rewards)
        if not np.isfinite(play.rewards).all():
            raise UserError(f"{play.name} has rewards that are not finite")
        for what, space, tree in (
            ("observations", self.observation_space, play.observations),
            ("actions", self.action_space, play.actions),
        ):
            for path, leaf in leaves(space):
                _check(f"{play.name}, {path_name((what, *path), what)}", leaf, at(tree, path), steps)
        try:
            return self._episode(play, episode_id, split)
        except (ValueError, OverflowError) as error:
            raise UserError(f"{play.name}: {' '.join(str(error).split())}") from error

    def _episode(self, play: ForeignPlay, episode_id: str, split: str) -> Episode:
        steps = len(play.rewards)
        seen, action = self._translations
        heard, rest = self._asked(play.observations, steps), np.zeros((1, 0), np.int8)
        asked, rows = _utterances(heard), []
        spoken = text_at(self.action_space, play.actions, _SPOKEN) or [""] * steps
        own = text_at(self.observation_space, play.observations, "solver_text") or [""] * steps
        for step in range(steps):
            observed = seen.read(_row(self.observation_space, play.observations, step))
            movement, values = action.read(_row(self.action_space, play.actions, step))
            rows.append(
                (
                    observed | {"setter_text": heard[step], "solver_text": own[step]},
                    {"movement": movement[None], "continuous": values[None], "utterance": spoken[step]},
                    {"movement": rest, "utterance": asked[step]},
                )
            )
        return Episode(
            episode_id=episode_id,
            world=self.world,
            config={"seed": play.seed} if play.seed is not None and 0 <= play.seed <= LARGEST_SEED else {},
            setter=SETTER,
            solver=self.solver,
            split=split,
            notes=self._notes(play),
            **episode_columns(rows, [AGENT] * steps, self.spaces),
        )

    def _asked(self, observations: Any, steps: int) -> list[str]:
        if self.instruction is not None:
            return [self.instruction] * steps
        for name in self.asked:
            found = text_at(self.observation_space, observations, name)
            if found is not None and any(text.strip() for text in found[:steps]):
                self.taken[name] += 1
                return found[:steps]
        words = f"play {self.env_id or self.world}"
        self.taken[words] += 1
        return [words] * steps

    def notes(self) -> list[str]:
        """Return a line about where the requests come from, if there was a choice."""
        if not self.asked or not self.taken or (len(self.asked) == 1 and self.taken.keys() == {*self.asked}):
            return []
        found = [f"{name!r} in {count} episode{'s' * (count > 1)}" for name, count in self.taken.items()]
        others = [name for name in self.asked if name not in self.taken]
        but = f", not {', '.join(others)}" if others else ""
        return [f"requests are {', '.join(found)}{but}; {self.options}.instruction-column takes another text"]

    def _notes(self, play: ForeignPlay) -> dict[str, Any]:
        ends = {TERMINATED: play.terminated, "truncated": play.truncated}
        known = {} if play.success is None else {"success": play.success}
        rewards = {REWARDS: play.rewards.tolist(), "return": float(play.rewards.sum())}
        return {"imported_from": play.name} | rewards | ends | known


def asked_texts(name: str, space: spaces.Space, known: Sequence[str], named: str | None) -> tuple[str, ...]:
    """Return the names of the texts of a space that say what is asked for, in order of preference.

    Args:
      named: the only one to take; None takes all known ones.

    Raises UserError if there is no such text.
    """
    there = [path_name(path, "observation") for path, leaf in leaves(space) if isinstance(leaf, spaces.Text)]
    if named is None:
        return tuple(each for each in known if each in there)
    if named not in there:
        raise UserError(f"{name} has no text {named!r} among its observations; it has {', '.join(there) or 'none'}")
    return (named,)


def text_at(space: spaces.Space, tree: Any, name: str) -> list[str] | None:
    """Return the texts of a leaf of a tree of columns; None where there is no text of this name."""
    found = (path for path, leaf in leaves(space) if isinstance(leaf, spaces.Text) and path_name(path, "") == name)
    path = next(found, None)
    return None if path is None else at(tree, path)


def _part(space: spaces.Space, key: str) -> spaces.Space | None:
    """Return the part ``key`` of a Dict space; None where there is none."""
    return space.spaces.get(key) if isinstance(space, spaces.Dict) else None


def _silent(space: spaces.Space) -> spaces.Space:
    """Return a space of actions without its texts."""
    if not isinstance(space, spaces.Dict) or not isinstance(_part(space, _SPOKEN), spaces.Text):
        return space
    return spaces.Dict({key: part for key, part in space.spaces.items() if key != _SPOKEN})


def _utterances(heard: Sequence[str]) -> list[str]:
    """Return the setter's utterance at each step: one step before it is heard, or at step 0 if it is heard there."""
    said = [after if after != before else "" for before, after in zip(heard, heard[1:], strict=False)] + [""]
    if not heard[0]:
        return said
    if not said[0]:
        return [heard[0], *said[1:]]
    if len(said) > 2 and not said[1]:  # two at once: the second is said a step late
        return [heard[0], said[0], *said[2:]]
    return [f"{heard[0]} {said[0]}", *said[1:]]


def with_bounds(space: spaces.Space, actions: Iterable[Any]) -> spaces.Space:
    """Return a space of actions with finite bounds, between which all ``actions`` lie.

    Bounds that are not finite, and those that actions exceed, become the lowest and the highest value of all actions.
    Whole numbers in a Box become Discrete or MultiDiscrete; if its bounds are far apart, those of all actions.
    """
    boxes = {path: leaf for path, leaf in leaves(space) if isinstance(leaf, spaces.Box)}
    lowest: dict[Path, Any] = {}
    highest: dict[Path, Any] = {}
    for tree in actions if boxes else ():
        for path, leaf in boxes.items():
            values = at(tree, path)
            if isinstance(values, np.ndarray) and values.shape[1:] == leaf.shape and np.isfinite(values).all():
                lowest[path] = np.minimum(lowest.get(path, values[0]), values.min(axis=0))
                highest[path] = np.maximum(highest.get(path, values[0]), values.max(axis=0))
    return _replaced(space, {path: _bounded(boxes[path], lowest[path], highest[path]) for path in lowest}, ())


def _bounded(leaf: spaces.Box, lowest: np.ndarray, highest: np.ndarray) -> spaces.Space:
    if not _is_real(leaf):
        wide = leaf.high.astype(np.float64) - leaf.low >= MOST_BINS
        low = np.where(wide, lowest, np.minimum(leaf.low, lowest)).astype(np.int64)
        counts = np.maximum(np.where(wide, highest, np.maximum(leaf.high, highest)) - low + 1, 2).astype(np.int64)
        return spaces.MultiDiscrete(counts, start=low) if leaf.shape else spaces.Discrete(int(counts), start=int(low))
    low = np.where(np.isfinite(leaf.low), np.minimum(leaf.low, lowest), lowest).astype(np.float32)
    high = np.where(np.isfinite(leaf.high), np.maximum(leaf.high, highest), highest).astype(np.float32)
    same = low >= high
    return spaces.Box(np.where(same, low - 1, low), np.where(same, high + 1, high), dtype=np.float32)


def _is_real(leaf: spaces.Box) -> bool:
    return np.dtype(leaf.dtype).kind == "f"


def _replaced(space: spaces.Space, found: Mapping[Path, spaces.Space], path: Path) -> spaces.Space:
    """Return ``space`` with other leaves at the paths of ``found``."""
    if isinstance(space, spaces.Dict):
        return spaces.Dict({key: _replaced(part, found, (*path, key)) for key, part in space.spaces.items()})
    if isinstance(space, spaces.Tuple):
        return spaces.Tuple([_replaced(part, found, (*path, key)) for key, part in enumerate(space.spaces)])
    return found.get(path, space)


def _without(space: spaces.Space, names: Sequence[str], path: Path) -> spaces.Space:
    """Return ``space`` without the leaves of these names; in a Tuple an empty Dict keeps the place of one."""
    if isinstance(space, spaces.Tuple):
        empty, inner = spaces.Dict(), [((*path, key), part) for key, part in enumerate(space.spaces)]
        return spaces.Tuple(
            [empty if path_name(place, "") in names else _without(part, names, place) for place, part in inner]
        )
    if not isinstance(space, spaces.Dict):
        return space
    kept = {key: part for key, part in space.spaces.items() if path_name((*path, key), "") not in names}
    return spaces.Dict({key: _without(part, names, (*path, key)) for key, part in kept.items()})


def _row(space: spaces.Space, tree: Any, step: int) -> Any:
    """Return row ``step`` of a tree of columns."""
    if isinstance(space, spaces.Dict):
        return {key: _row(part, tree[key], step) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_row(part, tree[key], step) for key, part in enumerate(space.spaces))
    return tree[step]


def _check(where: str, leaf: spaces.Space, rows: Any, steps: int) -> None:
    """Refuse a column outside its space where the episode's own checks would not. Raises UserError."""
    if isinstance(leaf, spaces.Text):
        if not isinstance(rows, list) or len(rows) < steps or not all(isinstance(row, str) for row in rows):
            raise UserError(f"{where} is no text at every one of {steps} steps")
        return
    shape = tuple(leaf.shape or ())
    real = isinstance(leaf, spaces.Box) and _is_real(leaf)
    kinds = "biuf" if real else "biu"
    if not isinstance(rows, np.ndarray) or rows.shape[1:] != shape or len(rows) < steps or rows.dtype.kind not in kinds:
        found = f"{rows.dtype} {list(rows.shape)}" if isinstance(rows, np.ndarray) else "text"
        raise UserError(f"{where} is {found}, not numbers {[steps, *shape]}")
    low, high = _range(leaf)
    wrong = ~((rows >= low) & (rows <= high))
    if wrong.any():
        place: Sequence[int] = np.argwhere(wrong)[0].tolist()
        raise UserError(f"{where} is {rows[tuple(place)]} at step {place[0]}, outside {leaf}")


def _range(leaf: spaces.Space) -> tuple[Any, Any]:
    """Return the lowest and the highest value that a row may have; for numbers of a vector any but NaN."""
    if isinstance(leaf, spaces.Discrete):
        return int(leaf.start), int(leaf.start) + int(leaf.n) - 1
    if isinstance(leaf, spaces.MultiDiscrete):
        return leaf.start, leaf.start + leaf.nvec - 1
    if isinstance(leaf, spaces.MultiBinary):
        return 0, 1
    if isinstance(leaf, spaces.Box) and not _is_real(leaf):
        return leaf.low, leaf.high
    return -np.inf, np.inf
