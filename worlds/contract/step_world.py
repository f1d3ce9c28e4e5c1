"""The base of worlds with spaces of their own: a state, a step that changes it, and observations of it."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from worlds.contract import SETTER, Action, Observation, StepResult, WorldError
from worlds.contract.base_world import PLAYERS, BaseWorld
from worlds.spaces.action import ActionSpec, FreeText, InvalidAction
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import ObservationSpec, PlayerSpec

SPEAKS = PlayerSpec(ObservationSpec(), ActionSpec((), speech=FreeText()))


class StepWorld(BaseWorld):
    """A world that is played a step at a time, in spaces that it declares.

    A subclass writes ``solver_spec``, :meth:`sample`, :meth:`begin`, :meth:`play` and :meth:`see`. What changes in play
    is kept in ``state``, which is all that a snapshot copies, and chance in play comes from a generator in it. Texts,
    own last actions, the clock, checks of actions, exact replay and snapshots follow.

    Args:
      height: of the players' images in pixels, for worlds that draw some; None leaves it to the world.
      width: width of the players' images, pixels; None leaves it to the world, too.
      views: players whose view is needed; the others' may be black.
      max_steps: length of an episode.

    Attributes:
      solver_spec: what the solver observes and can do.
      setter_spec: what the setter observes and can do; by default it only speaks.
      state: what :meth:`begin` has returned, as play has changed it.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "step world", "render_modes": []}
    solver_spec: PlayerSpec
    setter_spec: PlayerSpec = SPEAKS

    def __init__(
        self, height: int | None = None, width: int | None = None, views: Sequence[str] = (), max_steps: int = 200
    ) -> None:
        super().__init__(height, width, views, max_steps)
        self.height, self.width = height, width

    # -- what a world writes ------------------------------------------------------------------------------------

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
        self._begin(seed, options)
        self._own = {player: self.spec(player).action.silent() for player in PLAYERS}
        return self._observe(), {player: {} for player in PLAYERS}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step. A player without an action does nothing and is silent.

        Raises:
          WorldError: the episode is over, or an action is not one.
        """
        self._check_running()
        self._own = {player: self._checked(player, actions.get(player)) for player in PLAYERS}
        for player, action in self._own.items():
            self._texts[player] = self.spec(player).action.spoken(action["utterance"]) or self._texts[player]
        self.play(self._own)
        return self._next_step()

    # -- time travel --------------------------------------------------------------------------------------------

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
