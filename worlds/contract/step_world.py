"""The base of worlds with spaces of their own: a state, a step that changes it, and observations of it."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from worlds.contract import SETTER, SOLVER, Action, Observation, StepResult, World, WorldError
from worlds.contract.known_settings import check_positive, check_seed, check_views
from worlds.spaces.action import ActionSpec, FreeText, InvalidAction
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import ObservationSpec, PlayerSpec

PLAYERS: tuple[str, ...] = (SETTER, SOLVER)
SPEAKS = PlayerSpec(ObservationSpec(), ActionSpec((), speech=FreeText()))


class StepWorld(World):
    """A world that is played a step at a time, in spaces that it declares.

    A subclass writes ``solver_spec``, :meth:`sample`, :meth:`begin`, :meth:`play` and :meth:`see`. What changes in play
    is kept in ``state``, which is all that a snapshot copies, and chance in play comes from a generator in it. Texts,
    own last actions, the clock, checks of actions, exact replay and snapshots follow.

    Args:
      height: of the players' images in pixels, for worlds that draw some; None leaves it to the world.
      width: of the players' images in pixels, likewise.
      views: players whose view is needed; the others' may be black.
      max_steps: length of an episode.

    Attributes:
      solver_spec: what the solver observes and can do.
      setter_spec: what the setter observes and can do; by default it only speaks.
      state: what :meth:`begin` has returned, as play has changed it.

    Raises:
      WorldError: a size is not a whole number above zero, or a player does not exist.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "step world", "render_modes": []}
    solver_spec: PlayerSpec
    setter_spec: PlayerSpec = SPEAKS
    state: Any

    def __init__(
        self, height: int | None = None, width: int | None = None, views: Sequence[str] = (), max_steps: int = 200
    ) -> None:
        sizes = {"height": height, "width": width}
        check_positive(max_steps=max_steps, **{name: size for name, size in sizes.items() if size is not None})
        check_views(views)
        self.height, self.width, self.views, self.max_steps = height, width, tuple(views), max_steps
        self.agents: list[str] = []
        self._seeds = np.random.default_rng()
        self._spaces: dict[str, tuple[Any, Any]] = {}
        self._config: dict[str, Any] | None = None  # never changed in place
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

    @abstractmethod
    def play(self, actions: Mapping[str, Any]) -> None:
        """Change ``state`` by one step, in which both players do what ``actions`` say, which have been checked."""

    @abstractmethod
    def see(self, player: str) -> dict[str, Any]:
        """Return the declared parts of what ``player`` observes now, in arrays that later steps leave as they are."""

    # -- play ---------------------------------------------------------------------------------------------------

    def spec(self, agent: str) -> PlayerSpec:
        """Return the spaces of a player."""
        return self.setter_spec if agent == SETTER else self.solver_spec

    def observation_space(self, agent: str) -> Any:
        """Space of a player's observations."""
        return self._spaces_of(agent)[0]

    def action_space(self, agent: str) -> Any:
        """Space of a player's actions."""
        return self._spaces_of(agent)[1]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        """Begin an episode in the place of ``options["config"]``, else in the one sampled from ``seed``.

        Raises:
          WorldError: the configuration is not one of this world.
        """
        config, self.state = begun(self, seed, options)
        self._config = copy.deepcopy(dict(config))
        self._texts = dict.fromkeys(PLAYERS, "")
        self._own = {player: self.spec(player).action.silent() for player in PLAYERS}
        self._step_index, self.agents = 0, list(PLAYERS)
        return self._observe(), {player: {} for player in PLAYERS}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step. A player without an action does nothing and is silent.

        Raises:
          WorldError: the episode is over, or an action is not one.
        """
        if not self.agents:
            raise WorldError("the episode is over or has not begun; call reset()")
        self._own = {player: self._checked(player, actions.get(player)) for player in PLAYERS}
        for player, action in self._own.items():
            self._texts[player] = self.spec(player).action.spoken(action["utterance"]) or self._texts[player]
        self.play(self._own)
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

    def close(self) -> None:
        """Release nothing: a world has no files or windows."""

    # -- time travel --------------------------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable place in which this episode began. Raises WorldError before the first reset."""
        if self._config is None:
            raise WorldError("the world has no place yet; call reset()")
        return copy.deepcopy(self._config)

    @property
    def step_index(self) -> int:
        """Number of steps taken since the reset."""
        return self._step_index

    def snapshot(self) -> Any:
        """Return a copy of everything that influences the future."""
        rest = self.state, self._texts, self._own, self._seen, self._step_index, self.agents
        return self._config, copy.deepcopy(rest)

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to a snapshot of this or of another world of the same class."""
        self._config, rest = snapshot
        self.state, self._texts, self._own, self._seen, self._step_index, self.agents = copy.deepcopy(rest)
        return self._observe()

    # -- inside -------------------------------------------------------------------------------------------------

    def _spaces_of(self, player: str) -> tuple[Any, Any]:
        if player not in self._spaces:
            spec, speech = self.spec(player), [self.spec(each).action.speech for each in PLAYERS]
            heard = max(filter(None, speech), key=lambda one: one.most_chars, default=None)
            self._spaces[player] = gym_observation_space(spec, heard), gym_action_space(spec.action)
        return self._spaces[player]

    def _checked(self, player: str, action: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return a player's action in arrays of the world's own."""
        spec = self.spec(player).action
        if action is None:
            return spec.silent()
        try:
            spec.check(action, self._entities(player))
        except InvalidAction as error:
            raise WorldError(f"action of the {player}: {error}") from None
        own = spec.silent()
        own["movement"][:] = action["movement"]
        if "continuous" in own:
            own["continuous"][:] = action["continuous"]
        return own | {"utterance": action.get("utterance", "")}

    def _entities(self, player: str) -> int | None:
        """Return the number of entities that a player observes; None where it observes none."""
        seen = self._seen[player]
        return len(seen["entity_values"]) if "entity_values" in seen else None

    def _observe(self) -> dict[str, Any]:
        blank = ObservationSpec()
        self._seen = {p: {} if self.spec(p).observation == blank else self.see(p) for p in PLAYERS}
        found: dict[str, Any] = {}
        for player in PLAYERS:
            own, texts = self._own[player], {f"{each}_text": self._texts[each] for each in PLAYERS}
            last = {f"previous_{name}": own[name].copy() for name in ("movement", "continuous") if name in own}
            seen = {name: copy.copy(value) for name, value in self._seen[player].items()}  # it may be the state's own
            found[player] = seen | texts | last
        return found


def begun(world: Any, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], Any]:
    """Return the configuration of the place in which an episode begins, and the state there.

    Args:
      world: with the methods ``sample`` and ``begin``, and the generator ``_seeds``.
      seed: restarts ``world._seeds``, and is the seed of the place; without it, that is the generator's next number.
      options: with ``config``, the configuration of the place, instead of one that is sampled.

    Raises:
      WorldError: it is no configuration of the world, or no seed.
    """
    if seed is not None:
        check_seed(seed)
        world._seeds = np.random.default_rng(seed)
    config = (options or {}).get("config")
    if config is None:
        config = world.sample(int(world._seeds.integers(2**31)) if seed is None else seed)
    if not isinstance(config, Mapping):
        raise WorldError(f"the configuration of a place is a mapping, not a {type(config).__name__}")
    try:
        return config, world.begin(config)
    except WorldError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise WorldError(f"no configuration of a {type(world).__name__}: {reason}") from error
