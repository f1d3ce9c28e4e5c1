"""The base of worlds that are a state, ticks that change it, and a picture of it; the rest of the contract is here."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit

from worlds.contract import (
    BODY,
    MOVEMENT,
    SETTER,
    SOLVER,
    STEPS_PER_SECOND,
    TICKS_PER_STEP,
    UTTERANCE_MAX_CHARS,
    Action,
    Observation,
    StepResult,
    WorldError,
    body_spec,
)
from worlds.contract.base_world import PLAYERS, BaseWorld
from worlds.spaces.action import ActionSpec
from worlds.spaces.as_gym import gym_action_space, gym_observation_space

FIVE_MINUTES = round(300 * STEPS_PER_SECOND)  # steps


class Controls(NamedTuple):
    """Controls of one player in one tick: the value of each component, see :data:`worlds.contract.MOVEMENT`."""

    forward: float
    strafe: float
    turn: float
    look: float
    hand: float
    reach: float


class TickWorld(BaseWorld):
    """A world with a state, a tick that changes it, and a picture of it.

    A subclass writes :meth:`sample`, :meth:`begin`, :meth:`tick` and :meth:`draw`. What changes in play is kept in
    ``state``, which is all that a snapshot copies, and chance in play comes from a generator in it. Texts, previous
    movements, the clock, checks of actions, exact replay, snapshots and play tick by tick follow.

    A world that plays several ticks faster together writes :meth:`advance` instead of :meth:`tick`. One that computes
    with parts of its state, such as their addresses, renews them in :meth:`state_replaced`.

    Args:
      height: of the players' images, pixels.
      width: of the players' images, pixels.
      views: players whose view is drawn; the images of the others are black.
      max_steps: length of an episode.
      body: body of both players; another one than BODY needs a world with :meth:`advance`.

    Attributes:
      state: what :meth:`begin` has returned, as play has changed it.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "tick world", "render_modes": ["rgb_array"]}
    render_mode = "rgb_array"

    def __init__(
        self,
        height: int = 72,
        width: int = 96,
        views: Sequence[str] = (SOLVER,),
        max_steps: int = FIVE_MINUTES,
        body: ActionSpec = BODY,
    ) -> None:
        super().__init__(height, width, views, max_steps)
        self.height, self.width, self.body = height, width, body
        seen = gym_observation_space(body_spec(height, width, body))
        self._spaces = {player: (seen, gym_action_space(body)) for player in PLAYERS}
        self._counts, self._still = body.counts.copy(), body.neutral_movement().astype(np.int64)
        self._tick = 0
        self._movement = np.stack([self._still] * len(PLAYERS))  # of the step under way, as far as it has been played

    # -- what a world writes ------------------------------------------------------------------------------------

    def tick(self, controls: Mapping[str, Controls]) -> None:
        """Change ``state`` by one tick, in which every player does what its ``controls`` say."""
        raise NotImplementedError(f"{type(self).__name__} has neither tick nor advance")

    def advance(self, movement: np.ndarray, first: int, last: int) -> None:
        """Change ``state`` by the ticks ``first`` to before ``last`` of a step; by default one :meth:`tick` each.

        ``movement`` is int64 [players, TICKS_PER_STEP, components], checked bins in the order of PLAYERS.
        """
        for rows in movement[:, first:last].swapaxes(0, 1):
            self.tick({player: _controls(bins) for player, bins in zip(PLAYERS, rows, strict=True)})

    def state_replaced(self) -> None:
        """Renew what was computed from ``state``: an episode has begun or a snapshot has been restored."""

    @abstractmethod
    def draw(self, player: str, height: int, width: int) -> np.ndarray:
        """Return what ``player`` sees: uint8 [height, width, 3]."""

    # -- play ---------------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict]]:
        """Begin an episode in the place of ``options["config"]``, else in the one sampled from ``seed``.

        Raises:
          WorldError: the configuration is not one of this world.
        """
        self._begin(seed, options)
        self.state_replaced()
        self._previous = {player: self.body.neutral_movement() for player in PLAYERS}
        self._tick = 0
        return self._observe(), {player: {} for player in PLAYERS}

    def step(self, actions: Mapping[str, Action]) -> StepResult:
        """Play one step. A player without an action stands still and is silent.

        Raises:
          WorldError: the episode is over, or an action is not one.
        """
        self._check_running()
        self._check_whole("step")
        given = {player: action for player, action in actions.items() if action is not None}
        movement = self._read_movement({p: action["movement"] for p, action in given.items()}, TICKS_PER_STEP)
        said = _read_utterances({player: action.get("utterance", "") for player, action in given.items()})
        self._play(movement)
        return self._end_step(said)

    def play_ticks(self, movement: Mapping[str, np.ndarray]) -> None:
        self._check_running()
        ticks = max((len(np.atleast_1d(bins)) for bins in movement.values()), default=0)
        left = TICKS_PER_STEP - self._tick
        if ticks > left:
            raise WorldError(f"a movement has {ticks} ticks, {left} are left of the step; call end_step() first")
        self._play(self._read_movement(movement, ticks))

    def end_step(self, utterances: Mapping[str, str]) -> StepResult:
        self._check_running()
        if self._tick < TICKS_PER_STEP:
            raise WorldError(f"{TICKS_PER_STEP - self._tick} ticks of the step are left; play them before end_step()")
        return self._end_step(_read_utterances(utterances))

    def view(self, agent: str, height: int, width: int) -> np.ndarray:
        return np.array(self.draw(agent, height, width), np.uint8)

    def render(self) -> np.ndarray:
        """Return the solver's view: uint8 [height, width, 3]. Raises WorldError before the first reset."""
        self._check_begun()
        return np.array(self.draw(SOLVER, self.height, self.width), np.uint8)

    # -- time travel --------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """Return a copy of everything that influences the future. Raises WorldError in the middle of a step."""
        self._check_whole("snapshot")
        rest = copy.deepcopy((self.state, self._texts, self._previous, self._step_index, self.agents))
        return self._config, rest

    def restore(self, snapshot: Any) -> dict[str, Observation]:
        """Return to a snapshot of this or of another world of the same class."""
        self._config, rest = snapshot
        self.state, self._texts, self._previous, self._step_index, self.agents = copy.deepcopy(rest)
        self._tick = 0
        self.state_replaced()
        return self._observe()

    # -- inside -------------------------------------------------------------------------------------------------

    def _play(self, movement: np.ndarray) -> None:
        """Play the next ticks of the step: int64 [players, ticks, components], checked."""
        first, last = self._tick, self._tick + movement.shape[1]
        if first == last:
            return
        self._movement[:, first:last] = movement
        self.advance(self._movement, first, last)
        self._tick = last

    def _end_step(self, said: Mapping[str, str]) -> StepResult:
        self._tick = 0
        for row, player in enumerate(PLAYERS):
            self._previous[player] = self._movement[row].astype(np.int8)
            self._texts[player] = said.get(player, "") or self._texts[player]
        return self._next_step()

    def _observe(self) -> dict[str, Observation]:
        return {
            player: {
                "image": np.array(self.draw(player, self.height, self.width), np.uint8)
                if player in self.views
                else np.zeros((self.height, self.width, 3), np.uint8),
                "setter_text": self._texts[SETTER],
                "solver_text": self._texts[SOLVER],
                "previous_movement": self._previous[player],
            }
            for player in PLAYERS
        }

    def _read_movement(self, movement: Mapping[str, Any], ticks: int) -> np.ndarray:
        """Return the checked movement of the next ticks: int64 [players, ticks, components]."""
        read = np.empty((len(PLAYERS), ticks, len(self._counts)), dtype=np.int64)
        shape = read.shape[1:]
        for row, player in enumerate(PLAYERS):
            bins = np.asarray(movement[player]) if player in movement else self._still[:ticks]
            if bins.shape != shape or bins.dtype.kind not in "iu":
                found = f"{bins.dtype} {list(bins.shape)}"
                raise WorldError(f"action of the {player}: movement is {found}; give integers {list(shape)}")
            read[row] = bins
        player, tick, part = _find_bad_bin(read, self._counts)
        if player >= 0:
            found = f"{self.body.discrete[part].name} is {read[player, tick, part]} at tick {self._tick + tick}"
            raise WorldError(f"action of the {PLAYERS[player]}: {found}; bins are 0..{self._counts[part] - 1}")
        return read

    def _check_whole(self, call: str) -> None:
        if self._tick:
            raise WorldError(f"{self._tick} ticks of a step have been played; call end_step() before {call}()")


def _read_utterances(utterances: Mapping[str, Any]) -> dict[str, str]:
    """Return what each player says, cut to length. Raises WorldError where it is no text."""
    for player, words in utterances.items():
        if not isinstance(words, str):
            raise WorldError(f"action of the {player}: utterance is a {type(words).__name__}; give text")
    return {player: words[:UTTERANCE_MAX_CHARS] for player, words in utterances.items()}


def _controls(bins: np.ndarray) -> Controls:
    """Return the values of one tick's bins [components]."""
    return Controls(*(component.values[bin] for component, bin in zip(MOVEMENT, bins.tolist(), strict=True)))


@njit(nogil=True, cache=True)
def _find_bad_bin(movement: np.ndarray, counts: np.ndarray) -> tuple[int, int, int]:
    """Return the first (player, tick, component) whose bin does not exist; (-1, -1, -1) if all do."""
    for player in range(movement.shape[0]):
        for tick in range(movement.shape[1]):
            for component in range(movement.shape[2]):
                if not 0 <= movement[player, tick, component] < counts[component]:
                    return player, tick, component
    return -1, -1, -1
