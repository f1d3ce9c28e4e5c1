"""RLDS datasets that other programs wrote, as episodes of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from gymnasium import spaces

from pipelines.exchange.bad_episodes import BadEpisodes
from pipelines.exchange.formats import Imported
from pipelines.exchange.gym_import import ASKED, ForeignPlay, ForeignSource, asked_texts, with_bounds
from pipelines.exchange.rlds.features import STEPS, Feature, is_within
from pipelines.exchange.rlds.folder import RldsFolder
from pipelines.exchange.settings import RldsImport
from rlhf.records.episode import Episode
from rlhf.store import ParquetStore
from worlds.errors import UserError

_OBSERVATION, _ACTION = f"{STEPS}/observation", f"{STEPS}/action"
_REWARD, _TERMINAL = f"{STEPS}/reward", f"{STEPS}/is_terminal"
_NUMBERED = tuple(f"language_instruction_{number}" for number in range(2, 10))
_ASKED = ("language_instruction", *_NUMBERED, "natural_language_instruction", "instruction", "task")
_OF_EPISODES = ("episode_metadata/", "")  # where texts lie that an episode has once


def import_foreign(folder: RldsFolder, store: ParquetStore, settings: RldsImport, bad: BadEpisodes) -> Imported:
    """Write the episodes of a dataset into an empty store.

    Raises UserError naming what is missing, damaged, or has no form here.
    """
    steps = Steps(folder, settings.last_step == "observation", settings.leave_out, settings.instruction_column)
    name, observed = f"the RLDS dataset {folder.name}", steps.space(_OBSERVATION)
    read = (bad.read(where, play) for _, _, where, play in steps.read((_ACTION,)))
    action_space = with_bounds(steps.space(_ACTION), (play.actions for play in read if play is not None))
    bad.check_some(name)
    source = ForeignSource(
        name,
        observed,
        action_space,
        world=settings.world or f"rlds:{folder.name}",
        solver=settings.solver,
        instruction=settings.instruction,
        asked=(*steps.asked, *(() if settings.instruction_column else asked_texts(name, observed, ASKED, None))),
        env_id=folder.name,
        options="--rlds",
    )

    def episode(number: int, split: str, play: Callable[[], ForeignPlay]) -> Episode:
        return source.episode(play(), f"{folder.name}-{number:06d}", "train" if split == "train" else "held_out")

    reads = ((where, partial(episode, number, split, play)) for number, split, where, play in steps.read(steps.wanted))
    total = bad.write_all(store, reads, folder.episodes)
    unread = [f"left out: {', '.join(steps.unread)}, whose types are not read"] if steps.unread else []
    return Imported(len(store), total, notes=(*source.notes(), *unread))


@dataclass(frozen=True)
class Steps:
    """The steps of the episodes of a dataset.

    Args:
      last_observed: the last step of an episode has an observation only.
      instruction_column: the only text that may say what is asked for; None takes all known ones.

    Raises UserError if they have no observations or no actions, or none of a name that is left out, or no such text.
    """

    folder: RldsFolder
    last_observed: bool
    leave_out: Sequence[str] = ()
    instruction_column: str | None = None

    def __post_init__(self) -> None:
        known = self._names.values()
        unknown = next((name for name in self.leave_out if name not in known), None)
        if unknown is not None:
            raise UserError(f"{self.folder.folder} has no part {unknown!r} to leave out; it has {', '.join(known)}")
        for part in (_OBSERVATION, _ACTION):
            if not self._features(part):
                raise UserError(f"{self.folder.folder} has no {part} that is read; it is no dataset of episodes")

    @property
    def unread(self) -> list[str]:
        """Columns that belong to an episode but have types that are not read."""
        parts = (_OBSERVATION, _ACTION, _REWARD, _TERMINAL)
        return [
            path
            for path, feature in self.folder.features.items()
            if feature.kind == "unknown" and any(is_within(path, part) for part in parts) and path not in self._left_out
        ]

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The columns that say what is asked for, in order of preference."""
        named = self.instruction_column
        if named is None:
            return self._instructions
        found = [path for path in self._texts if path == named or path.endswith(f"/{named}")]
        if not found:
            have = ", ".join(self._texts) or "none"
            raise UserError(f"{self.folder.folder} has no text {named!r}; it has {have}")
        return (min(found, key=len),)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """Columns of texts that are not left out."""
        texts = (path for path, feature in self.folder.features.items() if feature.kind == "text")
        return tuple(path for path in texts if path not in self._left_out)

    @cached_property
    def _instructions(self) -> tuple[str, ...]:
        """Columns of texts with the names of instructions, which are not observed."""
        paths = (f"{place}{name}" for place in (f"{STEPS}/", f"{_OBSERVATION}/", *_OF_EPISODES) for name in _ASKED)
        return tuple(path for path in paths if path in self._texts)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that an episode is made of."""
        known = (_REWARD, _TERMINAL, *self.asked)
        return (_OBSERVATION, _ACTION, *(path for path in known if path in self.folder.features))

    def space(self, part: str) -> spaces.Space:
        """Return the space of observations or of actions."""
        tree: dict[str, Any] = {}
        for path, feature in self._features(part).items():
            _put(tree, self._keys(part, path), _space(feature))
        if part == _OBSERVATION:
            tree |= {path: _space(Feature("text")) for path in self.asked}
        return _dict_space(tree)

    def read(self, wanted: tuple[str, ...]) -> Iterator[tuple[int, str, str, Callable[[], ForeignPlay]]]:
        """Yield the number, split and place of every episode, and what reads its columns ``wanted``."""
        unwanted, first = {*self.unread, *self._left_out}, 0
        for split, files in self.folder.shards.items():
            for number, where, columns in self.folder.examples(split, wanted, unwanted):
                yield first + number, split, where, partial(self._play, where, columns)
            first += sum(count for _, count in files)

    def _play(self, where: str, read: Callable[[], Mapping[str, Any]]) -> ForeignPlay:
        columns = read()
        rows = len(next(column for path, column in columns.items() if is_within(path, STEPS)))
        steps = rows - 1 if self.last_observed else rows
        if not steps:
            raise UserError(f"{where} has no step with an action; --rlds.last-step action takes the last one as such")
        rewards = columns.get(_REWARD, np.zeros(rows))
        if isinstance(rewards, list) or rewards.ndim != 1:
            raise UserError(f"{where} has rewards that are not one number a step")
        terminal = columns.get(_TERMINAL, np.zeros(rows, np.bool_))
        ended = not isinstance(terminal, list) and bool(terminal[-1:].any())
        seen, done = self._tree(_OBSERVATION, columns), self._tree(_ACTION, columns, steps)
        for path in self.asked:
            if path in columns:
                seen[path] = columns[path] if is_within(path, STEPS) else [*columns[path], ""][:1] * rows
        return ForeignPlay(where, seen, done, rewards[:steps].astype(np.float64), ended, not ended)

    def _tree(self, part: str, columns: Mapping[str, Any], rows: int | None = None) -> dict[str, Any]:
        """Return the columns of ``part`` as a tree: their first ``rows``, or all."""
        tree: dict[str, Any] = {}
        for path in self._features(part):
            if path in columns:
                _put(tree, self._keys(part, path), columns[path][:rows])
        return tree

    def _features(self, part: str) -> dict[str, Feature]:
        other = {*self.asked, *self._instructions, *self._left_out}
        return {
            path: feature
            for path, feature in self.folder.features.items()
            if feature.kind != "unknown" and is_within(path, part) and path not in other
        }

    @cached_property
    def _names(self) -> dict[str, str]:
        """Names of observations and actions, by their columns."""
        return {
            path: ".".join(self._keys(part, path))
            for part in (_OBSERVATION, _ACTION)
            for path in self.folder.features
            if is_within(path, part)
        }

    @cached_property
    def _left_out(self) -> frozenset[str]:
        """Columns whose names are left out."""
        return frozenset(path for path, name in self._names.items() if name in self.leave_out)

    def _keys(self, part: str, path: str) -> list[str]:
        """Return the keys of a column in the tree of ``part``, which may be a column itself."""
        return (path.removeprefix(part).removeprefix("/") or part.removeprefix(f"{STEPS}/")).split("/")


def _put(tree: dict[str, Any], keys: list[str], value: Any) -> None:
    for key in keys[:-1]:
        tree = tree.setdefault(key, {})
    tree[keys[-1]] = value


def _dict_space(tree: Mapping[str, Any]) -> spaces.Dict:
    return spaces.Dict({key: _dict_space(one) if isinstance(one, Mapping) else one for key, one in tree.items()})


def _space(feature: Feature) -> spaces.Space:
    if feature.kind == "text":
        return spaces.Text(1)
    if feature.kind == "label" and feature.classes:
        return spaces.Discrete(feature.classes)
    dtype = np.dtype(feature.dtype)
    if feature.kind == "image" or dtype == np.uint8:
        return spaces.Box(0, 255, feature.shape, np.uint8)
    if dtype.kind == "f":
        return spaces.Box(-np.inf, np.inf, feature.shape, np.float32)
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return spaces.Box(low, high, feature.shape, np.int64)
