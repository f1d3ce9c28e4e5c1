"""What :class:`StepWorld` and :class:`TickWorld` have in common: places from seeds, the clock, and checks."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worlds.contract import SETTER, SOLVER, Observation, StepResult, World, WorldError
from worlds.contract.known_settings import check_positive, check_seed, check_views

PLAYERS: tuple[str, ...] = (SETTER, SOLVER)


class BaseWorld(World):
    """A world that keeps everything that changes in play in ``state``, and whose episodes last ``max_steps``."""

    state: Any

    def __init__(self, height: int | None, width: int | None, views: Sequence[str], max_steps: int) -> None:
        sizes = {"height": height, "width": width}
        check_positive(max_steps=max_steps, **{name: size for name, size in sizes.items() if size is not None})
        check_views(views)
        self.views, self.max_steps = tuple(views), max_steps
        self.agents: list[str] = []
        self._seeds = np.random.default_rng()
        self._spaces: dict[str, tuple[Any, Any]] = {}
        self._config: Mapping[str, Any] | None = None  # never changed in place
        self._step_index = 0

    # -- what a world writes ------------------------------------------------------------------------------------

    @abstractmethod
    def sample(self, seed: int) -> dict[str, Any]:
        """Return the configuration of the place of ``seed``, JSON-serialisable.

        It may be a static method; settings of places are further arguments.
        """

    @abstractmethod
    def begin(self, config: Mapping[str, Any]) -> Any:
        """Return the state in which an episode in the place ``config`` begins; ``copy.deepcopy`` has to copy it."""

    # -- what follows -------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Any:
        """Space of a player's observations."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        """Space of a player's actions."""
        return self._spaces[agent][1]

    @property
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable place in which this episode began. Raises WorldError before the first reset."""
        return copy.deepcopy(dict(self._check_begun()))

    @property
    def step_index(self) -> int:
        """Number of steps taken since the reset."""
        return self._step_index

    def close(self) -> None:
        """Release nothing: a world has no files or windows."""

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Set the state in the place of ``options["config"]``, else in the one sampled from ``seed``.

        Without a seed, the next number of the last seed's generator is taken.
        """
        if seed is not None:
            check_seed(seed)
            self._seeds = np.random.default_rng(seed)
        config = (options or {}).get("config")
        if config is None:
            config = self.sample(int(self._seeds.integers(2**31)) if seed is None else seed)
        if not isinstance(config, Mapping):
            raise WorldError(f"the configuration of a place is a mapping, not a {type(config).__name__}")
        try:
            self.state = self.begin(config)
        except WorldError:
            raise
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise WorldError(f"no configuration of a {type(self).__name__}: {reason}") from error
        self._config = self._kept(config)
        self._texts = dict.fromkeys(PLAYERS, "")
        self._step_index, self.agents = 0, list(PLAYERS)

    def _kept(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what is kept of ``config`` for the property of that name."""
        return copy.deepcopy(dict(config))

    def _observe(self) -> dict[str, Observation]:
        raise NotImplementedError

    def _next_step(self) -> StepResult:
        """Advance the clock by a step, and return what ``step`` returns; nobody is rewarded."""
        self._step_index += 1
        over = self._step_index >= self.max_steps
        self.agents = [] if over else self.agents
        return (
            self._observe(),
            dict.fromkeys(PLAYERS, 0.0),
            dict.fromkeys(PLAYERS, False),
            dict.fromkeys(PLAYERS, over),
            {player: {} for player in PLAYERS},
        )

    def _check_running(self) -> None:
        if not self.agents:
            raise WorldError("the episode is over or has not begun; call reset()")

    def _check_begun(self) -> Mapping[str, Any]:
        if self._config is None:
            raise WorldError("the world has no place yet; call reset()")
        return self._config
