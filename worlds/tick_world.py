"""The base of worlds that are written as one tick and one picture; what every world repeats is done here."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from worlds.contract import (
    MOVEMENT,
    MOVEMENT_BINS,
    MOVEMENT_NAMES,
    SETTER,
    SOLVER,
    STEPS_PER_SECOND,
    TICKS_PER_STEP,
    UTTERANCE_MAX_CHARS,
    Action,
    Observation,
    StepResult,
    World,
    WorldError,
    action_space,
    neutral_movement,
    observation_space,
)

PLAYERS: tuple[str, ...] = (SETTER, SOLVER)
FIVE_MINUTES = round(300 * STEPS_PER_SECOND)  # steps


class Controls(NamedTuple):
    """What one player does in one tick: the value of each component, see :data:`worlds.contract.MOVEMENT`."""

    forward: float
    strafe: float
    turn: float
    look: float
    hand: float
    reach: float


class TickWorld(World):
    """A world with a state, a tick that changes it, and a picture of it.

    A subclass writes :meth:`sample`, :meth:`begin`, :meth:`tick` and :meth:`draw`. What changes in play is kept in
    ``state``, which is all that a snapshot copies, and chance in play comes from a generator in it. Texts, previous
    movements, the clock, checks of actions, exact replay, snapshots and play tick by tick follow.

    Args:
      height: of the players' images, pixels.
      width: of the players' images, pixels.
      views: players whose view is drawn; the images of the others are black.
      max_steps: length of an episode.

    Attributes:
      state: what :meth:`begin` has returned, as play has changed it.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "tick world", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"
    state: Any

    def __init__(
        self,
        height: int = 72,
        width: int = 96,
        views: Sequence[str] = (SOLVER,),
        max_steps: int = FIVE_MINUTES,
    ) -> None:
        self.height, self.width, self.views, self.max_steps = height, width, tuple(views), max_steps
        self.agents: list[str] = []
        self._spaces = {player: (observation_space(height, width), action_space()) for player in PLAYERS}
        self._seeds = np.random.default_rng()
        self._config: dict[str, Any] | None = None
        self._step_index = self._tick = 0

    # -- what a world writes ------------------------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def sample(seed: int) -> dict[str, Any]:
        """The configuration of the place of ``seed``, JSON-serialisable; settings of places are further arguments."""

    @abstractmethod
    def begin(self, config: Mapping[str, Any]) -> Any:
        """The state in which an episode in the place ``config`` begins, an object that ``copy.deepcopy`` copies."""

    @abstractmethod
    def tick(self, controls: Mapping[str, Controls]) -> None:
        """Change ``state`` by one tick, in which every player does what ``controls`` say of it."""

    @abstractmethod
    def draw(self, player: str, height: int, width: int) -> np.ndarray:
        """What ``player`` sees: uint8 [height, width, 3]."""

    # -- play ---------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Any:
        """Space of a player's observations."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        """Space of a player's actions."""
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        """Begin an episode in the place of ``options["config"]``, else in the one sampled from ``seed``.

        Raises:
          WorldError: the configuration is not one of this world.
        """
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        config = (options or {}).get("config")
        if config is None:
            config = self.sample(int(self._seeds.integers(2**31)) if seed is None else seed)
        self.state = self._begun(config)
        self._config = copy.deepcopy(dict(config))
        self._texts = dict.fromkeys(PLAYERS, "")
        self._previous = {player: neutral_movement() for player in PLAYERS}
        self._step_index, self.agents = 0, list(PLAYERS)
        self._begin_step()
        return self._observe(), {player: {} for player in PLAYERS}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step. A player without an action stands still and is silent.

        Raises:
          WorldError: the episode is over, or an action is not one.
        """
        self._check_whole("step")
        given = {player: action for player, action in actions.items() if action is not None}
        said = _read_utterances({player: action.get("utterance", "") for player, action in given.items()})
        self._play({player: action["movement"] for player, action in given.items()}, TICKS_PER_STEP)
        return self._end_step(said)

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        """See :meth:`worlds.contract.TickWise.play_ticks`."""
        ticks = max((len(np.atleast_1d(bins)) for bins in movement.values()), default=0)
        left = TICKS_PER_STEP - self._tick
        if ticks > left:
            raise WorldError(f"a movement has {ticks} ticks, {left} are left of the step; call end_step() first")
        self._play(movement, ticks)

    def end_step(self, utterances: Mapping[str, str]) -> StepResult:
        """See :meth:`worlds.contract.TickWise.end_step`."""
        if self._tick < TICKS_PER_STEP:
            raise WorldError(f"{TICKS_PER_STEP - self._tick} ticks of the step are left; play them before end_step()")
        return self._end_step(_read_utterances(utterances))

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        """See :meth:`worlds.contract.TickWise.view`."""
        return np.array(self.draw(agent, height, width), np.uint8)

    def render(self) -> np.ndarray:
        """The solver's view: uint8 [height, width, 3]."""
        return self.view(SOLVER, self.height, self.width)

    def close(self) -> None:
        """Nothing to release."""

    # -- time travel --------------------------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, Any]:
        """The JSON-serialisable place in which this episode began."""
        if self._config is None:
            raise WorldError("the world has no place yet; call reset()")
        return copy.deepcopy(self._config)

    @property
    def step_index(self) -> int:
        """Number of steps taken since the reset."""
        return self._step_index

    def snapshot(self) -> Any:
        """A copy of everything that influences the future. Raises WorldError in the middle of a step."""
        self._check_whole("snapshot")
        return copy.deepcopy((self.state, self._config, self._texts, self._previous, self._step_index, self.agents))

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to a snapshot of this or of another world of the same class."""
        self.state, self._config, self._texts, self._previous, self._step_index, self.agents = copy.deepcopy(snapshot)
        self._begin_step()
        return self._observe()

    # -- inside -------------------------------------------------------------------------------------------------

    def _begun(self, config: Any) -> Any:
        if not isinstance(config, Mapping):
            raise WorldError(f"the configuration of a place is a mapping, not a {type(config).__name__}")
        try:
            return self.begin(config)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise WorldError(f"no configuration of a {type(self).__name__}: {reason}") from error

    def _begin_step(self) -> None:
        self._movement = {player: neutral_movement() for player in PLAYERS}
        self._tick = 0

    def _play(self, movement: Mapping[str, Any], ticks: int) -> None:
        """Play the next ``ticks`` of the step; a player without a movement stands still."""
        if not self.agents:
            raise WorldError("the episode is over or has not begun; call reset()")
        rows = {p: _read_movement(p, movement.get(p, neutral_movement()[:ticks]), ticks) for p in PLAYERS}
        for player, bins in rows.items():
            self._movement[player][self._tick : self._tick + ticks] = bins
        for tick in range(ticks):
            self.tick({player: _controls(bins[tick]) for player, bins in rows.items()})
        self._tick += ticks

    def _end_step(self, said: Mapping[str, str]) -> StepResult:
        self._step_index += 1
        self._previous = self._movement
        self._texts = {player: said.get(player, "") or text for player, text in self._texts.items()}
        self._begin_step()
        over, players = self._step_index >= self.max_steps, self.agents
        self.agents = [] if over else self.agents
        return (
            self._observe(),
            dict.fromkeys(players, 0.0),
            dict.fromkeys(players, False),
            dict.fromkeys(players, over),
            {player: {} for player in players},
        )

    def _observe(self) -> dict[str, Observation]:
        return {
            player: {
                "image": self.view(player, self.height, self.width)
                if player in self.views
                else np.zeros((self.height, self.width, 3), np.uint8),
                "setter_text": self._texts[SETTER],
                "solver_text": self._texts[SOLVER],
                "previous_movement": self._previous[player],
            }
            for player in PLAYERS
        }

    def _check_whole(self, call: str) -> None:
        if self._tick:
            raise WorldError(f"{self._tick} ticks of a step have been played; call end_step() before {call}()")


def _read_movement(player: str, movement: Any, ticks: int) -> np.ndarray:
    """A checked movement: integers [ticks, components]. Raises WorldError."""
    bins, shape = np.asarray(movement), (ticks, len(MOVEMENT))
    if bins.shape != shape or bins.dtype.kind not in "iu":
        found = f"{bins.dtype} {list(bins.shape)}"
        raise WorldError(f"action of the {player}: movement is {found}; give integers {list(shape)}")
    bad = np.argwhere((bins < 0) | (bins >= MOVEMENT_BINS))
    if len(bad):
        tick, part = bad[0]
        found = f"{MOVEMENT_NAMES[part]} is {bins[tick, part]} at tick {tick}"
        raise WorldError(f"action of the {player}: {found}; bins are 0..{MOVEMENT_BINS[part] - 1}")
    return bins


def _read_utterances(utterances: Mapping[str, Any]) -> dict[str, str]:
    """What each player says, cut to length. Raises WorldError where it is no text."""
    for player, words in utterances.items():
        if not isinstance(words, str):
            raise WorldError(f"action of the {player}: utterance is a {type(words).__name__}; give text")
    return {player: words[:UTTERANCE_MAX_CHARS] for player, words in utterances.items()}


def _controls(bins: np.ndarray) -> Controls:
    """The values of one tick's bins [components]."""
    return Controls(*(component.values[bin] for component, bin in zip(MOVEMENT, bins.tolist(), strict=True)))
