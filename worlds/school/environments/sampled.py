"""Environments whose parameters are sampled from a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.school.environments.environment import SchoolEnv
from worlds.school.parameters.curriculum import Curriculum, CurriculumConfig
from worlds.school.parameters.ids import tree_of
from worlds.school.parameters.tree import Combination, Parameter, complete, narrow, sample


class SampledEnv(SchoolEnv):
    """An environment that samples the parameters of each episode from a tree.

    Args:
      tree: a parameter tree, or the id of one.
      allowed: values by parameter, to which the tree is narrowed.
      curriculum: steers the sampling: a CurriculumConfig, or its fields by name.
      render_mode: "rgb_array" for pictures, or None.
      settings: fields of :class:`worlds.school.problems.problem.Settings`, by name.

    Attributes:
      tree: the narrowed tree; a curriculum samples from a part of it.
      curriculum: the curriculum with its phase; None without one.

    Raises:
      UserError: no tree has this id, it does not have these values, or a setting is wrong.
    """

    def __init__(
        self,
        tree: Parameter | str,
        allowed: Mapping[str, Any] | None = None,
        curriculum: CurriculumConfig | Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        whole = tree_of(tree) if isinstance(tree, str) else tree
        self.tree = narrow(whole, allowed) if allowed else whole
        self.curriculum = None if curriculum is None else Curriculum(self.tree, CurriculumConfig.of(curriculum))
        super().__init__(self._sample, render_mode, **settings)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode.

        options["parameters"] may use the names of the code or of the paper, and leave out what the tree determines.
        """
        given = (options or {}).get("parameters")
        if given is not None:
            if not isinstance(given, Mapping):
                raise UserError(f"option parameters is {given!r}, not a mapping from parameters to values")
            options = {"parameters": complete(self.tree, given)}
        observation, info = super().reset(seed=seed, options=options)
        return observation, info | self._progress()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play a step; the last one of an episode counts for the curriculum."""
        observation, reward, terminated, truncated, info = super().step(action)
        if self.curriculum is not None and (terminated or truncated):
            self.curriculum.record(bool(info["success"]))
        return observation, reward, terminated, truncated, info | self._progress()

    def restore_curriculum(self, state: Mapping[str, Any]) -> None:
        """Continue a curriculum from the state of another: of a checkpoint, or of the process that counts for all."""
        if self.curriculum is None:
            raise UserError("this environment has no curriculum; give one when it is made")
        self.curriculum.restore(state)

    def _sample(self, rng: np.random.Generator) -> Combination:
        return sample(self.tree if self.curriculum is None else self.curriculum.tree, rng)

    def _progress(self) -> dict[str, Any]:
        if self.curriculum is None:
            return {}
        return {
            "curriculum_info_param": self.curriculum.phase,
            "curriculum_info_mean_perf": self.curriculum.mean_success,
            "curriculum_info_max_mean_perf": self.curriculum.best_success,
        }
