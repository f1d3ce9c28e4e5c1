"""A foreign environment as a world: its mission is what the setter asks, its reward and end are the referee.

An episode of the world is one of the environment's, from a seed. When the environment ends it, its last observation is
shown for a few steps more: a recording has no observation after its last step, and a reward model has to see the end.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces

from worlds.contract import SETTER, SOLVER, Action, Observation, StepResult, World, WorldError
from worlds.contract.requests import TRY_AGAIN
from worlds.foreign.bridge import WORDS_ONLY, Bridge, Turn, find_mask, number, still
from worlds.foreign.copies import copied
from worlds.foreign_code.faults import named_failure
from worlds.spaces.action import ActionSpec, FreeText, InvalidAction
from worlds.spaces.as_gym import gym_action_space, gym_observation_space
from worlds.spaces.observation import Departure, InvalidObservation, PlayerSpec

PLAYERS: tuple[str, ...] = (SETTER, SOLVER)
SPEECH = FreeText(400)  # the longest missions of BabyAI have some 250 characters
LARGEST_SEED = 2**31 - 1
_SUCCESS_KEYS = ("success", "is_success")  # of an environment's info
_TOO_LONG = f"an instruction is cut to its first {SPEECH.most_chars} characters, as many as players can say"
ANY, END = "any", "end"


@dataclass(frozen=True)
class Rules:
    """What a world adds to an environment.

    Args:
      instruction: what is asked for; "" takes what the environment asks for, or asks to play it.
      success_return: sum of rewards from which the episode is a success; one of 0 or below, which holds before anything
        has been done, is judged when the episode ends. None leaves it to the environment: it ends the episode with a
        reward above 0, or its info says so.
      linger: steps for which the last observation is shown after the environment has ended the episode.
      max_steps: steps after which the episode is cut; None leaves it to the environment.
      success_at: "any" for a success that info reports at any step, "end" for one that it reports when the episode
        ends.
      masked: let the solver observe which actions are legal, where info or a method ``action_masks`` says so. A part
        ``action_mask`` of the observation needs no setting.
    """

    instruction: str = ""
    success_return: float | None = None
    linger: int = 4
    max_steps: int | None = None
    success_at: Literal["any", "end"] = ANY
    masked: bool = False

    def __post_init__(self) -> None:
        for name, value, least in (("linger", self.linger, 0), ("max_steps", self.max_steps, 1)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise WorldError(f"setting {name}: {value!r} is no whole number from {least}")
        if self.success_at not in (ANY, END):
            raise WorldError(f"setting success_at: {self.success_at!r} is neither {ANY!r} nor {END!r}")


class ForeignWorld(World):
    """One environment, its translation, and both players' words.

    Attributes:
      mission: what is asked for now; "" until the environment has said it.
      ended: True once the environment has ended the episode.
      succeeded: True once the mission is a success.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "foreign", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"

    def __init__(self, name: str, bridge: Bridge, rules: Rules | None = None) -> None:
        self.name, self.bridge, self.rules = name, bridge, rules or Rules()
        self._inner: Any = getattr(bridge.env, "unwrapped", bridge.env)
        self._translations = {player: bridge.translations.get(player, WORDS_ONLY) for player in PLAYERS}
        self._specs = {
            player: PlayerSpec(
                one.observation.spec,
                ActionSpec(
                    one.action.components,
                    speech=SPEECH,
                    masked=one.observation.masked or (player == SOLVER and self.rules.masked),
                ),
            )
            for player, one in self._translations.items()
        }
        self.to_play = f"play {name.rpartition(':')[2]}"[: SPEECH.most_chars]
        self._spaces = {p: (gym_observation_space(s), gym_action_space(s.action)) for p, s in self._specs.items()}
        self._still = {player: still(spec.action) for player, spec in self._specs.items()}
        self._seeds = np.random.default_rng()
        self._legal: dict[str, np.ndarray | None] = {}
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
        """Begin the episode of ``options["config"]``, else one that is sampled from ``seed``."""
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        config = (options or {}).get("config")
        self._seed = int(self._seeds.integers(LARGEST_SEED)) if config is None else checked_seed(config)
        self.agents, self._step_index, self._lingered = list(PLAYERS), 0, 0
        self.reward, self.total, self.ended, self.succeeded, self._cut = 0.0, 0.0, False, False, False
        self.mission, self._speaks, self._renewed, self._raw = "", False, False, {}
        seed = self._seed
        self._named(f"reset with seed {seed}", lambda: self._take(self.bridge.reset(seed)))
        self._words = {"setter_text": "", "solver_text": ""}
        self._own = dict(self._still)
        return self._observed(), {SETTER: {}, SOLVER: {}}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step of the environment, or, after its end, show its last observation once more."""
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
        """Return a copy of the environment and the words; NotImplementedError if the environment has no true copy."""
        self._begun()
        return copied(self._state())

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to a snapshot of this or of another world of the same environment."""
        env, rest = copied(snapshot)
        self.bridge.env, self._inner = env, getattr(env, "unwrapped", env)
        vars(self).update(rest)
        return self._observed()

    def observed(self, player: str) -> Any:
        """Return the environment's own last observation of a player, as it was before its translation."""
        return self._raw[player]

    def outside(self) -> Departure | None:
        return self.bridge.outside(self._raw)

    def legal_now(self, agent: str) -> np.ndarray | None:
        return self._legal.get(agent)

    # -- inside -----------------------------------------------------------------------------------------------

    def _state(self) -> tuple[Any, dict[str, Any]]:
        kept = (
            "_seed", "agents", "_step_index", "_lingered", "reward", "total", "ended", "succeeded", "_cut", "_words",
            "_own", "_raw", "_seen", "_legal", "_speaks", "_renewed", "mission",
        )  # fmt: skip
        return self.bridge.env, {name: getattr(self, name) for name in kept}

    def _begun(self) -> int:
        if self._seed is None:
            raise WorldError("the world has no place yet; call reset()")
        return self._seed

    def _checked(self, player: str, action: Mapping[str, Any] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return movement and continuous values of a player's action."""
        if action is None:
            still, values = self._still[player]
            legal = self.legal_now(player)
            return still if legal is None else self._specs[player].action.silent(legal)["movement"], values
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
        if self._renewed:
            self.succeeded, self.total, self._renewed = False, 0.0, False
        self._named(
            f"step {self._step_index} of seed {self._seed}",
            lambda: self._judge(self._take(self.bridge.step(actions)), is_last),
        )

    def _judge(self, turn: Turn, is_last: bool) -> None:
        self.reward, self.total = turn.reward, self.total + turn.reward
        self.ended = turn.terminated or turn.truncated
        self._cut = turn.truncated and not turn.terminated
        self.succeeded = self.succeeded or self._is_success(turn, is_last)

    def _is_success(self, turn: Turn, is_last: bool) -> bool:
        wanted, over = self.rules.success_return, self.ended or is_last
        if wanted is not None:
            return self.total >= wanted and (wanted > 0 or over)
        key = next((key for key in _SUCCESS_KEYS if turn.info.get(key) is not None), None)
        if key is None:
            return turn.terminated and turn.reward > 0
        return bool(number(turn.info[key], key)) and (over or self.rules.success_at == ANY)

    def _named(self, doing: str, call: Callable[[], object]) -> None:
        """Call the environment. Raises WorldError if it fails, or if what it returns cannot be observed."""
        try:
            with named_failure(self.name, doing):
                call()
        except InvalidObservation as error:
            raise WorldError(f"world {self.name!r} fails at {doing}: {error}") from None

    def _take(self, turn: Turn) -> Turn:
        """Observe and hear what came of a call of the environment."""
        self._raw = {**self._raw, **turn.seen}
        self._seen = {player: one.observation.read(self._raw.get(player)) for player, one in self._translations.items()}
        for player, seen in self._seen.items():
            action = self._specs[player].action
            legal = seen.get("legal")
            if legal is None and player == SOLVER and action.discrete:
                legal = find_mask(self._inner, turn.info, self._translations[player].action.counts)
            if action.masked:
                seen["legal"] = legal = np.ones(sum(action.counts), np.bool_) if legal is None else legal
            self._legal[player] = legal
        mission = self._heard(self.bridge.mission(self._raw, turn.info, self._inner))
        self._renewed = self.mission not in ("", mission)
        self.mission = mission
        return turn

    def _heard(self, said: str | None) -> str:
        """Return the mission, once the environment has said ``said``."""
        if self.rules.instruction:
            said = self.rules.instruction
        elif not said:
            self._speaks = self._speaks or said is not None
            waits = self._speaks and self._step_index < TRY_AGAIN
            said = self.mission or ("" if waits else self.to_play)
        if len(said) > SPEECH.most_chars:
            warnings.warn(f"world {self.name!r}: {_TOO_LONG}", stacklevel=2)
        return said[: SPEECH.most_chars]

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
    """Return the seed in a configuration. Raises WorldError if there is none."""
    seed = config.get("seed") if isinstance(config, Mapping) else None
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED or len(config) > 1:
        raise WorldError(f'{str(config)[:60]!r} is no place of this world; give {{"seed": a whole number from 0}}')
    return seed
