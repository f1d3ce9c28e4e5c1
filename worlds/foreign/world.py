"""A foreign environment as a world: its mission is what the setter asks, its reward and end are the referee.

An episode of the world is one of the environment's, from a seed. When the environment ends it, its last observation is
shown for a few steps more: a recording has no observation after its last step, and a reward model has to see the end.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from worlds.contract import SETTER, SOLVER, Action, Observation, StepResult, World, WorldError
from worlds.faults import named_failure
from worlds.foreign.bridge import WORDS_ONLY, Bridge, Turn, still
from worlds.foreign.pictures import shared_surfaces
from worlds.spaces.action import ActionSpec, FreeText, InvalidAction
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import PlayerSpec

PLAYERS: tuple[str, ...] = (SETTER, SOLVER)
SPEECH = FreeText(400)  # the longest missions of BabyAI have some 250 characters
LARGEST_SEED = 2**31 - 1
_SUCCESS_KEYS = ("success", "is_success")  # of an environment's info


@dataclass(frozen=True)
class Rules:
    """What a world adds to an environment.

    Args:
      instruction: what is asked for; "" takes the environment's own mission, or else asks to play it.
      success_return: sum of rewards from which the episode is a success; one of 0 or below, which holds before anything
        has been done, is judged when the episode ends. None leaves it to the environment: it ends the episode with a
        reward above 0, or its info says so.
      linger: steps for which the last observation is shown after the environment has ended the episode.
      max_steps: steps after which the episode is cut; None leaves it to the environment.
    """

    instruction: str = ""
    success_return: float | None = None
    linger: int = 4
    max_steps: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (("linger", self.linger, 0), ("max_steps", self.max_steps, 1)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise WorldError(f"setting {name}: {value!r} is no whole number from {least}")


class ForeignWorld(World):
    """One environment, its translation, and both players' words.

    Args:
      name: of the world, for messages.
      bridge: to the environment.
      rules: what the world adds.

    Attributes:
      reward: of the last step.
      total: sum of the rewards of the episode.
      ended: True once the environment has ended the episode.
      succeeded: True once the episode is a success.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "foreign", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"

    def __init__(self, name: str, bridge: Bridge, rules: Rules | None = None) -> None:
        self.name, self.bridge, self.rules = name, bridge, rules or Rules()
        self._translations = {player: bridge.translations.get(player, WORDS_ONLY) for player in PLAYERS}
        self._specs = {
            player: PlayerSpec(one.observation.spec, ActionSpec(one.action.components, speech=SPEECH))
            for player, one in self._translations.items()
        }
        self._spaces = {p: (gym_observation_space(s), gym_action_space(s.action)) for p, s in self._specs.items()}
        self._still = {player: still(spec.action) for player, spec in self._specs.items()}
        self._seeds = np.random.default_rng()
        self._seed: int | None = None
        self.agents: list[str] = []
        self._step_index = 0

    @property
    def env(self) -> Any:
        """The environment."""
        return self.bridge.env

    @property
    def most_steps(self) -> int | None:
        """The limit of steps of an episode; None without one."""
        limits = [limit for limit in (self.rules.max_steps, self.bridge.most_steps) if limit]
        return min(limits) if limits else None

    def spec(self, agent: str) -> PlayerSpec:
        """Return the spaces of a player."""
        return self._specs[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of a player's observations."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Dict:
        """Return the space of a player's actions."""
        return self._spaces[agent][1]

    @property
    def config(self) -> dict[str, Any]:
        """The seed of the episode. Raises WorldError before the first reset."""
        return {"seed": self._begun()}

    @property
    def step_index(self) -> int:
        """Number of steps taken since the reset."""
        return self._step_index

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        """Begin the episode of ``options["config"]``, else one that is sampled from ``seed``.

        Raises:
          WorldError: the configuration is none, or the environment fails.
        """
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        config = (options or {}).get("config")
        self._seed = int(self._seeds.integers(LARGEST_SEED)) if config is None else checked_seed(config)
        with named_failure(self.name, f"reset with seed {self._seed}"):
            seen = self.bridge.reset(self._seed)
            self._look(seen)
            self.mission = self.rules.instruction or self.bridge.mission(seen) or f"play {self.name.rpartition(':')[2]}"
        self.agents, self._step_index, self._lingered = list(PLAYERS), 0, 0
        self.reward, self.total, self.ended, self.succeeded, self._cut = 0.0, 0.0, False, False, False
        self._words = {"setter_text": "", "solver_text": ""}
        self._own = dict(self._still)
        return self._observed(), {SETTER: {}, SOLVER: {}}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step of the environment, or, after its end, show its last observation once more.

        Raises:
          WorldError: the episode is over, an action is not of its space, or the environment fails.
        """
        if not self.agents:
            raise WorldError("the episode is over or has not begun; call reset()")
        self._own = {player: self._checked(player, actions.get(player)) for player in PLAYERS}
        for player in PLAYERS:
            if words := (actions.get(player) or {}).get("utterance"):
                self._words[f"{player}_text"] = words[: SPEECH.most_chars]
        is_last = self.rules.max_steps is not None and self._step_index + 1 >= self.rules.max_steps
        if self.ended:
            self.reward, self._lingered = 0.0, self._lingered + 1
        else:
            self._play(is_last)
        self._step_index += 1
        shown = is_last or (self.ended and self._lingered >= self.rules.linger)
        over = shown and self.ended and not self._cut
        cut = shown and not over
        if shown:
            self.agents = []
        return (
            self._observed(),
            {SETTER: 0.0, SOLVER: 0.0},  # the environment's reward is the referee's; agents are not given it
            {SETTER: over, SOLVER: over},
            {SETTER: cut, SOLVER: cut},
            {SETTER: {}, SOLVER: {}},
        )

    def render(self) -> np.ndarray:
        """Return a picture of the environment: uint8 [height, width, 3]. Raises WorldError if it draws none."""
        with named_failure(self.name, "render"):
            picture = self.bridge.render()
        if picture is None:
            raise WorldError(f"world {self.name!r} draws no pictures; it has no render mode rgb_array")
        return np.array(picture, np.uint8)

    def close(self) -> None:
        """Close the environment."""
        self.bridge.close()

    def snapshot(self) -> Any:
        """Return a copy of the environment and the words; NotImplementedError if the environment has no copy.

        Windows and surfaces of pygame, which cannot be copied, are shared: what draws on them draws everything.
        """
        self._begun()
        try:
            return copy.deepcopy(self._state(), shared_surfaces(self.env))
        except Exception as error:  # the copies of a foreign object may raise anything
            reason = f"{type(error).__name__}: {error}"
            raise NotImplementedError(f"the environment cannot be copied ({reason}); replay it instead") from error

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to a snapshot of this or of another world of the same environment."""
        env, rest = copy.deepcopy(snapshot, shared_surfaces(snapshot[0]))
        self.bridge.env = env
        vars(self).update(rest)
        return self._observed()

    def observed(self, player: str) -> Any:
        """Return the environment's own last observation of a player, as it was before its translation."""
        return self._raw[player]

    def outside(self) -> str:
        """Return the part of the last observation that is outside the environment's own space; "" for none."""
        return self.bridge.outside(self._raw)

    # -- inside -----------------------------------------------------------------------------------------------

    def _state(self) -> tuple[Any, dict[str, Any]]:
        kept = (
            "_seed", "agents", "_step_index", "_lingered", "reward", "total", "ended", "succeeded", "_cut", "_words",
            "_own", "_raw", "_seen", "mission",
        )  # fmt: skip
        return self.bridge.env, {name: getattr(self, name) for name in kept}

    def _begun(self) -> int:
        if self._seed is None:
            raise WorldError("the world has no place yet; call reset()")
        return self._seed

    def _checked(self, player: str, action: Mapping[str, Any] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return movement and continuous values of a player's action."""
        if action is None:
            return self._still[player]
        try:
            self._specs[player].action.check(action)
        except InvalidAction as error:
            raise WorldError(f"action of the {player}: {error}") from None
        movement, values = self._still[player]
        given = action.get("continuous")
        return action["movement"].astype(movement.dtype), values if given is None else np.array(given, np.float32)

    def _play(self, is_last: bool) -> None:
        actions = {}
        for player in self.bridge.translations:
            movement, values = self._own[player]
            actions[player] = self._translations[player].action.build(movement[0], values[0])
        with named_failure(self.name, f"step {self._step_index} of seed {self._seed}"):
            turn = self.bridge.step(actions)
            self._look({**self._raw, **turn.seen})
        self.reward, self.total = turn.reward, self.total + turn.reward
        self.ended = turn.terminated or turn.truncated
        self._cut = turn.truncated and not turn.terminated
        self.succeeded = self.succeeded or self._is_success(turn, is_last)

    def _is_success(self, turn: Turn, is_last: bool) -> bool:
        wanted = self.rules.success_return
        if wanted is not None:
            return self.total >= wanted and (wanted > 0 or self.ended or is_last)
        key = next((key for key in _SUCCESS_KEYS if key in turn.info), None)
        return self.ended and bool(turn.terminated and self.reward > 0 if key is None else turn.info[key])

    def _look(self, seen: Mapping[str, Any]) -> None:
        self._raw = seen
        self._seen = {player: one.observation.read(seen.get(player)) for player, one in self._translations.items()}

    def _observed(self) -> dict[str, Observation]:
        found: dict[str, Any] = {}
        for player, seen in self._seen.items():
            movement, values = self._own[player]
            # Copies, because the same observation is returned again while the world waits after its end.
            found[player] = observation = {name: copy.copy(part) for name, part in seen.items()} | self._words
            observation["previous_movement"] = movement.copy()
            if self._specs[player].action.continuous:
                observation["previous_continuous"] = values.copy()
        return found


def checked_seed(config: Any) -> int:
    """Return the seed that a configuration names.

    Raises:
      WorldError: it names none.
    """
    seed = config.get("seed") if isinstance(config, Mapping) else None
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED or len(config) > 1:
        raise WorldError(f'{str(config)[:60]!r} is no place of this world; give {{"seed": a whole number from 0}}')
    return seed
